"""Commands for a closer look: read, outline, grep, sources, verify."""

from __future__ import annotations

import os
import re
import sys
from contextlib import ExitStack
from typing import Annotated

import typer

from yinju.cli import options as o
from yinju.cli import render, session
from yinju.cli.links import Links
from yinju.cli.places import opened_for
from yinju.errors import UsageError
from yinju.messages import say
from yinju.retrieve.reading import matching_sources, split_page
from yinju.types import as_plain

EXIT_NO_EVIDENCE = 4
Source = Annotated[str, typer.Argument(metavar="SOURCE", show_default=False)]


def read(
    source: Annotated[str, typer.Argument(metavar="SOURCE[:FROM-TO|:p.PAGE]", show_default=False)],
    library: o.LibraryPath = None,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Print the text of a source, some of its lines, or a page of it, as citations name them."""
    paged, page = split_page(source)
    if page is not None and not os.path.exists(source):
        return _read_page(paged, page, library=library, as_json=as_json, quiet=quiet)
    name, lines = split_range(source)
    with opened_for(name, library=library, quiet=quiet or as_json) as found:
        opened, known = found
        if source in {summary.source for summary in opened.sources()}:  # a file may be called that
            known, lines = source, None
        excerpt = opened.read(known, lines)
        last = max(opened.read(known).numbers, default=0) if not excerpt.numbers else 0
    if as_json:
        render.emit_json(excerpt)
    elif sys.stdout.isatty():
        digits = len(str(excerpt.numbers[-1])) if excerpt.numbers else 1
        for number, line in zip(excerpt.numbers, excerpt.text.split("\n"), strict=False):
            print(f"{render.paint(f'{number:>{digits}}', 'dim')}  {render.safe(line)}")
    else:
        print(excerpt.text, end="" if lines is None or excerpt.text.endswith("\n") else "\n")
    if not excerpt.numbers and not as_json:
        text = say(
            "{source} has no such lines; its last is {last}.",
            "{source} 没有这些行；最后一行是 {last}。",
            source=known,
            last=last,
        )
        render.notice(text, quiet)
    return 0 if excerpt.numbers else EXIT_NO_EVIDENCE


def _read_page(source: str, page: int, *, library: str | None, as_json: bool, quiet: bool) -> int:
    """Print the text of one page (of slides: of one slide). Exit code 4 where there is no such page."""
    with opened_for(source, library=library, quiet=quiet or as_json) as (opened, name):
        document = opened.document(name)
    pages = [mark for mark in document.marks if mark.kind == "page"]
    text = "\n".join(mark.span.of(document.text).strip("\n") for mark in pages if mark.level == page)
    known = any(mark.level == page for mark in pages)
    if as_json:
        render.emit_json({"source": name, "title": document.title, "page": page, "text": text})
    elif text:
        print("\n".join(map(render.safe, text.split("\n"))) if sys.stdout.isatty() else text)
    if not known and not as_json:
        last = max((mark.level for mark in pages), default=0)
        notice = (
            say(
                "{source} has no page {page}; its last is {last}.",
                "{source} 没有第 {page} 页；最后一页是第 {last} 页。",
                source=name,
                page=page,
                last=last,
            )
            if pages
            else say("{source} has no pages.", "{source} 不分页。", source=name)
        )
        render.notice(notice, quiet)
    return 0 if known else EXIT_NO_EVIDENCE


def outline(source: Source, library: o.LibraryPath = None, as_json: o.Json = False, quiet: o.Quiet = False) -> int:
    """Print the headings of a source, the definitions of source code; without any its pages, tables or paragraphs."""
    with opened_for(source, library=library, quiet=quiet or as_json) as (opened, name):
        headings = opened.outline(name)
    if as_json:
        render.emit_json({"source": name, "headings": headings})
        return 0
    for heading in headings:
        where = f"{heading.line}" if heading.line is not None else f"p.{heading.page}" if heading.page else ""
        print(f"{render.pad(where, 6)}{'  ' * (heading.level - 1)}{render.one_line(heading.text)}")
    return 0


def grep(
    pattern: Annotated[str, typer.Argument(metavar="PATTERN", show_default=False)],
    library: o.LibraryPath = None,
    where: o.Where = None,
    regex: Annotated[bool, typer.Option("--regex", "-E", help="PATTERN is a regular expression (RE2).")] = False,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, metavar="N", help="Show at most N lines.")] = 100,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Find lines that contain PATTERN, whatever its case, width or script."""
    with session.opened(library=library, quiet=quiet or as_json, with_model=False) as opened:
        matches = opened.grep(pattern, where=o.filters(where), regex=regex, limit=limit + 1)
        searched = 0 if matches else len(matching_sources(opened.store, o.filters(where)))
        links = Links(opened)
    more, matches = len(matches) > limit, matches[:limit]
    if as_json:
        render.emit_json({"pattern": pattern, "matches": matches, "more": more})
    else:
        for match in matches:
            lines = None if match.line is None else (match.line, match.line)
            at = render.place(match.source, lines, match.page)
            room = max(20, render.columns() - render.width(at) - 2)
            print(f"{links.on(at, match.source, lines)}: {render.cut_around(match.text, match.at, room)}")
        if more:
            text = say(
                "There are more than {n} matches; --limit N shows more.", "匹配超过 {n} 处；用 --limit N 显示更多。", n=limit
            )  # fmt: skip
            render.notice(text, quiet)
        if not matches:
            render.notice(
                say("No match in {n} document{s}.", "{n} 个文档中没有匹配。", n=searched, s=render.plural(searched)),
                quiet,
            )
    return 0 if matches else EXIT_NO_EVIDENCE


def sources(library: o.LibraryPath = None, as_json: o.Json = False, quiet: o.Quiet = False) -> int:
    """List what the library holds."""
    with session.opened(library=library, quiet=quiet or as_json, with_model=False) as opened:
        found = opened.sources()
        lists = opened.store.access_lists() if as_json else {}
    if as_json:
        fields = (
            "source",
            "document",
            "title",
            "type",
            "language",
            "characters",
            "chunks",
            "embedded",
            "digest",
            "state",
            "warnings",
        )
        plain = [
            {
                **as_plain(record.receipt),
                **{name: getattr(record, name) for name in fields},
                **({"access": lists[record.source]} if record.source in lists else {}),
            }
            for record in found
        ]
        render.emit_json({"sources": plain})
        return 0
    for record in found:
        title = "" if not record.title else f"  {render.one_line(record.title)}"
        counts = say(
            "{n} character{many}, {c} passage{s}", "{n} 字，{c} 段",
            n=record.characters, many=render.plural(record.characters), c=record.chunks, s=render.plural(record.chunks),
        )  # fmt: skip
        state = "" if record.state == "indexed" else f"  ({record.state})"
        print(render.cut(f"{render.one_line(record.source)}{title}  {counts}{state}", render.columns()))
    return 0


def verify(
    text: Annotated[str, typer.Argument(metavar="TEXT", show_default=False)],
    source: Annotated[
        str | None, typer.Option("--source", "-s", metavar="SOURCE", help="Look in this source only.")
    ] = None,
    library: o.LibraryPath = None,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Tell whether a quotation is really there, and where."""
    with ExitStack() as stack:
        name: str | None = None
        if source is None:
            opened = stack.enter_context(session.opened(library=library, quiet=quiet or as_json, with_model=False))
        else:
            opened, name = stack.enter_context(opened_for(source, library=library, quiet=quiet or as_json))
        proof = opened.verify(text, name)
    if as_json:
        render.emit_json({
            "text": text, "status": proof.status, "source": proof.source or None, "lines": proof.lines, "page": proof.page,
            "span": proof.span, "quote": proof.quote,
        })  # fmt: skip
    elif proof.status == "verified":
        print(
            f"✓ {render.place(proof.source, proof.lines, proof.page)}  {render.breadcrumb(proof.headings)}\n  {render.one_line(proof.quote)}"
        )
    else:
        print(say("✗ not found in the documents", "✗ 文档里没有这句话"))
        if proof.quote:
            print(
                f"  {say('nearest', '最接近的')}: {render.place(proof.source, proof.lines, proof.page)}  {render.one_line(proof.quote)}"
            )
    return 0 if proof.status == "verified" else EXIT_NO_EVIDENCE


def split_range(source: str) -> tuple[str, tuple[int, int] | None]:
    """Return name and lines of `plans.md:3-8` or `plans.md:3`. Raises UsageError for a range that runs backwards."""
    found = re.fullmatch(r"(.+):(\d{1,9})(?:-(\d{1,9}))?", source, re.DOTALL)
    if found is None:
        return source, None
    first = int(found[2])
    last = int(found[3] or first)
    if last < first:
        raise UsageError(
            say("The range {a}-{b} runs backwards.", "行号范围 {a}-{b} 前后颠倒。", a=first, b=last),
            say("Write 3-8.", "请写成 3-8。"),
        )
    return found[1], (first, last)
