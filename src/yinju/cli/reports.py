"""What a sync did, for people: counts, the files that could not be read, and what is odd about others, once for each kind.

A folder of scans must not bury the one file that is damaged: what many files share is one line with their number, in the words of
`sync.remarks`; what nobody has to see to is a notice, not a warning.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from yinju.cli import render
from yinju.messages import say
from yinju.sync import remarks
from yinju.types import FileReport, SyncReport

NAMED = 3  # files of one kind; more are counted
LONGEST_DETAIL = 60

Told = Collection[tuple[str, str]]  # source and reason of what people know


def summary(report: SyncReport, told: Told = ()) -> str:
    """Return one line of counts, then each file that needs attention, then what is odd about others.

    Of the skips that people were `told` of before there is only the number.
    """
    return "\n".join([_counts(report), *unread(report.files, told), *odd(report.files)])


def unread(files: Sequence[FileReport], told: Told = ()) -> list[str]:
    """Return the lines about files that could not be read; those that people were `told` of are counted."""
    out, before = [], 0
    for file in files:
        if file.outcome not in {"skipped", "kept"}:
            continue
        if (file.source, file.reason) in told:
            before += 1
            continue
        text, hint = remarks.skipped(file.reason or "", file.hint)
        outcome = say("skipped", "跳过") if file.outcome == "skipped" else say("kept", "保留旧版")
        out.append(f"  {outcome}: {render.one_line(file.source)}: {render.safe(text)}")
        out += [f"      → {render.safe(hint)}"] if hint else []
    if before:
        text = say(
            "{n} file{s} skipped as before; see `yinju doctor`.", "{n} 个文件仍被跳过，详见 `yinju doctor`。", n=before, s=render.plural(before)
        )  # fmt: skip
        out.append(f"  {text}")
    return out


def odd(files: Sequence[FileReport]) -> list[str]:
    """Return what is odd about files that were read, one line for each kind, what asks for a hand first."""
    kinds: dict[str, list[tuple[str, remarks.Remark]]] = {}
    for file in files:
        for warning in file.receipt.warnings:
            remark = remarks.remark(warning)
            kinds.setdefault(remark.meaning, []).append((file.source, remark))
    groups = sorted(kinds.values(), key=lambda group: group[0][1].hint is None)
    return [line for group in groups for line in _group(group)]


def _group(group: Sequence[tuple[str, remarks.Remark]]) -> Iterator[str]:
    source, first = group[0]
    level = say("warning", "注意") if first.hint else say("notice", "提示")
    sources = list(dict.fromkeys(name for name, _remark in group))
    if len(group) == 1:
        detail = f": {render.one_line(first.detail)}" if first.detail else ""
        yield f"  {level}: {render.one_line(source)}: {first.meaning}{detail}"
    else:
        many = say("{n} file{s}", "{n} 个文件", n=len(sources), s=render.plural(len(sources)))
        named = ", ".join(_named(name, remark) for name, remark in group[:NAMED])
        yield f"  {level}: {many}: {first.meaning}"
        yield f"      {named}{' …' if len(group) > NAMED else ''}"
    if first.hint:
        yield f"      → {first.hint}"


def _named(source: str, remark: remarks.Remark) -> str:
    detail = render.cut(render.one_line(remark.detail), LONGEST_DETAIL)
    return render.one_line(source) + (f" ({detail})" if detail else "")


def _counts(report: SyncReport) -> str:
    counts = [
        (report.added, say("added", "新增")), (report.updated, say("updated", "更新")), (report.renamed, say("renamed", "改名")),
        (report.removed, say("removed", "删除")), (report.unchanged, say("unchanged", "未变")), (report.skipped, say("skipped", "跳过")),
        (report.kept, say("kept", "保留旧版")),
    ]  # fmt: skip
    parts = [say("{n} {what}", "{what} {n}", n=f"{count:,}", what=word) for count, word in counts if count]
    line = say(", ", "，").join(parts or [say("nothing to do", "无事可做")])
    if report.chunks or report.embedded:
        line += say(
            "; {c:,} passage{s}, {e:,} embedded", "；{c:,} 个段落，{e:,} 个已嵌入", c=report.chunks, s=render.plural(report.chunks), e=report.embedded
        )  # fmt: skip
    return line + say(" ({s:.1f} s)", "（{s:.1f} 秒）", s=report.took_s)
