"""Terms of the index back to the words of a question: people do not know stems, nor the fragments of a segmentation."""

from __future__ import annotations

import re
from collections.abc import Iterable

from yinju.text.normalize import fold, fold_with_offsets
from yinju.text.words import terms

_WIDE = "\u3005\u3007\u3041-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U000323af"
_word = re.compile(f"(?:(?![{_WIDE}])[\\w.'’‐‑+#-])+")
_possessive = re.compile("['’]s$", re.IGNORECASE)
_wide = re.compile(f"[{_WIDE}]")
_asking = re.compile(r"多[久长大远高深快厚宽早晚少](?:时间)?|第?几(?![何乎率]).|哪.|何[人处地种时日年]|谁")
_with_asking = {"钱": "多少钱", "天": "哪天", "年": "哪年"}  # what segmentation cuts off
_english = re.compile(
    r"\bhow (many|much|often|long|far|old|soon|big|large|tall|high|deep|wide|heavy|fast|quickly|late|early)\b",
    re.IGNORECASE,
)


def as_written(question: str, found: Iterable[str]) -> tuple[str, ...]:
    """Return for these terms of the question the words that stand there, each once; a term that is found nowhere stands for itself.

    A fragment of a longer Chinese word is left out, whether that word is among the terms or not.
    """
    words = terms(question).words
    folded, offsets = fold_with_offsets(question)
    by_term: dict[str, str] = {}
    for match in _word.finditer(question):
        written = _bare(match.group())
        for term in terms(written).words:
            by_term.setdefault(term, written)
    shown: dict[str, None] = {}
    for term in found:
        if _wide.search(term):
            if any(term in other and term != other for other in words):
                continue
            at = folded.find(term)
            shown[question[offsets[at] : offsets[at + len(term)]] if at >= 0 else term] = None
        else:
            shown[by_term.get(term, term)] = None
    return tuple(shown)


def spaced_words(question: str) -> list[str]:
    """Return the words of the question that are written with spaces between them, in their order, without the signs around them."""
    return [_bare(match.group()) for match in _word.finditer(question)]


def _bare(written: str) -> str:
    return _possessive.sub("", written.strip(".'’‐‑-"))


def but_asking(question: str, found: Iterable[str]) -> tuple[str, ...]:
    """Return the words without those that ask how much or when (多久, 几点, `how many`), which no document need hold."""
    english = {match[1].casefold() for match in _english.finditer(question)}
    return tuple(
        word
        for word in found
        if not _asking.fullmatch(fold(word))
        and word.casefold() not in english
        and _with_asking.get(word, "\n") not in question
    )
