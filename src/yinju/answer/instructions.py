"""Find text in documents that speaks to a language model instead of a reader: "ignore all previous instructions", 「忽略以上指令」.

Such text is quoted like any other and cannot forge a proof, but people should know which document tries. The rules are patterns of
what is asked for: to drop the rules, to be someone else, to say a fixed sentence, to tell secrets, to send the reader somewhere, to
believe one source only, to pass for the system; they stand in `orders.en.txt` and `orders.zh.txt`. A sentence that warns of it ("never
ignore these instructions") is none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from yinju.load.clean import clean
from yinju.text.normalize import fold_with_offsets
from yinju.types import Hit

_LONGEST = 80  # characters of an excerpt
_MODEL = r"(?:ai|人工智能|大?语言模型|大模型|智能助手|ai ?助手|聊天机器人|智能体|gpt|chatgpt|模型|助手|机器人)"
_WARNS = re.compile(
    r"(?:\bnot|n't|\bnever|\bif (?:you|they|users?)|\bcannot|\bwithout|\bavoid|\bprevent(?:s|ing)?"
    r"|\bno one (?:may|should)|\bwho|\bmay|\bcan(?: also)?)\s+(?:\w+\s+){0,1}$"
    r"|(?:不要|切勿|请勿|不得|勿|不可|不能|别|严禁|禁止|避免|防止|以免|如果|若|一旦|不应|不会|不准|不许|谨防|不允许)[^。，,！？!?\n]{0,3}$"
)


@cache
def _pattern() -> re.Pattern[str]:
    english = "|".join(rf"(?<![a-z])(?:{rule})" for rule in _rules("en"))
    chinese = "|".join(rule.replace("{model}", _MODEL) for rule in _rules("zh"))
    return re.compile(f"{english}|{chinese}")


def _rules(language: str) -> list[str]:
    text = (files("yinju.answer") / f"orders.{language}.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("# ")]


def instruction(text: str) -> str | None:
    """Return the first words of a text that read like an instruction to a language model, as they stand there; None where none do."""
    text = clean(text).text
    folded, offsets = fold_with_offsets(text)
    for found in _pattern().finditer(folded):
        if not _WARNS.search(folded[max(0, found.start() - 24) : found.start()]):
            start, end = offsets[found.start()], offsets[found.end()]
            shown = " ".join(text[start:end].split())
            return shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1] + "…"
    return None


def suspicious(hits: Sequence[Hit]) -> dict[str, str]:
    """Return for each source with such text its first words, in the order of the hits."""
    found: dict[str, str] = {}
    for hit in hits:
        if hit.source not in found and (words := instruction("\n".join((*hit.headings, hit.header, hit.text)))):
            found[hit.source] = words
    return found
