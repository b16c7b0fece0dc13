"""Who does it? `written by B`, 被乙处死 and `B wrote` name the one who does; a claim may not give what one did to another one.

Compared is verb by verb: the doer in the claim (its subject, or what follows `by`, 被, 由) with the doer of the same verb in the passage.
Forms that have little of their verb left (wrote, written) are brought to one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from yinju.answer.clauses import Clause, Token, clause, parts, pointed
from yinju.answer.subjects import apart
from yinju.text.normalize import fold

_MOST = 6  # words of a doer
_BY = re.compile(r"(?<![a-z])([a-z]{3,})\s+(?:\w+ly\s+)?by\s+(?!\d)(?=[a-z\"'`“(])")
_HAN_BY = re.compile(r"(?:被|受到?|(?<![理自缘经])由(?![于此来]))(?=[\u3400-\u9fffa-z])")
_BE = re.compile(r"(?<![a-z])(?:is|are|was|were|be|been|being|get|got|gets)\s+(?:\w+ly\s+|not\s+|also\s+|first\s+)?$")
_irregular = """
write wrote written | give gave given | take took taken | make made | build built | find found | win won | lose lost | beat beaten | lead led |
draw drew drawn | know knew known | see saw seen | choose chose chosen | hold held | buy bought | sell sold | teach taught | bring brought |
catch caught | sing sang sung | begin began begun | drive drove driven | break broke broken | speak spoke spoken | steal stole stolen |
throw threw thrown | grow grew grown | fly flew flown | wear wore worn | shoot shot | strike struck | pay paid | say said | tell told | send sent |
spend spent | keep kept | leave left | meet met | feel felt | hear heard | think thought | fight fought | seek sought | run ran | eat ate eaten
"""
_ROOTS = {form: group.split()[0] for group in _irregular.replace("\n", " ").split("|") for form in group.split()}
_ENDINGS = re.compile(r"(?:ing|ed|es|s|e)$")


@dataclass(frozen=True, slots=True)
class Deed:
    """A verb, who does it, and the words after it where these are no doer."""

    verb: str
    doer: tuple[Token, ...]
    after: frozenset[str]
    passive: bool
    pointed: bool  # `by the company`: it may be any one that was named before
    bag: frozenset[str]


def root(word: str) -> str:
    """Return one form for the forms of an English verb; Chinese words stay."""
    lower = word.lower()
    return _ROOTS.get(lower) or _ENDINGS.sub("", lower)


@lru_cache(maxsize=4096)
def deeds(text: str) -> tuple[Deed, ...]:
    """Return the deeds in a text of which it says who does them."""
    return tuple(deed for one in parts(text) for deed in _deeds(one))


def _deeds(mine: Clause) -> Iterator[Deed]:
    text, bag = mine.text, mine.bag
    folded = fold(text)
    for match in _BY.finditer(folded):
        if match[1].endswith(("ed", "en", "wn")) or match[1] in _ROOTS:
            doer = _leading(text[match.end() :])
            yield Deed(root(match[1]), doer, frozenset(), True, pointed(text[match.end() :]), bag)
    for match in _HAN_BY.finditer(folded):
        behind = clause(text[match.end() :]).tokens[: _MOST + 1]
        for place, token in enumerate(behind):
            if token.kind == "verb" and place:
                yield Deed(token.key, behind[:place], frozenset(), True, pointed(text[match.end() :]), bag)
    if _BY.search(folded) or _HAN_BY.search(folded):
        return
    whole = mine.tokens
    size = next((place for place, token in enumerate(whole) if token.kind == "verb"), 0)
    if (
        not size or whole[size].key.isascii()
    ):  # the word behind the subject: which English words are verbs is not always known
        size = next(
            (place for place, token in enumerate(whole) if token not in mine.subject and token.kind != "number"), 0
        )
    if not mine.subject or mine.pointed or not 0 < size < len(whole):
        return
    verb = whole[size]
    written = verb.text or verb.key
    at = folded.find(fold(written))
    if (verb.kind == "verb" or written.isascii()) and not _BE.search(folded[: max(at, 0)]):
        key = root(_word_at(folded, at)) if written.isascii() else verb.key
        yield Deed(key, mine.subject, frozenset(t.key for t in whole[size + 1 :]), False, False, bag)


def _word_at(folded: str, at: int) -> str:
    found = re.match(r"[a-z]+", folded[max(at, 0) :])
    return found[0] if found else ""


def _leading(text: str) -> tuple[Token, ...]:
    """Return the names and things that a text begins with."""
    found: list[Token] = []
    for token in clause(text).tokens[:_MOST]:
        if token.kind not in ("name", "thing"):
            break
        found.append(token)
    return tuple(found)


def another_does(claim: str, readings: Sequence[str], known: str) -> bool:
    """True where the claim says that one does what another one does in its source, or that it is done to who does it."""
    theirs = [deed for reading in readings for deed in deeds(reading)]
    for mine in deeds(claim):
        same = [one for one in theirs if one.verb == mine.verb and one.doer and len(one.bag & mine.bag) > 1]
        if same and mine.doer and all(_another(mine, one, known) for one in same):
            return True
    return False


def _another(mine: Deed, one: Deed, known: str) -> bool:
    if mine.passive or one.passive:
        return not one.pointed and apart(mine.doer, one.doer, known)
    own = {token.key for token in mine.doer}
    return own <= one.after and not own & {token.key for token in one.doer}
