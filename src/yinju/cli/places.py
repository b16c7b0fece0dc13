"""From paths on disk to what a library holds: the filter that keeps to a path, the source that a file is, the library that it is in."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from yinju import assemble, settings
from yinju.cli import session
from yinju.errors import SourceMissing, UsageError
from yinju.load.archive import SEPARATOR, is_archive_name
from yinju.messages import say
from yinju.retrieve.filters import below, literal
from yinju.sync.scan import is_below

if TYPE_CHECKING:
    from yinju.library import Library
    from yinju.types import Where


@contextmanager
def opened_for(
    name: str,
    *,
    library: str | None = None,
    quiet: bool = False,
    with_model: bool = False,
    model: str | None = None,
    archives: bool = False,
) -> Iterator[tuple[Library, str]]:
    """Open the library that holds this source and yield both: `name` is a source, or a file on disk, wherever its library lies.

    The end of a source is enough where it is the only one that ends so. A folder on disk opens its library, too. `archives`: the name may be
    that of an archive some of whose files are in the library.

    Raises SourceMissing where there is no library, or where the file is in a synced folder and not in the library (it says why),
    UsageError for several sources.
    """
    path = _on_disk(name)
    with ExitStack() as stack:
        here: Library | None = None
        try:
            here = stack.enter_context(
                session.opened(library=library, quiet=quiet, with_model=with_model, model=model, answers=True)
            )
        except SourceMissing:
            if path is None:
                raise
        if here is not None:
            known = next((one for one in (name, *_sources(here, path)) if _holds(here, one, archives)), None)
            if known is not None or path is None or settings.load(library=library).library:
                yield here, known or _by_ending(here, name, path)
                return
        assert path is not None
        there = assemble.library_folder(path)
        if here is not None and (there is None or not (there / "library.db").exists()):
            yield here, _by_ending(here, name, path)
            return
        opened = session.opened(path, library=library, quiet=quiet, with_model=with_model, model=model, answers=True)
        elsewhere = stack.enter_context(opened)
        known = next((one for one in _sources(elsewhere, path) if _holds(elsewhere, one, archives)), None)
        yield elsewhere, known or _by_ending(elsewhere, name, path)


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


def members(library: Library, archive: str) -> list[str]:
    """Return the sources of the library that are files in this archive, also those that were skipped."""
    known = {summary.source for summary in library.sources()} | {item.source for item in library.store.skipped()}
    return sorted(source for source in known if source.startswith(archive + SEPARATOR))


def is_held(library: Library, path: Path) -> bool:
    """Return whether the library holds this file, or files of this archive, or keeps on record why it does not."""
    return any(_holds(library, one, archives=True) for one in _sources(library, path))


def is_in(library: Library, path: Path) -> Callable[[str], bool]:
    """Return the test whether a source lies in this folder, or is this file."""
    names = _sources(library, path)
    real = _real(path)
    if path.is_dir():
        for root, prefix in library.store.roots():
            if real == root or root.startswith(real.rstrip(os.sep) + os.sep):
                names.append(prefix)
            elif real.startswith(root.rstrip(os.sep) + os.sep):
                names.append(prefix + os.path.relpath(real, root).replace(os.sep, "/"))
    return lambda source: any(is_below(source, name) for name in names)


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


def _by_ending(library: Library, name: str, path: Path | None) -> str:
    """Return the one source that ends with this name; for a file on disk that was not read, or several such sources, raise why.

    A name that fits nothing is returned as it is: whoever asks for it says that it is not there.
    """
    if path is not None:
        why = _why_not_read(library, path)
        if why is not None:
            raise why
    ending = "/" + name.replace(os.sep, "/").lstrip("/")
    found = [summary.source for summary in library.sources() if summary.source.endswith(ending)]
    if len(found) > 1:
        names = ", ".join(found[:5]) + (" …" if len(found) > 5 else "")
        raise UsageError(
            say("{n} sources end with {name!r}: {names}", "有 {n} 个来源以 {name!r} 结尾：{names}", n=len(found), name=name, names=names),
            say("Name more of its path.", "请多写一段路径。"),
        )  # fmt: skip
    return found[0] if found else name


def _why_not_read(library: Library, path: Path) -> SourceMissing | None:
    """Return why a file in a synced folder is not in the library, or None where it lies in none."""
    from yinju.load import is_document_name, reads_pictures, type_by_name, without_ocr
    from yinju.sync.scan import is_hidden, is_visible

    real = _real(path)
    above = next((root for root, _ in library.store.roots() if real.startswith(root.rstrip(os.sep) + os.sep)), None)
    if above is None or path.is_dir():
        return None
    part = os.path.relpath(real, above).replace(os.sep, "/")
    values = {"name": part, "folder": above}
    if any(is_hidden(piece) for piece in part.split("/")):
        text = say(
            "{name} is in the folder but ignored: hidden files are not read.",
            "{name} 在文件夹中，但被忽略：不读取隐藏文件。",
            **values,
        )
        return SourceMissing(text, say("Rename it without the signs before its name.", "请去掉名称开头的符号。"), code="ignored")  # fmt: skip
    if not is_visible(above, part):
        text = say(
            "{name} is in the folder but ignored: .gitignore or .yinjuignore names it.",
            "{name} 在文件夹中，但被忽略：.gitignore 或 .yinjuignore 排除了它。",
            **values,
        )
        hint = say(
            "Write `!{name}` into .yinjuignore to have it read.", "在 .yinjuignore 中写 `!{name}` 即可读取。", **values
        )
        return SourceMissing(text, hint, code="ignored")
    if is_archive_name(part):
        within = members(library, next(iter(_sources(library, path)), part))
        text = say(
            "{name} is an archive: its files are read one by one, {n} of them are in the library.",
            "{name} 是压缩包：其中的文件逐个读取，库中有 {n} 个。",
            n=len(within),
            **values,
        )
        hint = (
            say(
                "`yinju status {name}` lists them; name one: {one}.",
                "`yinju status {name}` 可列出；请指明其中一个：{one}。",
                one=within[0],
                **values,
            )
            if within
            else say("Run `yinju sync {folder}`.", "请运行 `yinju sync {folder}`。", **values)
        )
        return SourceMissing(text, hint, code="archive")
    if type_by_name(part) == "image" and not reads_pictures():
        text = say(
            "{name} is a picture: it is read where OCR is there.",
            "{name} 是图片：有文字识别（OCR）才能读取。",
            **values,
        )
        return SourceMissing(text, without_ocr(), code="no-ocr")
    if not is_document_name(os.path.basename(part)):
        text = say(
            "{name} is in the folder but ignored: files of this type are no documents.",
            "{name} 在文件夹中，但被忽略：这类文件不是文档。",
            **values,
        )
        hint = say("Convert it to text, PDF or another type of document.", "请转换为文本、PDF 等文档类型。")
        return SourceMissing(text, hint, code="ignored")
    text = say("{name} is in the folder but was not read yet.", "{name} 在文件夹中，但还没有读取。", **values)
    return SourceMissing(
        text, say("Run `yinju sync {folder}`.", "请运行 `yinju sync {folder}`。", **values), code="not-read"
    )


def _holds(library: Library, source: str, archives: bool = False) -> bool:
    return (
        (archives and is_archive_name(source) and bool(members(library, source)))
        or any(summary.source == source for summary in library.sources())
        or any(skipped.source == source for skipped in (*library.store.skipped(), *library.store.ignored()))
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
