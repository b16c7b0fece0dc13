"""One file's receipt for a person: an account that can be checked by adding it up, then what is odd and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from yinju.cli import render
from yinju.messages import say
from yinju.sync import remarks
from yinju.sync.health import Finding, grouped
from yinju.types import FileReport, Receipt, as_plain

if TYPE_CHECKING:
    from yinju.library import Library
    from yinju.store.records import SourceSummary

PAGE = 80  # columns, also in a pipe: a receipt is to be read
LABEL = 34
TOLD_APART = 5  # findings of one kind; more are counted
EXAMPLES = 3


def as_json(report: FileReport, about: SourceSummary | None) -> dict[str, Any]:
    """Return the shape of one file of `sync --json`, with what else is known of the document."""
    more = {} if about is None else {
        "title": about.title, "type": about.type, "language": about.language, "encoding": about.metadata.get("encoding"),
        "embedded": about.embedded,
    }  # fmt: skip
    told = [remarks.remark(warning)._asdict() for warning in report.receipt.warnings]
    return {**as_plain(report), **more, "remarks": told}


def archive_lines(archive: str, members: Sequence[FileReport]) -> Iterator[str]:
    """Yield what became of the files of an archive, one a line; `yinju status` of one of them tells more."""
    text = say("archive, {n} file{s}", "压缩包，{n} 个文件", n=len(members), s=render.plural(len(members)))
    yield from wrapped(f"{render.one_line(archive)}: {text}", "")
    for member in members:
        if member.outcome == "indexed":
            count = member.receipt.characters
            told = say("{n:,} character{s}", "{n:,} 字", n=count, s=render.plural(count))
        else:
            told = remarks.reason((member.reason or "").partition(": ")[0])
        yield from wrapped(f"{outcome_name(member.outcome)}: {render.one_line(member.source)} ({told})", "  ")


def outcome_name(outcome: str) -> str:
    """Return for people what became of a file."""
    outcomes = {
        "indexed": say("indexed", "已收录"),
        "skipped": say("skipped", "已跳过"),
        "kept": say("kept", "保留旧版"),
        "ignored": say("ignored", "已忽略"),
        "renamed": say("renamed", "改名"),
        "removed": say("removed", "删除"),
    }
    return outcomes.get(outcome, outcome)


def about(library: Library, source: str) -> SourceSummary | None:
    """Return the library's record of this source."""
    return next((summary for summary in library.sources() if summary.source == source), None)


def lines(report: FileReport, about: SourceSummary | None) -> Iterator[str]:
    """Yield the receipt, no line wider than a page."""
    yield from _head(report, about)
    receipt = report.receipt
    if not receipt.found and not receipt.characters:
        return
    yield ""
    yield from _account(receipt)
    yield ""
    yield from _facts(receipt, about)
    for warning in receipt.warnings:
        yield from _warning(warning)


def _head(report: FileReport, about: SourceSummary | None) -> Iterator[str]:
    yield from wrapped(f"{render.one_line(report.source)}: {outcome_name(report.outcome)}", "")
    if report.reason is not None:
        why, hint = remarks.skipped(report.reason, report.hint)
        yield from wrapped(f"{say('why', '原因')}: {render.one_line(why)}", "  ")
        if hint:
            yield from wrapped(f"→ {render.one_line(hint)}", "    ")
    if report.outcome == "kept":
        yield from wrapped(
            say("What was read of it before still answers.", "此前读入的内容仍可用于回答。"), "  "
        )  # fmt: skip
    if about is not None and about.title:
        yield from wrapped(render.one_line(about.title), "  ")


def _account(receipt: Receipt) -> Iterator[str]:
    """Found, less what was left out, plus what was added, is what was kept."""
    yield _sum(say("characters found in the file", "文件中的字符"), f"{receipt.found:,}")
    for piece in receipt.dropped:
        left_out = piece.characters >= 0
        word = say("left out", "略去") if left_out else say("added", "添加")
        sign = "−" if left_out else "+"
        yield _sum(f"  {word}: {render.one_line(remarks.dropped(piece.what))}", f"{sign}{abs(piece.characters):,}")
    yield _sum(say("kept as text", "保留为正文"), f"{receipt.characters:,}")
    covered = say("all", "全部") if receipt.covered == receipt.characters else say("NOT all", "有缺失")
    yield _sum(say("of these in passages", "其中已入段"), f"{receipt.covered:,}") + f"  {covered}"


def _sum(label: str, number: str) -> str:
    return f"  {render.pad(render.cut(label, LABEL), LABEL)} {number:>13}"


