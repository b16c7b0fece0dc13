"""Commands that keep a library safe: backup and restore, and what `doctor --repair` does and says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from yinju import assemble, settings
from yinju.cli import options as o
from yinju.cli import render, session
from yinju.errors import SourceMissing
from yinju.messages import say

if TYPE_CHECKING:
    from yinju.sync.repair import Repaired


def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", show_default=False)],
    path: Annotated[Path | None, typer.Argument(metavar="[PATH]", show_default=False)] = None,
    library: o.LibraryPath = None,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE if it is there.")] = False,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Write the library (of PATH) to one file, checked and on disk. A sync may go on meanwhile."""
    with session.opened(path, library=library, quiet=quiet or as_json, with_model=False) as opened:
        made = opened.backup(file, replace=force)
    if as_json:
        render.emit_json({**asdict(made), "path": str(made.path)})
        return 0
    for name in made.left_out:
        render.notice(
            say("Not in the backup (a link or an odd name): {name}", "未纳入备份（链接或特殊名称）：{name}", name=name),
            quiet,
        )
    print(
        say(
            "Backup: {file}, {n} document{s}, {size:.1f} MB, checked.",
            "备份：{file}，{n} 个文档，{size:.1f} MB，已检查。",
            file=render.one_line(str(made.path)),
            n=made.documents,
            s=render.plural(made.documents),
            size=made.size_bytes / 1e6,
        )
    )
    return 0


def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", show_default=False)],
    path: Annotated[Path | None, typer.Argument(metavar="[PATH]", show_default=False)] = None,
    library: o.LibraryPath = None,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Make the library (of PATH) what it was when FILE was made. FILE is judged first; the library that is there is kept beside."""
    from yinju.library import Library

    general = settings.load(library=library)
    o.speak(general.lang)
    folder = assemble.library_folder(path, given=general.library) or assemble.library_folder(Path.cwd())
    assert folder is not None
    made = Library.restore(file, folder)
    if as_json:
        kept = None if made.kept is None else str(made.kept)
        render.emit_json({**asdict(made), "folder": str(made.folder), "kept": kept})
        return 0
    print(
        say(
            "Restored: {n} document{s} in {folder}.",
            "已恢复：{folder} 中有 {n} 个文档。",
            n=made.documents,
            s=render.plural(made.documents),
            folder=render.one_line(str(made.folder)),
        )
    )
    if made.kept is not None:
        text = say(
            "What was there is kept in {kept}; remove it when you need it no more.",
            "原有内容保存在 {kept}；不再需要时可以删除。",
            kept=made.kept,
        )
        render.notice(text, quiet)
    return 0


def mend(path: Path | None, library: str | None) -> Repaired:
    """Repair the library of this path. Raises SourceMissing where there is none, StoreBusy, StoreError."""
    from yinju.library import Library

    general = settings.load(library=library)
    o.speak(general.lang)
    folder = assemble.library_folder(path, given=general.library)
    if folder is None or not folder.is_dir():
        raise SourceMissing(
            say("There is no library here yet.", "这里还没有库。"),
            say("`yinju sync FOLDER` makes one.", "用 `yinju sync 文件夹` 建库。"),
            code="no-library",
        )
    return Library.repair(folder, presets=settings.load(folder).presets)


def mended_json(mended: Repaired) -> dict[str, object]:
    """Return the shape of what was repaired."""
    return {**asdict(mended), "kept": None if mended.kept is None else str(mended.kept)}


def mended_lines(mended: Repaired) -> Iterator[str]:
    """Yield what was wrong and what came of it, for people."""
    for problem in mended.problems:
        yield render.one_line(problem)
    if nothing_saved(mended):
        yield from _nothing_lines(mended)
        return
    yield say(
        "Repaired: {n} document{s}.", "已修复：{n} 个文档。", n=mended.documents, s=render.plural(mended.documents)
    )
    if mended.from_backup:
        yield say("From a backup: {n}.", "取自备份：{n}。", n=len(mended.from_backup))
        if not mended.names_complete:
            yield say(
                "Documents that you removed or purged since that backup are among them: remove or purge them again.",
                "其中包括备份之后被移除或清除的文档：请再次移除或清除。",
            )
    if mended.unproven:
        yield say(
            "Read from damaged pages, right by the hashes of their texts: {names}.",
            "读自损坏的页，文本哈希正确：{names}。",
            names=render.one_line(", ".join(mended.unproven)),
        )
    if mended.kept is not None:
        yield say("The damaged file is kept: {kept}", "损坏的文件保存在 {kept}", kept=render.one_line(str(mended.kept)))
    if mended.lists_lost:
        yield say(
            "Access lists could not be read, if there were any. Documents that no backup knows are closed: the owner alone sees them. "
            "Give them their lists again, or open them with `yinju access SOURCE --open`.",
            "无法读取访问名单（若曾设置）。备份中没有的文档已关闭，只有所有者可见：请重新设置名单，或用 `yinju access 来源 --open` 开放。",
        )
    if mended.lost:
        yield say(
            "Not in the library any more: {names}", "库中已没有：{names}", names=render.one_line(", ".join(mended.lost))
        )
    if mended.lost or not mended.names_complete or mended.cut_anew:
        yield say("`yinju sync FOLDER` reads the rest again.", "`yinju sync 文件夹` 会重新读入其余部分。")


def nothing_saved(mended: Repaired) -> bool:
    """Return whether the library was damaged and holds no document now."""
    return bool(mended.problems) and not mended.documents


def _nothing_lines(mended: Repaired) -> Iterator[str]:
    yield say(
        "Nothing of it could be saved: the library is empty now. Your documents are untouched; `yinju sync FOLDER` reads them again.",
        "没有内容可以挽回：资料库现在是空的。您的文档不受影响；请运行 `yinju sync 文件夹` 重新读入。",
    )
    if mended.lost:
        yield say(
            "Not in the library any more: {names}", "库中已没有：{names}", names=render.one_line(", ".join(mended.lost))
        )
    if mended.kept is not None:
        yield say("The damaged file is kept: {kept}", "损坏的文件保存在 {kept}", kept=render.one_line(str(mended.kept)))
    if mended.lists_lost and mended.names_complete:
        yield say(
            "Access lists could not be read, if there were any: what is read again stays closed to all but the owner until you open it "
            "with `yinju access SOURCE --open`.",
            "无法读取访问名单（若曾设置）：重新读入的文档只有所有者可见，可用 `yinju access 来源 --open` 开放。",
        )
    elif mended.lists_lost:
        yield say(
            "Lists that you gave with `yinju access` could not be read, if there were any: documents that are read again are open to all who may "
            "ask, but for lists in the documents and in .yinjuaccess. Restrict anew what you had restricted.",
            "无法读取用 `yinju access` 设置的名单（若曾设置）：重新读入的文档对所有可提问者开放，文档内和 .yinjuaccess 中的名单仍然有效。"
            "请重新设置原有限制。",
        )
