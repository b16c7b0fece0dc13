"""What a model was shown in the course of a search with tools: each passage once, under one number, within fences of its own."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from yinju.answer.context import build, neutralise, render
from yinju.answer.tools import Found
from yinju.text.tokens import estimate
from yinju.types import Hit, Passage


class Shown:
    """All passages that the model was shown, numbered on and on."""

    def __init__(self, question: str, passages: Sequence[Passage] = ()) -> None:
        self.passages = list(passages)
        self._question = question

    def add(self, hit: Hit) -> tuple[Passage, bool]:
        """Return the passage of a hit, and whether it is new."""
        for passage in self.passages:
            own = passage.hit
            if own.source == hit.source and own.span.start <= hit.span.start and hit.span.end <= own.span.end:
                return passage, False
        self.passages.append(Passage(len(self.passages) + 1, hit))
        return self.passages[-1], True

    def worded(self, found: Found, tokens: int) -> tuple[str, tuple[int, ...], bool]:
        """Return what the model is shown of a find, in about so many tokens; which passages these are; whether one is new.

        It stands within a fence that no document can foresee, and what looks like our delimiters in it is harmless.
        """
        fresh: list[Passage] = []
        known: list[int] = []
        for hit in found.hits:
            if not fresh:
                fitting = [one.hit for one in build(self._question, [hit], tokens=max(1, tokens)).passages]
            else:
                longer = render(self._question, [*fresh, Passage(0, hit)], "tagged")
                fitting = [hit] if estimate(longer) <= tokens else []
            if not fitting:
                break
            passage, new = self.add(fitting[0])
            if new:
                fresh.append(passage)
            else:
                known.append(passage.marker)
        said = beginning(neutralise(found.text), max(1, tokens - sum(estimate(one.hit.text) for one in fresh)))
        parts = [part for part in (said, render(self._question, fresh, "tagged") if fresh else "") if part]
        if known:
            parts.append(f"passages shown before: {', '.join(map(str, sorted(set(known))))}")
        fence = f"====={secrets.token_hex(8)}====="
        text = "\n".join((fence, *(parts or ["nothing was found"]), fence))
        return text, tuple(dict.fromkeys((*known, *(one.marker for one in fresh)))), bool(fresh)


def beginning(text: str, tokens: int) -> str:
    """Return as much of a text as fits, whole lines."""
    if estimate(text) <= tokens:
        return text
    lines: list[str] = []
    for line in text.split("\n"):
        tokens -= estimate(line) + 1
        if tokens < 0:
            break
        lines.append(line)
    return "\n".join((*lines, "…"))
