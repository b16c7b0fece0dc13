"""What a question is about, in its own words: its subject, its content words, and the numbers, codes and names that no rewriting may lose."""

from __future__ import annotations

import re
from collections.abc import Iterator

from yinju.text.normalize import fold
from yinju.text.words import FILLERS, terms

ENGLISH_QUESTION = re.compile(
    r"(?:how|what|when|where|who|whom|whose|which|why|is|are|was|were|do|does|did|can|could|will|would|should|must|may|has|have)\b(?!\s+about\b)",
    re.IGNORECASE,
)
_ENGLISH_TOPIC = re.compile(
    r"\b(?:a|an|the|my|your|our|this|that|any)\s+(?P<topic>[\w-]+(?:\s+(?!(?:cost|work|take|last|include|support|have|get|need|mean|come|do|go|cover|"
    r"is|are|was|were|in|on|at|for|of|to|with|from|by|per|after|before|when|if|and|or|\w+ed)\b)[\w-]+){0,3})",
    re.IGNORECASE,
)
_NAME = re.compile(r"[“「『《\"]([^”」』》\"]{2,30})[”」』》\"]|\b([A-Z][\w-]*(?:\s+[A-Z0-9][\w-]*)*)\b")
_no_names = (
    "how what when where who which why is are do does did can could will would should may i the a an and it tell please"
)
_NOT_NAMES = frozenset(_no_names.split())
_no_topic = frozenset(("long", "much", "many", "often", "take", "last", "cost", "need", "work", "happen", "mean"))
_SOURCE = re.compile(r"(?:从|由|\bfrom)\s*$", re.IGNORECASE)
_WORD = re.compile(r"[\u3400-\u9fff]+|[^\W\u3400-\u9fff]+(?:[-'’.][^\W\u3400-\u9fff]+)*")
_LATIN = re.compile(r"[^\W_\u3400-\u9fff]+(?:[-_./#:’'][^\W_\u3400-\u9fff]+)*")
_han = re.compile(r"[\u4e00-\u9fff]")


def has_han(text: str) -> bool:
    """True where a Chinese character stands in the text."""
    return bool(_han.search(text))


def subject(question: str) -> str | None:
    """Return what a question is about, in its own words: a quoted or Latin name, the noun behind its article, its first content words."""
    for match in _NAME.finditer(question):
        if name := match[1] or _without_openers(match[2]):
            return name
    if has_han(question) and not ENGLISH_QUESTION.match(question):
        return _first_words(question)
    topic = _ENGLISH_TOPIC.search(question)
    return topic["topic"].strip() if topic else None


def subjects(question: str) -> Iterator[str]:
    """Yield all that a question names, in its own words; what it only sets out from (从 MySQL, from MySQL) last."""
    sources: list[str] = []
    for match in _NAME.finditer(question):
        if name := match[1] or _without_openers(match[2]):
            if _SOURCE.search(question[: match.end() - len(name)]):
                sources.append(name)
            else:
                yield name
    if has_han(question) and not ENGLISH_QUESTION.match(question):
        yield from filter(None, (_first_words(question),))
    else:
        yield from (topic["topic"].strip() for topic in _ENGLISH_TOPIC.finditer(question))
    yield from sources


def _without_openers(name: str) -> str:
    """Return a name without the words before it whose capital says nothing: `Can Korean` is Korean."""
    words = list(re.finditer(r"\S+", name))
    first = next((word.start() for word in words if word.group().lower() not in _NOT_NAMES), len(name))
    return name[first:]


def content_words(text: str, generic: frozenset[str] = _no_topic) -> list[str]:
    """Return the words of a text, as it spells them, that say what it is about; generic ones are left out."""
    return [
        word
        for word in _WORD.findall(text)
        if word.lower() not in generic and any(term not in FILLERS for term in terms(word).words)
    ]


def codes(text: str) -> list[str]:
    """Return the words with a digit in them, as the text spells them: numbers, codes, versions."""
    return [word for word in _LATIN.findall(text) if any(sign.isdigit() for sign in word)]


def marks(text: str) -> frozenset[str]:
    """Return what must not get lost when a text is worded anew, folded: numbers, codes, and words with a capital inside a sentence."""
    text = text.replace("’", "'")
    names = {
        match.group()
        for match in _LATIN.finditer(text)
        if any(sign.isupper() for sign in match.group()[1:])
        or (
            match.group()[0].isupper()
            and match.group().lower().split("'")[0] not in _NOT_NAMES
            and not _opens(text, match.start())
        )
    }
    return frozenset(fold(word) for word in (*codes(text), *names))


def kept(text: str, worded: str) -> bool:
    """True where the other wording still holds the numbers, codes and names of the text."""
    said = fold(worded)
    return all(mark in said for mark in marks(text))


def _opens(text: str, place: int) -> bool:
    """True for the first word of a sentence, whose capital says nothing."""
    before = text[max(0, place - 20) : place].rstrip()
    return not before or before[-1] in '.!?。！？:：;；\n"“'


def _first_words(question: str) -> str | None:
    """The first content word of a Chinese question, with its neighbour where both are joined by 的."""
    start = 0
    for word in terms(question).words:
        place = question.lower().find(word, start)
        if place < 0:
            continue
        if word in FILLERS or len(word) < 2:
            start = place + len(word)
            continue
        longest = max(
            (w for w in terms(question).words if question.lower().startswith(w, place)), key=len, default=word
        )
        end = place + len(longest)
        joined = re.match(r"的[\u4e00-\u9fff]{2}", question[end:])
        following = next((w for w in terms(question[end + 1 :]).words if len(w) > 1), "") if joined else ""
        return (
            question[place : end + 1 + len(following)]
            if following and following not in FILLERS
            else question[place:end]
        )
    return None
