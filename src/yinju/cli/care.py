"""Commands for the care of a library: sync, status, doctor."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from yinju.cli import options as o
from yinju.cli import places, receipts, render, reports, safety, session
from yinju.cli.fresh import announce, skips
from yinju.errors import SourceMissing, UsageError, YinjuError
from yinju.messages import say
from yinju.types import SyncReport, as_plain

if TYPE_CHECKING:
    from yinju.library import Library

EXIT_SOME_SKIPPED = 3
EXIT_DAMAGED = 74


def sync(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", show_default=False)],
    library: o.LibraryPath = None,
    plan: Annotated[bool, typer.Option("--plan", help="Show what would be done, and stop.")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Go on as files change.")] = False,
    embed: Annotated[bool, typer.Option("--embed/--no-embed", help="Compute vectors, or index words only.")] = True,
    check: Annotated[bool, typer.Option("--check", help="Read every file, whatever its date says.")] = False,
    release: Annotated[bool, typer.Option("--release", help="Take what `undo` holds back.")] = False,
    allow_mass_delete: Annotated[
        bool, typer.Option("--allow-mass-delete", help="Remove more than a third if need be.")
    ] = False,
    each: Annotated[bool, typer.Option("--each", help="JSON on stderr for each file once it is on disk.")] = False,
    ocr: o.Ocr = True,
    model: o.Model = None,
    yes: o.Yes = False,
    fast: o.Fast = False,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Index new, changed, renamed and deleted files."""
    if not fast and not plan:
        _step_back()
    with session.opened(
        paths[0],
        library=library,
        model=model,
        quiet=quiet or as_json,
        fast=fast,
        create=True,
        with_model=embed and not plan,
        dry=plan,
        ocr=ocr,
    ) as opened:
        if not plan:
            announce(opened, paths, embed=embed, quiet=quiet or as_json)

        def once(*, also_idle: bool = True) -> SyncReport:
            told = frozenset() if plan else skips(opened)
            try:
                with session.sync_progress(quiet or as_json) as show:
                    report = opened.sync(
                        paths, embed=embed, plan=plan, check=check, release=release, allow_mass_delete=allow_mass_delete, progress=show,
                        on_file=render.json_line if each else None,
                    )  # fmt: skip
            except KeyboardInterrupt:
                _say_how_far(opened, told, quiet=quiet or as_json)
                raise
            if also_idle or report.added or report.updated or report.renamed or report.removed or report.embedded:
                print_report(report, told, as_json=as_json, quiet=quiet)
            sys.stdout.flush()  # whoever watches through a pipe reads each report when it is made
            return report

        report = once()
        if watch and not plan:

            def ready() -> None:
                once(also_idle=False)  # what changed between the first sync and now
                render.notice(say("Watching; Ctrl-C stops.", "正在监视文件变化；按 Ctrl-C 停止。"), quiet)

            opened.watch(paths, once, on_ready=ready)
    return EXIT_SOME_SKIPPED if report.skipped or report.kept else 0