def _facts(receipt: Receipt, about: SourceSummary | None) -> Iterator[str]:
    for name, value in _named_facts(receipt, about):
        first, *rest = wrapped(value, "", PAGE - 14)
        yield f"  {render.pad(name, 11)} {first}"
        yield from (" " * 14 + line for line in rest)


def _named_facts(receipt: Receipt, about: SourceSummary | None) -> Iterator[tuple[str, str]]:
    if receipt.pages is not None:
        states = "; ".join(
            f"{remarks.page_state(state)} {pages}" for state, pages in receipt.page_states.items() if pages
        )
        yield say("pages", "页数"), f"{receipt.pages:,}" + (f": {states}" if states else "")
    if receipt.tables:
        without = receipt.tables_without_header
        text = say(
            "{n}, {without} without a header", "{n}，其中 {without} 个没有表头", n=receipt.tables, without=without
        )
        yield (
            say("tables", "表格"),
            text if without else say("{n}, all with a header", "{n}，都有表头", n=receipt.tables),
        )
    if receipt.images:
        yield say("pictures", "图片"), say("{n} passed over", "略过 {n} 张", n=receipt.images)
    if receipt.parser:
        yield say("read by", "读取"), receipt.parser
    if about is not None:
        languages = {"zh": say("Chinese", "中文"), "en": say("English", "英文"), "und": say("not told", "未能判断")}
        yield say("language", "语言"), languages.get(about.language, about.language)
        if encoding := about.metadata.get("encoding"):
            yield say("encoding", "编码"), render.one_line(str(encoding))
    vectors = "" if about is None else say(", {n} with vectors", "，{n} 个已有向量", n=about.embedded)
    yield say("passages", "段落"), f"{receipt.chunks:,}{vectors}"


def _warning(warning: str) -> Iterator[str]:
    told = remarks.remark(warning)
    yield ""
    yield from wrapped(f"! {told.meaning}" + (f": {render.one_line(told.detail)}" if told.detail else ""), "  ")
    if told.hint:
        yield from wrapped(f"→ {told.hint}", "    ")


def attention(findings: Sequence[Finding], *, show_all: bool) -> Iterator[str]:
    """Yield what needs attention, worst first; many of one kind as one with examples, unless all are to be shown."""
    for group in grouped(findings, len(findings) if show_all else TOLD_APART):
        first, count = group.first, len(group.findings)
        level = levels().get(first.level, first.level)
        if count == 1:
            yield f"{level}: {render.one_line(first.subject)}: {render.safe(first.message)}"
        else:
            yield f"{level}: {say('{n} files', '{n} 个文件', n=count)}: {render.safe(first.group or first.message)}"
            yield from (f"      {_example(finding, first.group)}" for finding in group.findings[:EXAMPLES])
            yield f"      … {say('`yinju doctor --all` lists them.', '`yinju doctor --all` 可全部列出。')}"
        for line in first.details if count == 1 else ():
            yield f"      {render.safe(line)}"
        if first.hint:
            yield f"    → {render.safe(first.hint)}"


def levels() -> dict[str, str]:
    """Return the names of the levels for people."""
    return {
        "damage": say("damage", "损坏"), "skipped": say("skipped", "跳过"), "kept": say("kept", "保留旧版"),
        "warning": say("warning", "注意"), "notice": say("notice", "提示"),
    }  # fmt: skip


def _example(finding: Finding, group: str) -> str:
    """Return a finding of a group in one line, without what the group says of all."""
    said = render.one_line(finding.message).removeprefix(group).lstrip(": ")
    name = render.one_line(finding.subject)
    return render.cut(f"{name}: {said}" if said else name, 200)


def wrapped(text: str, indent: str, columns: int = PAGE) -> Iterable[str]:
    """Return the text in lines of at most so many columns, broken at blanks or, as Chinese is, anywhere; wide characters count two."""
    room, line = columns - len(indent), ""
    out = []
    for word in _words(text):
        if line.strip() and render.width(line) + render.width(word.rstrip()) > room:
            out.append(indent + line.rstrip())
            line = word.lstrip()
        else:
            line += word
        while render.width(line.rstrip()) > room:  # a word without a blank, longer than a line
            head = render.cut(line, room + 1).removesuffix("…")
            out.append(indent + head)
            line = line[len(head) :]
    return [*out, indent + line.rstrip()] if line.strip() or not out else out


def _words(text: str) -> Iterator[str]:
    """Yield pieces after each of which a line may end: words with their blank, wide characters one by one, closing signs with what they close."""
    piece = ""
    for character in text:
        wide = render.width(character) == 2
        closing = character in "，。；：！？、）】》」』”’"
        if piece and wide and not closing:
            yield piece
            piece = ""
        piece += character
        if character == " ":
            yield piece
            piece = ""
    if piece:
        yield piece
