"""From paths on disk to what a library holds: the filter that keeps to a path, the source that a file is, the library that it is in."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from yinju import assemble, settings
from yinju.cli import session
from yinju.errors import SourceMissing
from yinju.retrieve.filters import below, literal

if TYPE_CHECKING:
    from yinju.library import Library
    from yinju.types import Where


@contextmanager
def opened_for(
    name: str, *, library: str | None = None, quiet: bool = False, with_model: bool = False
) -> Iterator[tuple[Library, str]]:
    """Open the library that holds this source and yield both: `name` is a source, or a file on disk, wherever its library lies.

    A folder on disk opens its library, too. Raises SourceMissing where there is no library.
    """
    path = _on_disk(name)
    with ExitStack() as stack:
        here: Library | None = None
        try:
            here = stack.enter_context(session.opened(library=library, quiet=quiet, with_model=with_model))
        except SourceMissing:
            if path is None:
                raise
        if here is not None:
            known = next((one for one in (name, *_sources(here, path)) if _holds(here, one)), None)
            if known is not None or path is None or settings.load(library=library).library:
                yield here, known or name
                return
        assert path is not None
        there = assemble.library_folder(path)
        if here is not None and (there is None or not (there / "library.db").exists()):
            yield here, name  # which says that it is not there
            return
        opened = session.opened(path, library=library, quiet=quiet, with_model=with_model)
        elsewhere = stack.enter_context(opened)
        yield elsewhere, next(iter(_sources(elsewhere, path)), name)


def inside(library: Library, path: Path | None) -> Where:
    """Return the filter that keeps to this folder or file; empty where that is all that the library's folders hold."""
    if path is None:
        return {}
    real = _real(path)
    roots = library.store.roots()
    for root, prefix in sorted(roots, key=lambda one: -len(one[0])):
        if real == root and os.path.isfile(root):
            return {"source": literal(prefix + os.path.basename(root))}
        if real == root:
            others = {name for other, name in roots if name != prefix and not other.startswith(root + os.sep)}
            apart = tuple(below(name) for name in sorted(others) if name.startswith(prefix))
            return {**({"source": below(prefix)} if prefix else {}), **({"source!": apart} if apart else {})}
        if real.startswith(root.rstrip(os.sep) + os.sep):
            source = prefix + os.path.relpath(real, root).replace(os.sep, "/")
            return {"source": below(source + "/") if os.path.isdir(real) else literal(source)}
    return {}


def _sources(library: Library, path: Path | None) -> list[str]:
    """Return the names that this file has in the library, by the longest root first."""
    if path is None or path.is_dir():
        return []
    real = _real(path)
    names = []
    for root, prefix in sorted(library.store.roots(), key=lambda one: -len(one[0])):
        if real == root:
            names.append(prefix + os.path.basename(root))
        elif real.startswith(root.rstrip(os.sep) + os.sep):
            names.append(prefix + os.path.relpath(real, root).replace(os.sep, "/"))
    return names


def _holds(library: Library, source: str) -> bool:
    return any(summary.source == source for summary in library.sources()) or any(
        skipped.source == source for skipped in library.store.skipped()
    )


def _on_disk(name: str) -> Path | None:
    """Return the path that this argument is, if there is one."""
    try:
        path = Path(name).expanduser()
        return path if path.exists() else None
    except (OSError, ValueError, RuntimeError):  # no name that a file could have
        return None


def _real(path: Path) -> str:
    real = os.path.abspath(path.expanduser())
    return os.path.realpath(real) if os.path.isdir(real) else _keeping_its_name(real)


def _keeping_its_name(file: str) -> str:
    """Return the real folder with the file's own name: a file that is a link is known by the name that was given."""
    return os.path.join(os.path.realpath(os.path.dirname(file)), os.path.basename(file))
