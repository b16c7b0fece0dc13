"""Take the reasoning of a model out of its answer: `<think>…</think>` is not an answer, also where the tags come in pieces.

Models write `<think>`, `<thinking>`, `<reasoning>`, `<thought>`, `[THINK]` (Magistral) and `◁think▷` (Kimi).

Some servers put the opening tag into the prompt, so that only `</think>` is seen: what came before it was reasoning as well. That is
known too late for text that was shown already, so the text of models known to reason waits until the tag or the end has come.
"""

from __future__ import annotations

import re

_TAG = re.compile(r"<(/?)\s*(?:think|thinking|reasoning|thought)\s*>|(?-i:\[(/?)THINK\])|◁(/?)think▷", re.IGNORECASE)
_OPENERS = "<[◁"
_WORDS = ("think", "thinking", "reasoning", "thought")
_REASONS = re.compile(r"(?:^|[^a-z])(?:r1|qwq|qwen-?3|think(?:ing)?|reason(?:er|ing)?)(?![a-z])", re.IGNORECASE)


def reasons(model: str) -> bool:
    """True for the names of models that are known to think aloud."""
    return bool(_REASONS.search(model))


class ThinkingFilter:
    """Takes text in pieces, gives the pieces of the answer. `void` counts how often what was given before was reasoning after all."""

    def __init__(self, *, wait: bool = False) -> None:
        self.void = 0
        self._wait = wait
        self._inside = False
        self._held = ""  # what may become a tag
        self._waiting = ""  # the answer so far, if we wait
        self._begun = False

    def feed(self, text: str) -> str:
        """Take more text; return what belongs to the answer. When `void` has grown, only this and later text does."""
        out: list[str] = []
        for character in text:
            piece = self._take(character)
            if piece is None:  # all so far was reasoning
                out.clear()
            else:
                out.append(piece)
        return self._emit("".join(out))

    def finish(self) -> str:
        """The text is complete; return the rest."""
        rest, self._held = ("" if self._inside else self._held), ""
        self._wait = False
        return self._emit(rest)

    def _emit(self, out: str) -> str:
        if not self._begun:
            out = out.lstrip() if not self._waiting else out
        if self._wait:
            self._waiting += out
            return ""
        out, self._waiting = self._waiting + out, ""
        self._begun = self._begun or bool(out)
        return out

    def _take(self, character: str) -> str | None:
        if not self._held:
            if character in _OPENERS:
                self._held = character
                return ""
            return "" if self._inside else character
        self._held += character
        if tag := _TAG.fullmatch(self._held):
            self._held = ""
            return self._tag(closing=any(tag.groups()))
        if _may_become_tag(self._held):
            return ""
        literal, self._held = self._held, ""
        if character in _OPENERS:
            literal, self._held = literal[:-1], character
        return "" if self._inside else literal

    def _tag(self, *, closing: bool) -> str | None:
        if closing and not self._inside:
            self.void += self._begun
            self._waiting, self._begun, self._wait = "", False, False
            return None
        self._inside = not closing
        return ""


def _may_become_tag(text: str) -> bool:
    if text[0] != "<":
        return any(tag.startswith(text) for tag in ("[THINK]", "[/THINK]", "◁think▷", "◁/think▷"))
    body = text[1:].lower().lstrip().removeprefix("/").lstrip()
    return len(text) < 24 and any(word.startswith(body) or body.rstrip() == word for word in _WORDS)
