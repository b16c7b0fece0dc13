"""Commands that keep a library safe: backup and restore."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from yinju import assemble, settings
from yinju.cli import options as o
from yinju.cli import render, session
from yinju.messages import say


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
