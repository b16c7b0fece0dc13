"""A question as the questions in it: `一年要付多少？在校生能便宜吗？` asks two, and each wants a sentence of its own."""

from __future__ import annotations

import re

from yinju.answer.support import chinese, letters

LONGEST = 420  # characters from which a question is taken as one

_parts = re.compile(
    r"[?？]+|[;；\n]|[，,。.!！]\s*(?=(?:还有|另外|以及|并且|而且|and|also)\b|还有|另外)", re.IGNORECASE
)
_joint = re.compile(
    r"\s+and\s+(?=(?:how|what|when|where|who|which|why|can|do|does|is|are|will)\b)"
    r"|(?:以及|和|与|还有|，)(?=[^，。]{0,12}(?:吗|多少|几|怎|如何|什么|谁|哪|能不能|是否))",
    re.IGNORECASE,
)
_asking = re.compile("吗|多少|几|怎|如何|什么|谁|哪|能不能|是否|多久|为何")
_both = re.compile(
    r"^(?P<first>[^，。？?和与]{1,16})(?:和|与|跟)(?P<second>[^，。？?和与]{1,16}?)(?:分别|各(?:自|是)?)(?P<rest>[^，。？?]{1,20}[？?]?)$"
)
_leading = re.compile(r"^(?:and|also|以及|还有|另外|并且|而且)\s*", re.IGNORECASE)


def parts(question: str) -> list[str]:
    """Return the questions in a question: `一年要付多少？在校生能便宜吗？` asks two."""
    if len(question) > LONGEST:
        return [question]
    if both := _both.match(question.strip()):
        return [both["first"] + both["rest"], both["second"] + both["rest"]]
    found = [piece for whole in _parts.split(question) for piece in _halves(whole) if piece.strip()]
    if len(found) < 2:
        return [question]
    stripped = [_leading.sub("", piece.strip()) for piece in found]
    kept = [piece for piece in stripped if letters(piece) and len(piece) > 1]
    return kept[:3] or [question]


def _halves(question: str) -> list[str]:
    """Cut at a joint if both sides ask something: 月费多少，能退吗; but not 苹果和梨的区别是什么, nor 还在念大学，能便宜吗."""
    for joint in _joint.finditer(question):
        left = question[: joint.start()]
        if not chinese(question) or _asking.search(left):
            return [left, *_halves(question[joint.end() :])]
    return [question]
