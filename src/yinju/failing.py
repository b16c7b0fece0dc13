"""Places at which a test can end the process, as a power cut or `kill -9` at this very moment would.

What survives a crash cannot be told from the code, only tried, and a kill at a random moment seldom hits the few microseconds between two
writes. `YINJU_FAIL_AT=before-commit:3` ends the process when it reaches that point for the third time: without cleaning up, without
flushing, with exit code 97. Nothing else in this program reads the variable, and without it a point costs a call that returns at once
(the variable is read once, when this module is loaded).

Every point stands in the table below with what has happened by then; a test holds that each is in the code once, and that each was tried.
"""

from __future__ import annotations

import os

VARIABLE = "YINJU_FAIL_AT"
EXIT_CODE = 97
POINTS = {
    # sync
    "parse": "a file was read, nothing of it is kept",
    "chunk": "a document was cut, nothing of it is kept",
    "embed": "vectors were computed, none is kept",
    # what every change does
    "begin": "a transaction began",
    "before-commit": "all is written, nothing is on disk",
    "after-commit": "all is on disk, nobody was told",
    # a document comes, table by table
    "write-document": "the document's row is written",
    "write-body": "its text is written",
    "write-chunk": "its passages' rows are written",
    "write-passage": "their texts are written",
    "write-words": "the word index holds them",
    "write-bigrams": "the bigram index holds them",
    "write-kept": "their terms are kept",
    "write-tally": "the totals are raised",
    "write-vector": "vectors are written",
    "write-skipped": "a file that could not be indexed is written down",
    "write-root": "a synced folder is written down",
    # a document goes
    "delete-words": "the index has lost its passages, which are still there",
    "delete": "its passages are gone, its row is there",
    "delete-vectors": "vectors of texts that nobody has any more are removed",
    "replace": "the old version is gone, the new one is not written",
    "rename": "documents have left their names and have no new ones",
    "purge-words": "deleted terms are out of the word index, not of the bigrams",
    "undo": "all is as it was before a step, which is not forgotten yet",
    "purge": "a text is out of all tables, not out of the write-ahead log and the views",
    "checkpoint": "deleted terms are out of the tables, not out of the write-ahead log",
    # the format changes
    "migrate-saved": "the file of the earlier format is kept beside, nothing is changed",
    "migrate-step": "one step's tables are made, nothing is on disk",
    "migrate-done": "the new format is on disk, nothing is written down about the copy",
    # a backup
    "backup-pages": "some pages are copied into a draft",
    "backup-copied": "all pages are copied, the files beside the truth are not",
    "backup-filled": "all is in the draft, nothing is checked",
    "backup-checked": "the draft is sound and on disk, under another name",
    "backup-renamed": "the backup is in place, nobody was told",
    # another file becomes the library's
    "place-kept": "the old file has taken in its log and has a second name",
    "place-bare": "its log is gone, it still has its name",
    "place-new": "the new file has the name",
    # a restore
    "restore-copied": "the backup is copied into a draft, nothing of it is believed",
    "restore-ready": "the draft is judged, complete and on disk",
    "restore-placed": "the draft is the library, its attached files are still in it",
    "restore-unpacked": "the attached files are written, not in their places",
    "restore-moved": "something that was replaced lies in its new folder, what replaces it is not in place",
    "restore-finished": "all is in place, the attached files are out of the truth",
    # a repair
    "repair-built": "what can be saved is in a draft, nothing is checked",
    "repair-placed": "the draft is the library, the damaged file lies beside it",
    # files beside the truth
    "create": "a new library is complete under another name",
    "view-written": "a view is written under another name",
    "view-renamed": "a view is in place, older ones too",
}


def _armed(setting: str) -> tuple[str | None, int]:
    name, _, count = setting.partition(":")
    if name not in POINTS:
        return None, 0
    return name, int(count) if count.isdecimal() else 1


_point, _left = _armed(os.environ.get(VARIABLE, ""))


def reach(name: str) -> None:
    """End the process here, if this point is armed and was passed often enough. Else nothing."""
    if _point is not None:
        _count(name)


def _count(name: str) -> None:
    global _left  # noqa: PLW0603  one process ends once
    if name == _point:
        _left -= 1
        if _left == 0:
            os._exit(EXIT_CODE)
