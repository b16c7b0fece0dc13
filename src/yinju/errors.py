"""The errors that Yinju raises. Each says what happened and what to do next.

    YinjuError                      exit code
    ├── UsageError                       2    a wrong argument, setting or combination
    ├── DocumentError                    3    one document cannot be used; the others can (`reason` is a stable code)
    ├── StoreError                      74    the library's file is damaged or the disk failed
    │   ├── StoreBusy                   75    another process is writing
    │   └── StoreReadOnly               73    the library cannot be written to
    ├── SourceMissing                   74    a root or file that was named is not there: nothing is deleted for that
    ├── MassDelete                       2    a sync would remove too much; allow it explicitly
    └── ModelError                      70    an embedding, reranking or chat model failed (`retryable` says if trying again may help)

An exit code is the process's, if the error reaches the command line. A refusal to answer is a value (`Answer.refused`), not an error.
"""

from __future__ import annotations


class YinjuError(Exception):
    """Base of all errors raised on purpose: `message` says what happened, `hint` what to do next, `code` is stable."""

    code = "fault"
    exit_code = 70

    def __init__(self, message: str, hint: str | None = None, *, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        if code is not None:
            self.code = code


class UsageError(YinjuError):
    """An argument, a setting or a combination of them is wrong."""

    code = "usage"
    exit_code = 2


class DocumentError(YinjuError):
    """One document cannot be used. `code` is the reason code of the receipt, such as `empty`, `damaged`, `encrypted`."""

    code = "document"
    exit_code = 3

    @property
    def reason(self) -> str:
        """`code`, or `code: message` where the message adds something."""
        return f"{self.code}: {self.message}" if self.message else self.code


class StoreError(YinjuError):
    """The library's file is damaged, of another version, or the disk failed."""

    code = "store"
    exit_code = 74


class StoreBusy(StoreError):
    """Another process is writing to this library."""

    code = "busy"
    exit_code = 75


class StoreReadOnly(StoreError):
    """The library cannot be written to."""

    code = "read-only"
    exit_code = 73


class SourceMissing(YinjuError):
    """A folder, file or source that was named does not exist. Nothing is removed from the library because of it."""

    code = "missing"
    exit_code = 74


class MassDelete(UsageError):
    """A sync would remove more than a third of the library."""

    code = "mass-delete"


class ModelError(YinjuError):
    """A model failed. `retryable`: trying again later may help."""

    code = "model"
    exit_code = 70

    def __init__(
        self, message: str, hint: str | None = None, *, code: str | None = None, retryable: bool = False
    ) -> None:
        super().__init__(message, hint, code=code)
        self.retryable = retryable