def status(
    words: Annotated[list[str] | None, typer.Argument(metavar="[PATH] [FILE]", show_default=False)] = None,
    library: o.LibraryPath = None,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Show what the library (of PATH) holds, or the receipt of one file."""
    source, library = _file_of(words or [], library)
    if source is not None and not Path(source).is_dir():
        with places.opened_for(source, library=library, quiet=quiet or as_json, archives=True) as (opened, name):
            return _receipt(opened, name, as_json)
    with session.opened(None if source is None else Path(source), library=library, quiet=quiet or as_json) as opened:
        found = opened.status()
    if as_json:
        render.emit_json(found)
        return 0
    names = {
        "library": say("library", "库"), "documents": say("documents", "文档"), "chunks": say("passages", "段落"),
        "embedded": say("with vectors", "已有向量"), "skipped": say("skipped files", "跳过的文件"), "generation": say("generation", "世代"),
        "embedder": say("embedding model", "嵌入模型"), "chat_model": say("answers by", "回答方式"),
        "size_bytes": say("size", "大小"), "roots": say("folders", "文件夹"),
    }  # fmt: skip
    for key, value in found.items():
        shown = ", ".join(value) if isinstance(value, list) else "–" if value is None else str(value)
        if isinstance(value, int):
            shown = f"{value / 1e6:,.1f} MB" if key == "size_bytes" else f"{value:,}"
        print(f"{render.pad(names[key], 18)} {render.one_line(shown)}")
    return 0


def doctor(
    path: Annotated[Path | None, typer.Argument(metavar="[PATH]", show_default=False)] = None,
    library: o.LibraryPath = None,
    show_all: Annotated[bool, typer.Option("--all", help="List each file, however many there are.")] = False,
    repair: Annotated[bool, typer.Option("--repair", help="Mend the library first, if it is damaged.")] = False,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Check library and documents, and list what needs attention, in PATH only where it is named."""
    if path is not None and not path.expanduser().exists():
        raise SourceMissing(
            say("There is no folder or file {path}.", "没有文件夹或文件 {path}。", path=path),
            say("Check the path.", "请检查路径。"),
        )
    mended = safety.mend(path, library) if repair else None
    with session.opened(path, library=library, quiet=quiet or as_json) as opened:
        findings = opened.doctor()
        if path is not None:
            is_in = places.is_in(opened, path)
            findings = [one for one in findings if not one.sources or any(map(is_in, one.sources))]
    if as_json:
        render.emit_json({"findings": findings} | ({} if mended is None else {"repaired": safety.mended_json(mended)}))
    elif mended is not None and mended.problems:
        print("\n".join(safety.mended_lines(mended)))
    elif not findings:
        print(say("All in order.", "一切正常。"))
    for line in [] if as_json else receipts.attention(findings, show_all=show_all):
        print(line)
    if any(finding.level == "damage" for finding in findings):
        return EXIT_DAMAGED
    is_empty = mended is not None and safety.nothing_saved(mended)
    return EXIT_SOME_SKIPPED if is_empty or any(finding.level == "skipped" for finding in findings) else 0


def report_json(report: SyncReport) -> dict[str, object]:
    """Return the shape of `sync --json`."""
    plain: dict[str, object] = as_plain(report)
    return plain


def print_report(report: SyncReport, told: Collection[tuple[str, str]] = (), *, as_json: bool, quiet: bool) -> None:
    """Show what a sync did, or would do."""
    if as_json:
        render.emit_json(report_json(report))
        return
    if quiet and not report.planned:
        return
    if report.planned:
        print(say("Would do:", "将会："))
        for file in report.files:
            if file.outcome in {"skipped", "kept"}:  # the summary lists them
                continue
            print(
                f"  {receipts.outcome_name(file.outcome)}: {render.one_line(file.source)}"
                + (f" ({render.safe(file.reason)})" if file.reason else "")
            )
    print(reports.summary(report, told))
    for text in report.notices:
        render.notice(text, quiet)


def _say_how_far(library: Library, told: Collection[tuple[str, str]], *, quiet: bool) -> None:
    """Tell what the library holds after an interruption, if it can be told at once, and what could not be read: no sync tells it again."""
    with contextlib.suppress(YinjuError):
        found = library.status()
        text = say(
            "So far: documents {documents}, passages {chunks}, of them with vectors {embedded}. The next sync goes on there.",
            "目前：文档 {documents}，段落 {chunks}，其中已有向量 {embedded}。下次同步会从这里继续。",
            **found,
        )
        render.notice(text, quiet)
        new = len(skips(library) - frozenset(told))
        if new:
            text = say(
                "{n} file{s} could not be read: `yinju doctor` lists them.",
                "有 {n} 个文件未能读取：`yinju doctor` 可列出。",
                n=new,
                s=render.plural(new),
            )
            render.notice(text, quiet)


def _file_of(words: list[str], library: str | None) -> tuple[str | None, str | None]:
    """Return the file that `[PATH] [FILE]` names (None: none), and the library to look in. Raises UsageError."""
    if len(words) < 2:
        return (words[0] if words else None), library
    folder, name = Path(words[0]).expanduser(), words[1]
    if len(words) > 2 or not folder.is_dir():
        raise UsageError(
            say("{path} is no folder.", "{path} 不是文件夹。", path=words[0])
            if len(words) == 2
            else say("Name one file at a time.", "一次只能查看一个文件。"),
            say("Write `yinju status FOLDER FILE`.", "请写 `yinju status 文件夹 文件`。"),
        )
    return (str(folder / name), library) if (folder / name).exists() else (name, library or str(folder))


def _archive(library: Library, archive: str, members: list[str], as_json: bool) -> int:
    """Show what became of the files in an archive that is read, which has no receipt of its own."""
    reports = [library.receipt(member) for member in members]
    if as_json:
        plain = [receipts.as_json(report, receipts.about(library, report.source)) for report in reports]
        render.emit_json({"source": archive, "outcome": "archive", "members": plain})
        return 0
    for line in receipts.archive_lines(archive, reports):
        print(line)
    return 0


def _receipt(library: Library, source: str, as_json: bool) -> int:
    members = places.members(library, source)
    if members and not any(item.source == source for item in library.store.skipped()):
        return _archive(library, source, members, as_json)
    report, about = library.receipt(source), receipts.about(library, source)
    if as_json:
        render.emit_json(receipts.as_json(report, about))
        return 0
    for line in receipts.lines(report, about):
        print(line)
    return 0


def _step_back() -> None:
    """Let other programs go first: indexing is in no hurry (where the system knows such a thing)."""
    if hasattr(os, "nice"):
        os.nice(5)
