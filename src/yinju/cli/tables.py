"""Figures as tables that fit a terminal of 80 columns, in both languages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from yinju.cli import render
from yinju.messages import say

if TYPE_CHECKING:
    from yinju.evaluate import Diagnosis, Report
    from yinju.evaluate.compare import Comparing
    from yinju.evaluate.diagnose import State

MOST = 100  # columns that a table takes, however wide the terminal is
SIGNS: dict[State, str] = {"ok": "✓", "weak": "!", "lost": "✗", "unknown": "–"}
STYLES: dict[State, str] = {"ok": "verified", "weak": "moved", "lost": "unsupported", "unknown": "dim"}


def report(found: Report, failures: int) -> list[str]:
    """Return the lines of a run: what was asked, figures, times, kinds, the worst failures."""
    from yinju.evaluate.report import SHOWN, meaning, range_of

    head = say(
        "{n} questions: {a} answerable, {u} unanswerable; mode {mode}", "{n} 道题：{a} 道有答案，{u} 道没有答案；检索方式 {mode}",
        n=found.questions, a=found.answerable, u=found.unanswerable, mode=found.mode,
    )  # fmt: skip
    rows = [
        (one.name, f"{one.value:.3f}", range_of(one), str(one.n), meaning(one.name))
        for one in found.measures
        if one.name in SHOWN
    ]
    out = [head]
    if found.made:
        text = say(
            "{n} of them were made from the documents and echo their words: real questions are harder.",
            "其中 {n} 道由文档生成，与原文用词相近：真实的问题更难。", n=found.made,
        )  # fmt: skip
        out += wrapped(text, "")
    titles = (
        say("measure", "指标"),
        say("value", "数值"),
        say("95 % interval", "95 % 区间"),
        say("n", "题数"),
        say("meaning", "含义"),
    )
    out += ["", *table(titles, rows, right=(1, 3)), ""]
    out.append(
        say("search p50 {a} ms, p95 {b} ms", "检索 p50 {a} 毫秒，p95 {b} 毫秒", a=found.search_ms[0], b=found.search_ms[1])
        + (
            say("; answer p50 {a} ms, p95 {b} ms", "；回答 p50 {a} 毫秒，p95 {b} 毫秒", a=found.answer_ms[0], b=found.answer_ms[1])
            if found.answer_ms
            else ""
        )
    )  # fmt: skip
    if found.models:
        by = ", ".join(f"{render.one_line(name)} {n}" for name, n in found.models)
        out.append(say("answered by: {names}", "作答：{names}", names=by))
    out += _judged(found)
    for text, n in found.notices[:5]:
        out += wrapped(say("{n} questions: {text}", "{n} 道题：{text}", n=n, text=render.one_line(text)), "")
    if found.kinds:
        kinds = [
            (render.one_line(kind) or "–", str(n), "–" if hit is None else f"{hit:.3f}", f"{right:.3f}")
            for kind, n, hit, right in found.kinds
        ]
        out += ["", *table((say("kind", "类别"), say("n", "题数"), "hit@5", "refusal"), kinds, right=(1, 2, 3))]
    return [*out, *_failures(found, failures)]


def _judged(found: Report) -> list[str]:
    """Return what the judge did: answers, failed scores and why, and where it agrees with what was measured without a model."""
    if found.judged is None:
        return []
    judged = found.judged
    head = say(
        "judged by {model}: {n} answers, {scores} scores, {failed} failed", "评审：{model}，{n} 个回答，{scores} 个分数，{failed} 个失败",
        model=render.one_line(judged.model), n=judged.answers, scores=judged.scores, failed=judged.failed,
    )  # fmt: skip
    out = wrapped(head, "")
    for why, n in judged.reasons[:3]:
        out += wrapped(
            say("{n} scores failed: {why}", "{n} 个分数失败：{why}", n=n, why=render.one_line(why)), "  ", "  "
        )
    for one in judged.agreement:
        rank = "–" if one.correlation is None else f"{one.correlation:+.2f}"
        text = say(
            "{judge} and {measure}: agree on {agree} of {n}, rank correlation {rank}",
            "{judge} 与 {measure}：{n} 个中有 {agree} 个一致，秩相关 {rank}",
            judge=one.criterion, measure=one.measure, agree=one.agree, n=one.n, rank=rank,
        )  # fmt: skip
        apart = (
            say("; apart on {ids}", "；分歧：{ids}", ids=", ".join(map(render.one_line, one.apart)))
            if one.apart
            else ""
        )
        out += wrapped(text + apart, "  ", "  ")
    return out


def _failures(found: Report, most: int) -> list[str]:
    if not found.failures or not most:
        return []
    shown = found.failures[:most]
    by_step: dict[str, int] = {}
    for one in found.failures:
        by_step[one.lost or "?"] = by_step.get(one.lost or "?", 0) + 1
    counts = say(", ", "、").join(
        f"{step_name(step)} {n}" for step, n in sorted(by_step.items(), key=lambda item: -item[1])
    )
    out = [
        "",
        say("{n} failed, lost at: {steps}", "{n} 道题失败，失败在：{steps}", n=len(found.failures), steps=counts),
    ]
    for one in shown:
        out.append(render.cut(f"  {render.one_line(one.question)}", columns()))
        why = say("{step}: {why}", "{step}：{why}", step=step_name(one.lost or "?"), why=render.one_line(one.why))
        out += wrapped(why, "     ", "   ✗ ")
    if len(found.failures) > most:
        out.append(
            say(
                "  … {n} more (--failures N shows them)",
                "  … 另有 {n} 道（--failures N 可显示）",
                n=len(found.failures) - most,
            )
        )
    return out


def comparison(found: Comparing, changed: int) -> list[str]:
    """Return the lines of a comparison: figures of both runs, then the questions that changed, worse ones first."""
    from yinju.evaluate.report import SHOWN

    out = [say("{n} questions in both runs", "两次运行共有的题目：{n}", n=found.questions)]
    if found.only_before or found.only_after:
        text = say(
            "left out: {a} only in the first, {b} only in the second", "不计：仅第一次有 {a} 道，仅第二次有 {b} 道",
            a=found.only_before, b=found.only_after,
        )  # fmt: skip
        out.append(text)
    rows = []
    for one in found.differences:
        if one.name in SHOWN:
            interval = one.comparison.difference
            rows.append((
                one.name, f"{one.before:.3f}", f"{one.after:.3f}", f"{interval.mean:+.3f}",
                f"{interval.low:+.3f} … {interval.high:+.3f}" if one.comparison.has_interval else "",
                f"{one.comparison.p:.3f}", f"{one.better}/{one.worse}/{one.comparison.same}",
            ))  # fmt: skip
    titles = (
        say("measure", "指标"), "A", "B", "B − A", say("95 % interval", "95 % 区间"), "p", say("better/worse/same", "更好/更差/相同")
    )  # fmt: skip
    out += ["", *table(titles, rows, right=(1, 2, 3, 5))]
    if found.changes:
        up = sum(change.better for change in found.changes)
        out += ["", say("{n} questions changed: {up} better, {down} worse", "{n} 道题有变化：{up} 道更好，{down} 道更差",
                        n=len(found.changes), up=up, down=len(found.changes) - up)]  # fmt: skip
    for change in found.changes[:changed]:
        sign = "+" if change.better else "−"
        outcomes = [_outcome(change.ranks[at], change.refused[at], change.correct[at]) for at in (0, 1)]
        tail = f"  {outcomes[0]} → {outcomes[1]}"
        out.append(render.cut(f"{sign} {render.one_line(change.question)}", columns() - render.width(tail)) + tail)
    return out


def _outcome(rank: int | None, refused: bool, correct: bool | None) -> str:
    parts = [f"#{rank}" if rank else "–"]
    if refused:
        parts.append(say("refused", "拒答"))
    elif correct is not None:
        parts.append("✓" if correct else "✗")
    return " ".join(parts)


def diagnosis(found: Diagnosis) -> list[str]:
    """Return the lines of a diagnosis: the verdict, then a line for each step."""
    verdict = (
        say(
            "{source}: lost at “{step}”",
            "{source}：丢在“{step}”这一步",
            source=render.one_line(found.source),
            step=step_name(found.lost),
        )
        if found.lost
        else say("{source}: came through", "{source}：一路通过", source=render.one_line(found.source))
    )
    out = [render.paint(verdict, "bold")]
    if found.question:
        out.append(
            render.cut(say("searched as: {text}", "检索用语：{text}", text=render.one_line(found.question)), columns())
        )
    names = max(render.width(step_name(step.name)) for step in found.steps)
    for step in found.steps:
        lead = f"  {render.paint(SIGNS[step.state], STYLES[step.state])} {render.pad(step_name(step.name), names)}  "
        lines = wrapped(render.one_line(step.text), " " * (names + 6)) or [""]
        out += [lead + lines[0].lstrip(), *lines[1:]]
    if found.lost is not None:
        out += wrapped(_next_look(found.lost, render.one_line(found.source)), "    ", "  → ")
    return [line.rstrip() for line in out]


def _next_look(lost: str, source: str) -> str:
    """Return where to look next: the first step that lost a passage is the one to mend."""
    hints = {
        "read": say("`yinju status {source}` shows what was read of it and why.", "`yinju status {source}` 可查看读取结果和原因。", source=source),
        "cut": say("`yinju outline {source}` shows its structure.", "`yinju outline {source}` 可查看它的结构。", source=source),
        "found": say("Try the passage's own words, or --mode lexical and --mode dense apart.",
                     "请试用段落自己的词，或分别用 --mode lexical 与 --mode dense。"),
        "ranked": say("Try --limit, or --where source='…' to keep the others out.", "请试用 --limit，或用 --where source='…' 排除其他来源。"),
        "answered": say("`yinju ask --show-prompt` shows what an answer is made from; `yinju tune` looks at the threshold.",
                        "`yinju ask --show-prompt` 可查看作答依据；`yinju tune` 可检查阈值。"),
    }  # fmt: skip
    return hints.get(lost, "")


def step_name(name: str) -> str:
    """Return the name of a step for people."""
    names = {
        "read": say("read", "读取"), "cut": say("cut", "切分"), "embedded": say("embedded", "嵌入"), "found": say("found", "找到"),
        "ranked": say("ranked", "排名"), "answered": say("answered", "回答"),
    }  # fmt: skip
    return names.get(name, name)


def table(titles: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    """Return aligned lines; the columns `right` end together; the last is cut to what is left."""
    cells = [titles, *rows]
    widths = [max(render.width(row[at]) for row in cells) for at in range(len(titles))]
    room = columns() - sum(widths[:-1]) - 2 * (len(widths) - 1)
    widths[-1] = min(widths[-1], max(room, 8))
    out = []
    for number, row in enumerate(cells):
        parts = []
        for at, text in enumerate(row):
            blank = " " * max(0, widths[at] - render.width(text))
            parts.append(blank + text if at in right else render.cut(text, widths[at]) + blank)
        line = "  ".join(parts).rstrip()
        out.append(render.paint(line, "dim") if number == 0 else line)
    return out


def wrapped(text: str, indent: str, first: str | None = None, *, room: int | None = None) -> list[str]:
    """Return the text in lines that fit (into `room` columns), broken at blanks, or between wide characters."""
    lines: list[str] = []
    line = indent if first is None else first
    room, begun = columns() if room is None else room, False
    for word in _words(text):
        if begun and render.width(line) + render.width(word.rstrip()) > room:
            lines.append(line.rstrip())
            line, begun = indent, False
        line += word if begun else word.lstrip()
        begun = begun or bool(word.strip())
    return [*lines, line.rstrip()] if begun else lines


def _words(text: str) -> list[str]:
    words: list[str] = []
    for character in text:
        wide = render.width(character) == 2
        if not words or wide or words[-1].endswith(" ") or render.width(words[-1][-1]) == 2:
            closing = character in "，。；：、）】》”"
            if words and closing:
                words[-1] += character
            else:
                words.append(character)
        else:
            words[-1] += character
    return words


def columns() -> int:
    """Return the columns that a table may take."""
    return min(render.columns(), MOST)
