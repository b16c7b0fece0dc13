"""Does each word of an answer stand in the place that it has in its source? A sentence may be made of words of its passage alone and still be wrong.

Compared is a clause of the answer with the whole sentence that has most of its words. A word that this sentence lacks, but another one has,
may have taken the place of one of its own: 琴师是 one, where the sentence names another one, and both are in the passage.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from yinju.answer import likewise
from yinju.answer.clauses import ASIDE, NEAR, PRONOUN, Clause, Token, alike, clause, clauses
from yinju.text.normalize import fold

NEARLY, VERBATIM = 0.75, 5  # share and number of words in the same order from which on a clause repeats its sentence
_FEW = 2  # words of a gap in which a rival word counts, whether the passage has it elsewhere or not
_MOST = 5  # words of a gap between two words that both have
_DEFINITE = re.compile(r"(?<![a-z])(?:the|this|these|that|those)\s+$|(?:该|本|这|那|这些|那些|此|其)$")
_LONGEST = 120  # characters of a Chinese clause that is compared by its characters
_HAN = re.compile(r"[\u3400-\u9fff]")
_MARKS = re.compile(r"[^\w·]+")
_PARTICLES = re.compile("^[的了是为由在于以将被把和与及则也都所]+|[的了是为由在于以将被把和与及则也都所]+$")


def displaced(claim: str, readings: Sequence[str], known: str) -> bool:
    """True where a word of the claim stands where its source has another one. `known`: all that the passages say, folded, without white space."""
    wholes = [clause(ASIDE.sub(" ", reading)) for reading in readings]
    full = [clause(reading) for reading in readings]
    return any(_displaced(mine, wholes, full, known) for mine in _parts(claim))


def _parts(claim: str) -> list[Clause]:
    """Return the clauses of a claim, one of two words together with the one before it."""
    found: list[Clause] = []
    for part in clauses(claim):
        if found and len(part.tokens) < 3:
            found.append(clause(f"{found.pop().text}，{part.text}"))
        else:
            found.append(part)
    return found


def _displaced(mine: Clause, wholes: Sequence[Clause], full: Sequence[Clause], known: str) -> bool:
    verbs = frozenset(token.key for token in mine.tokens if token.kind == "verb")
    place = max(range(len(wholes)), key=lambda at: (mine.share(full[at]), len(verbs & full[at].bag)), default=-1)
    if place < 0 or mine.share(full[place]) < NEAR or len(mine.tokens) < 3:
        return False
    best = wholes[place]
    foreign = _foreign(mine, full[place], known)
    return (
        _replaced(mine, best, foreign, known)
        or any(_usurps(each, mine, best) for each in foreign if mine.tokens[each].kind != "number")
        or _written_over(mine.text, full[place].text, known)
        or _spliced(mine, full[place])
    )


def _replaced(mine: Clause, best: Clause, foreign: frozenset[int], known: str) -> bool:
    """True where words that the passage has elsewhere stand in the place of words of the sentence.

    A paraphrase brings words of its own; words of another sentence in the midst of this one's tell of another matter.
    """
    matcher = SequenceMatcher(None, mine.keys, best.keys, autojunk=False)
    matched = sum(block.size for block in matcher.get_matching_blocks())
    if matched >= VERBATIM and matched >= NEARLY * len(mine.keys) and _rewritten(matcher, mine, best, known):
        return True
    for what, a, b, c, d in matcher.get_opcodes():
        if what != "replace" or b - a > _MOST or (d - c > _MOST + 2 and a > 0 and b < len(mine.keys)):
            continue
        width = b - a
        there = (
            best.tokens[max(c, d - width) : d]
            if a == 0
            else best.tokens[c : c + width]
            if b == len(mine.keys)
            else best.tokens[c:d]
        )
        inside = a > 0 and b < len(mine.keys)
        others = [t for t in there if t.kind != "verb" and not any(alike(t, own) for own in mine.tokens)]
        if any(_may_be(x, y, best) for x in mine.tokens[a:b] for y in others):
            continue
        if inside and b - a <= _FEW >= d - c and _rival_words(mine.tokens[a:b], others, mine, best):
            return True
        if any(
            _fits(mine.tokens[at], y, inside, a == 0, bool(PRONOUN.search(best.text)))
            for at in range(a, b)
            if at in foreign
            for y in others
        ):
            return True
    return False


def _rewritten(matcher: SequenceMatcher[str], mine: Clause, best: Clause, known: str) -> bool:
    """True where a sentence that is repeated nearly word for word has other words of the passage in one place."""
    for what, a, b, c, d in matcher.get_opcodes():
        if what != "replace" or a == 0:
            continue
        here = [t for t in mine.tokens[a:b] if t.kind != "verb" and t.key not in best.bag and _is_known(t, known)]
        there = [t for t in best.tokens[c:d] if t.key not in mine.bag]
        alike_there = any(_may_be(x, y, best) for x in mine.tokens[a:b] for y in there)
        if not alike_there and any((x.kind == "number") == (y.kind == "number") for x in here for y in there):
            return True
    return False


def _fits(one: Token, other: Token, inside: bool, first: bool, pointed: bool) -> bool:
    """True where one word may stand in the place of the other: what comes first may be the subject that the source says earlier, or points to."""
    if one.kind == other.kind:
        return not first or one.kind == "number" or (one.kind == "name" and not pointed)
    return "number" not in (one.kind, other.kind) and (inside or not first)


def _rival_words(here: Sequence[Token], there: Sequence[Token], mine: Clause, best: Clause) -> bool:
    """True for other words in a small gap, whether the passage has them elsewhere or not. English things may be verbs: only in a near repetition."""
    whole = len(mine.keys) >= NEARLY * len(
        best.keys
    )  # else a number that the sentence has may belong to the part that is repeated
    new = [t for t in here if t.kind != "number" or whole or t.key not in best.bag]
    sure = mine.share(best) >= NEARLY or any(t.sort or t.kind != "thing" for t in here)
    return sure and any(_rivals(x, y) for x in new for y in there)


def _may_be(one: Token, other: Token, best: Clause) -> bool:
    """True where one word may stand for the other: they mean the same, or a name stands for what is only pointed to."""
    if alike(one, other) or likewise.same(one.key, other.key):
        return True
    return other.kind == "thing" and _definite(other, best)


def _foreign(mine: Clause, best: Clause, known: str) -> frozenset[int]:
    """Return the places of words that the sentence lacks, but the passage has elsewhere."""
    return frozenset(
        place
        for place, token in enumerate(mine.tokens)
        if token.kind != "verb" and not any(alike(token, other) for other in best.tokens) and _is_known(token, known)
    )


def _is_known(token: Token, known: str) -> bool:
    text = token.text or token.key.lstrip("@")
    return text in known and (not text.isascii() or len(text) > 3 or token.kind != "thing")


def _usurps(place: int, mine: Clause, best: Clause) -> bool:
    """True where a word stands beside one that in the source has another name or thing beside it, on the same side."""
    token = mine.tokens[place]
    for step in (-1, 1):
        at = place + step
        if not 0 <= at < len(mine.keys) or best.keys.count(mine.keys[at]) != 1:
            continue
        beside = best.keys.index(mine.keys[at]) - step
        if not 0 <= beside < len(best.keys):
            continue
        other = best.tokens[beside]
        if place == 0 and (other.kind == "thing" or PRONOUN.search(best.text)):
            continue  # the subject, which the source says in a sentence before
        if _rivals(token, other) and not any(alike(other, own) for own in mine.tokens) and not _definite(other, best):
            return True
    return False


def _definite(token: Token, best: Clause) -> bool:
    """True where a thing is only pointed to (the neighborhood, 该公司): then a name may stand for it."""
    text = fold(best.text)
    at = text.find(token.text) if token.text else -1
    return at > 0 and bool(_DEFINITE.search(text[:at]))


def _rivals(one: Token, other: Token) -> bool:
    """True where two words could stand in one place and mean different things."""
    if one.kind != other.kind or one.kind == "verb" or alike(one, other):
        return False
    if one.kind == "thing":
        return (not one.sort or not other.sort or one.sort == other.sort) and not likewise.same(one.key, other.key)
    return True


def _spliced(mine: Clause, best: Clause) -> bool:
    """True where a claim is the beginning of one part of its sentence and the end of another one that begins alike, but for a word."""
    keys = best.keys
    for cut in range(2, len(mine.keys) - 1):
        head, tail = mine.keys[:cut], mine.keys[cut:]
        heads, tails = (_runs(each, keys) for each in (head, tail))
        if not heads or len(tails) != 1 or tails[0] - cut in heads or tails[0] < cut:
            continue
        own = best.tokens[tails[0] - cut : tails[0]]
        apart = [(a, b) for a, b in zip(mine.tokens[:cut], own, strict=True) if a.key != b.key]
        if 0 < len(apart) <= cut // 2 and not any(alike(a, b) or likewise.same(a.key, b.key) for a, b in apart):
            return True
    return False


def _runs(part: Sequence[str], keys: Sequence[str]) -> list[int]:
    return [at for at in range(len(keys) - len(part) + 1) if keys[at : at + len(part)] == part]


def _written_over(mine: str, best: str, known: str) -> bool:
    """True where Chinese characters of a claim stand, between the same ones, for others, and are said elsewhere: 琴师是 with another name.

    The words are not asked for, because a name that no dictionary knows is cut into pieces or glued to the next word.
    """
    said, source = ("".join(fold(text).split()) for text in (mine, best))
    if not _HAN.search(said) or len(said) > _LONGEST:
        return False
    blocks = [
        b for b in SequenceMatcher(None, said, source, autojunk=False).get_matching_blocks() if b.size > 1 or not b.size
    ]
    start_m = start_s = 0
    for number, block in enumerate(blocks):
        here, there = said[start_m : block.a], source[start_s : block.b]
        if block.size == 0:
            there = source[start_s:]
        before, after = number > 0, block.size > 0
        start_m, start_s = block.a + block.size, block.b + block.size
        if not (before or after):
            continue
        here, there = _bare(here, before, after), _bare(there, before, after)
        if _another(here, there, said, source, known):
            return True
    return False


def _bare(text: str, before: bool, after: bool) -> str:
    """Return of a gap what stands directly beside the words that both have, up to the next mark of punctuation."""
    parts = _MARKS.split(text)
    chosen = parts[0] if before and not (after and len(parts) > 1) else parts[-1]
    return _PARTICLES.sub("", chosen)


def _another(here: str, there: str, said: str, source: str, known: str) -> bool:
    if not (2 <= len(here) <= 8 and 2 <= len(there) <= 10) or not (
        _HAN.fullmatch(here[0]) and _HAN.fullmatch(there[0])
    ):
        return False
    if (
        _DEFINITE.match(there[:2])
        or _DEFINITE.match(there[:1])
        or here in source
        or here not in known
        or there in said
        or set(here) & set(there)
    ):
        return False
    mine, theirs = clause(here).tokens, clause(there).tokens
    if not mine or not theirs or any(t.kind in ("verb", "number") for t in (*mine, *theirs)):
        return False
    return not any(likewise.same(a.key, b.key) or likewise.grouped(a.key, b.key) for a in mine for b in theirs)
