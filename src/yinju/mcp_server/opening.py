"""The library behind a server of its own: opened after the handshake, in a thread, and brought up to date while tools answer already.

A client waits a few seconds for a server and a person not much longer for a tool. What takes longer (a model that is built once, a folder that
was never read) goes on in the background: until the model is there words alone answer, and `status` says how far it is.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from typing import TYPE_CHECKING

from yinju.errors import YinjuError
from yinju.messages import language, say, set_language

if TYPE_CHECKING:
    from yinju.library import Library
    from yinju.principal import Principal
    from yinju.tokens import Asker

Open = Callable[[], AbstractContextManager["Library"]]
PATIENCE_S = 3.0  # for the models, before words alone answer
FIRST_S = 15.0  # for a folder that is read for the first time, before a tool answers from what is there
END_S = 5.0  # for what is under way when the client goes


class Refresh:
    """What brings a library up to date may say and ask meanwhile."""

    def __init__(self) -> None:
        self.text = ""
        self._filled = threading.Event()
        self._stop = threading.Event()

    def tell(self, text: str) -> None:
        """Say how far it is: a line of `status`."""
        self.text = text

    def filled(self) -> None:
        """Every file that could be read is found by its words now."""
        self._filled.set()

    def wait_filled(self, seconds: float) -> bool:
        """Wait until it is filled, and return whether it is."""
        return self._filled.wait(seconds)

    def cancelled(self) -> bool:
        """Whether it should end."""
        return self._stop.is_set()

    def cancel(self) -> None:
        """Want it to end."""
        self._stop.set()


class Opening:
    """A library that is opened once, when it is first needed, and closed with the server."""

    def __init__(
        self,
        open_library: Open,
        *,
        by_words: Open | None = None,
        refresh: Callable[[Library, Refresh], None] | None = None,
        principal: Principal | None = None,
    ) -> None:
        """`by_words` opens it without any model, to answer while those load; `refresh` brings it up to date.

        `principal`: tools see what this one may see, and are told nothing about the rest; without one they see all.
        """
        self._open, self._by_words, self._refresh, self._principal = open_library, by_words, refresh, principal
        self._lock = threading.Lock()
        self._word_lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._ready = threading.Event()
        self._stack, self._word_stack = ExitStack(), ExitStack()
        self._library: Library | None = None
        self._words: Library | None = None
        self._language = language()
        self._was_empty = False
        self.failure: YinjuError | None = None  # of opening it, the last time
        self.refreshing = Refresh()

    def begin(self) -> None:
        """Start to open it, unless that is under way or done."""
        with self._lock:
            if self._thread is None and not self.refreshing.cancelled():
                self.failure = None
                self._ready.clear()
                self._thread = threading.Thread(target=self._work, name="yinju-opening", daemon=True)
                self._thread.start()

    def library(self, _asker: Asker | None = None) -> Library:
        """Return the library, by words alone where its models take long. Raises the errors of opening it, each time anew."""
        found = self._whole()
        return found if self._principal is None else found.seen_by(self._principal)

    def _whole(self) -> Library:
        self.begin()
        if not self._ready.wait(PATIENCE_S):
            return self._without_models()
        if self._library is None:
            failure = self.failure or _warming_up()
            raise failure if self._principal is None else _not_opened(failure)
        if self._was_empty:
            self.refreshing.wait_filled(FIRST_S)
        set_language(self._language)
        return self._library

    def note(self) -> str:
        """Return what a reader of results should know about the state of the library, if anything."""
        if not self._ready.is_set():
            return say("the models are still loading: found by words alone", "模型仍在加载：目前只按词检索")
        if self._principal is not None:  # how many files there are is the owner's affair
            return say("the library is being brought up to date", "库正在更新") if self.refreshing.text else ""
        return self.refreshing.text

    def close(self) -> None:
        """End what is under way and close the library, if it was opened."""
        self.refreshing.cancel()
        thread = self._thread
        if thread is not None:
            thread.join(END_S if self._ready.is_set() else 0)  # a model that loads has nothing to lose
            if thread.is_alive():
                return  # it writes whole documents, each in a transaction: the end of the process loses none
        self._library = self._words = None
        self._stack.close()
        self._word_stack.close()

    def _work(self) -> None:
        try:
            self._library = self._stack.enter_context(self._open())
            self._language = language()
            self._was_empty = self._refresh is not None and self._library.status()["documents"] == 0
        except YinjuError as error:
            self.failure = error
            self._ready.set()
            with self._lock:
                self._thread = None
            return
        self._ready.set()
        try:
            if self._refresh is not None:
                self._refresh(self._library, self.refreshing)
        except YinjuError as error:
            why = f"{error.message} {error.hint or ''}".strip()
            self.refreshing.tell(say("not brought up to date: {why}", "未能更新：{why}", why=why))
        finally:
            self.refreshing.filled()

    def _without_models(self) -> Library:
        """Return the library by words alone. Raises YinjuError where there is none yet."""
        if self._by_words is None:
            raise _warming_up()
        with self._word_lock:
            if self._words is None:
                try:
                    self._words = self._word_stack.enter_context(self._by_words())
                except YinjuError as error:
                    raise _warming_up() from error
            return self._words


def _not_opened(error: YinjuError) -> YinjuError:
    """Return what somebody is told who is not the owner: the error itself may name places."""
    return YinjuError(
        say("The library cannot be opened.", "无法打开库。"),
        say("Its owner finds the reason on stderr.", "所有者可在标准错误输出中查看原因。"),
        code=error.code,
    )


def _warming_up() -> YinjuError:
    return YinjuError(
        say("The library is still being opened.", "正在打开库。"),
        say("Try again in a few seconds.", "请几秒后再试。"),
        code="warming-up",
    )
