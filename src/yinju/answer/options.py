"""The plain options of this room, and the two sentences that prompt, answer and tests share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from yinju.types import REFUSE_BELOW, ContextFormat

# What a model must say, and what we say, when the passages do not answer. A constant, so that it can be recognised.
REFUSALS = {"zh": "文档中没有说明。", "en": "The documents do not say."}


@dataclass(frozen=True, slots=True)
class AnswerOptions:
    """How to answer. `refuse_below` is a probability; sizes are tokens; `system` adds role and tone, the rules stay.

    `unsupported`: sentences of a model that no passage proves are shown as such (`mark`) or not at all (`remove`).
    `check`: the model reads what it put in words of its own a second time and may only take verdicts back (`second_reading`).
    `prefer`: of two documents that disagree both are shown, or with `newest` the newer one, the older one named.
    """

    refuse_below: float = REFUSE_BELOW
    context_tokens: int = 2000
    format: ContextFormat = "tagged"
    max_tokens: int = 1024
    system: str | None = None
    nearest: int = 3  # passages shown with a refusal
    unsupported: Literal["mark", "remove"] = "mark"
    prefer: Literal["", "newest"] = ""
    check: bool = False
