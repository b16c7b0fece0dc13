"""The earlier turns as a model may see them: what was said, never what was read.

Passages belong to the question for which they were found. A caller may hand back the messages that a model was sent, passages and all:
then only the question is kept. The markers of old answers go too, because the numbers now name other passages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from yinju.answer import markers
from yinju.answer.templates import shape_of
from yinju.protocols import Message

_FRAMES = ("question.en.md", "question.zh.md")
_SPACE = re.compile(r"[^\S\n]+(?=[.,;:!?。，；：！？\n]|$)")


def spoken_turns(history: Sequence[Message]) -> list[Message]:
    """Return the turns without passages (what tools returned is some, too) and without the markers of old answers; empty ones go."""
    turns = [
        replace(turn, content=_said(turn), tool_calls=())
        for turn in history
        if turn.role in ("system", "user", "assistant")
    ]
    return [turn for turn in turns if turn.content.strip()]


def _said(turn: Message) -> str:
    if turn.role == "assistant":
        bare = markers.MARKER.sub("", turn.content)
        return turn.content if bare == turn.content else _SPACE.sub("", bare)
    if turn.role == "user":
        for name in _FRAMES:
            if frame := shape_of(name).fullmatch(turn.content.strip()):
                return frame["question"]
    return turn.content
