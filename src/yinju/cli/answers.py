"""An answer on its way to a person: its text, what no passage proves in it, its citations, what an agent did, what went less than well.

On a terminal the text of a language model is shown as it comes, before anybody can say what of it is proved; sentences without proof are
then named below. Wherever the text is printed whole, the mark stands in it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from yinju.cli import render
from yinju.cli.flow import Flow, flowing
from yinju.cli.links import Links
from yinju.cli.tables import wrapped
from yinju.messages import say
from yinju.types import Answer, as_plain

if TYPE_CHECKING:
    from yinju.library import Library

MOST_FINDS = 20  # of a count, on a terminal
_LEFT_OUT = re.compile(r"\[\d+\]|\s+")  # a sentence is kept without its markers


def answer_and_print(
    library: Library, question: str, history: Any, *, as_json: bool, quiet: bool, **settings: Any
) -> Answer:
    """Answer and print: as it comes on a terminal with a language model, whole elsewhere. Raises what `Library.ask_stream` raises."""
    stream = library.ask_stream(question, history, **settings)
    live = not as_json and library.chat_model is not None and sys.stdout.isatty()
    answer: Answer | None = None
    flow = Flow(render.columns())
    texts, held = 0, ""
    for part in stream:
        if isinstance(part, Answer):
            answer = part
        elif isinstance(part, str) and live:
            texts += 1
            held += part
            if texts > 1:  # what comes in one piece (a count, a quotation, a refusal) is printed whole
                print(flow.feed(render.safe(held)), end="", flush=True)
                held = ""
    live = texts > 1
    if live:
        print(flow.rest(), end="")
    assert answer is not None
    if as_json:
        render.emit_json(answer_json(answer))
        return answer
    if history and (answer.searched_as != question or answer.searched_beside):
        text = say("Searched for: {text}", "检索：{text}", text=searched(answer))
        render.notice(("\n" if live else "") + text, quiet)
    _print(_first_finds(answer), Links(library), live=live)
    for text in (*steps(answer), *_notices(answer)):
        render.notice(text, quiet)
    return answer


def _first_finds(answer: Answer) -> Answer:
    """Return what a person at a terminal is shown of an answer that counts: its first finds with their citations. Any other as it is."""
    from yinju.answer import collection

    if answer.model != collection.MODEL or not sys.stdout.isatty():
        return answer
    text = collection.shortened(answer.text, MOST_FINDS)
    if text == answer.text:
        return answer
    markers = {int(number) for number in re.findall(r"\[(\d+)\]$", text, re.MULTILINE)}
    return replace(answer, text=text, citations=tuple(one for one in answer.citations if one.marker in markers))


def searched(answer: Answer) -> str:
    """Return all that was searched for an answer, on one line."""
    text = render.one_line(answer.searched_as)
    if answer.searched_beside is None:
        return text
    beside = render.one_line(answer.searched_beside)
    return say("{text} (beside it: {beside})", "{text}（同时检索：{beside}）", text=text, beside=beside)


def _print(answer: Answer, links: Links, *, live: bool) -> None:
    if answer.refused:
        print(("\n" if live else "") + render.refusal(answer, said=live, links=links))
        return
    print("\n" if live else flowing(marked(answer)) + "\n")
    if answer.citations:
        print(render.citations(answer.citations, links))
    unproved = [sentence.text for sentence in answer.sentences if sentence.status == "unsupported"]
    if live and unproved:
        print("\n" + say("No passage proves:", "没有段落能证实："))
        for text in unproved:
            for line in wrapped(render.one_line(text), "    ", "  ✗ "):
                print(render.paint(line, "unsupported"))


def marked(answer: Answer) -> str:
    """Return the answer's text, safe, with ✗ behind each sentence that no passage proves."""
    text = answer.text
    kept = list(_kept(text))
    plain = "".join(text[at] for at in kept)
    ends: list[int] = []
    begun = 0
    for sentence in answer.sentences:
        bare = _LEFT_OUT.sub("", sentence.text)
        found = plain.find(bare, begun) if bare else -1
        if found < 0:
            continue
        begun = found + len(bare)
        if sentence.status == "unsupported":
            ends.append(_after_markers(text, kept[begun - 1] + 1))
    pieces, last = [], 0
    for end in ends:
        pieces.append(render.safe(text[last:end]) + render.paint(" ✗", "unsupported"))
        last = end
    return "".join(pieces) + render.safe(text[last:])


def _kept(text: str) -> Iterator[int]:
    """Yield the places of the characters that are no marker and no blank."""
    last = 0
    for gap in _LEFT_OUT.finditer(text):
        yield from range(last, gap.start())
        last = gap.end()
    yield from range(last, len(text))


def _after_markers(text: str, at: int) -> int:
    found = re.compile(r"(?:[ \t]*\[\d+\])*").match(text, at)
    return found.end() if found else at


def steps(answer: Answer) -> Iterator[str]:
    """Yield what an agent did, a step after the other, in lines that fit."""
    if answer.steps:
        yield say("Looked further:", "进一步查找：")
    for number, step in enumerate(answer.steps, 1):
        text = f"{step.tool}  {render.one_line(step.arguments)} → {render.one_line(step.outcome)}"
        if step.markers:
            text += " " + "".join(f"[{marker}]" for marker in step.markers)
        lead = f"  {number}. "
        yield "\n".join(wrapped(text, " " * len(lead), lead))


def _notices(answer: Answer) -> Iterator[str]:
    yield from answer.notices
    if answer.failure and not answer.notices:  # never without a word
        yield say("The model failed: {code}", "模型出错：{code}", code=answer.failure)


def answer_json(answer: Answer) -> dict[str, Any]:
    """Return the shape of `ask --json`: the context without the passages' texts, which the citations quote."""
    plain: dict[str, Any] = as_plain(answer)
    context = answer.context  # none was made for a refusal
    plain["context"] = {
        "passages": [{"marker": p.marker, "id": p.id} for p in context.passages] if context else [],
        "tokens": context.tokens if context else 0,
        "left_out": context.left_out if context else 0,
    }
    return plain
