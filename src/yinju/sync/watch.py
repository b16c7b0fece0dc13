"""Tell when something in the roots has changed. What changed is the next sync's business: it compares, it does not trust events."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Event

from yinju.sync import access
from yinju.sync.ignore import NAMES
from yinju.sync.scan import is_hidden

QUIET_MS = 1_000  # a copy or checkout is over when nothing came for so long, or after MAXIMUM_WAIT_MS
MAXIMUM_WAIT_MS = 10_000


def watch(
    roots: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    on_change: Callable[[], object],
    stop: Event | Callable[[], bool],
    *,
    on_ready: Callable[[], object] = lambda: None,
    force_polling: bool | None = None,
) -> None:
    """Call `on_change` after each burst of changes below the roots (folders or files), until `stop` is set (or returns true).

    `on_ready` is called once when changes are noticed from now on: what changed before, since somebody last looked, is to be looked for
    there, or it would go unnoticed until the next change.
    Hidden files and folders are no change, the ignore files and access rules among them are. Where the system cannot tell of changes (network drives)
    the folders are polled. `on_change` runs in this thread; what happens meanwhile leads to another call.
    """
    from watchfiles import watch as changes

    named = [os.path.realpath(os.fspath(root)) for root in _as_list(roots)]
    files = {root for root in named if not os.path.isdir(root)}
    folders = {root for root in named if root not in files}
    watched = folders | {os.path.dirname(file) for file in files}

    def matters(_change: object, path: str) -> bool:
        return path in files or any(_is_visible_in(folder, path) for folder in folders)

    ready = False
    for changed in changes(
        *sorted(watched),
        watch_filter=matters,
        debounce=MAXIMUM_WAIT_MS,
        step=QUIET_MS,
        stop_event=stop if isinstance(stop, Event) else _Asked(stop),
        raise_interrupt=True,
        force_polling=force_polling,
        recursive=bool(folders),
        ignore_permission_denied=True,
        rust_timeout=500,
        yield_on_timeout=True,
    ):
        if not ready:
            ready = True
            on_ready()
        if changed:
            on_change()


@dataclass(frozen=True, slots=True)
class _Asked:
    """A function as the event that the watcher looks at."""

    stop: Callable[[], bool]

    def is_set(self) -> bool:
        return self.stop()


def _as_list(
    roots: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
) -> list[str | os.PathLike[str]]:
    return [roots] if isinstance(roots, (str, os.PathLike)) else list(roots)


def _is_visible_in(folder: str, path: str) -> bool:
    relative = os.path.relpath(path, folder)
    *above, name = relative.split(os.sep)
    if relative.startswith(os.pardir) or any(is_hidden(part) for part in above):
        return False
    return name in NAMES or name == access.NAME or not is_hidden(name)
