"""Is a clause of an answer its source's clause with one word exchanged? Two clauses are laid beside each other word by word.

Where the words around a gap are the same, and in the gap one name, number, thing or quality stands in the place of another, the clause says
something else, however many of its words are right. Words that mean the same, and ways to say the same, are no exchange; verbs have so many
that only opposites count.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import takewhile

from yinju.answer import likewise
from yinju.answer.clauses import LISTED, PRONOUN, Clause, Token, alike, clause, clauses, laid_out, nearest
from yinju.text.words import stem

_MOST = 4  # words in a gap: a longer one is another wording, not an exchange


def exchanged(claim: str, readings: Sequence[str], known: str) -> bool:
    """True where a clause of the claim is one of the readings with a word exchanged. `known`: all the passages say, folded, without white space."""
    theirs, wholes = laid_out(readings)
    said = clause(claim)
    best = nearest(said, wholes)
    if best is not None and _of_another(said, best):
        return True
    if best is not None and said.bag == best.bag and LISTED.search(claim):
        return False  # a list in another order; `relations` knows what of it may change its place
    return any(_exchanged(mine, theirs, wholes, known) for mine in clauses(claim))


def _exchanged(mine: Clause, theirs: Sequence[Clause], wholes: Sequence[Clause], known: str) -> bool:
    best = nearest(mine, theirs) or nearest(mine, wholes)
    if best is None or mine.keys == best.keys:
        return False
    rivals = [one for one in theirs if mine.share(one) == mine.share(best)] or [best]
    own = nearest(mine, wholes, 0.0)
    if own is not None:  # of equals those in the sentence that has most of it
        rivals = [one for one in rivals if one.text in own.text] or rivals
    doing = [len({t.key for t in mine.tokens if t.kind == "verb"} & one.bag) for one in rivals]
    rivals = [one for one, verbs in zip(rivals, doing, strict=True) if verbs == max(doing)]
    return all(_differs(mine, one, known, _short(one, theirs, own)) for one in rivals)


def _short(best: Clause, theirs: Sequence[Clause], own: Clause | None) -> frozenset[str]:
    """Return the numbers of the other clauses of a sentence that have next to no words of their own: `and 10 days in 2020`."""
    others = [one for one in theirs if one is not best and own is not None and one.text in own.text]
    return frozenset(
        t.key for one in others if len(one.tokens) - one.numbers <= 2 for t in one.tokens if t.key[0].isdigit()
    )


def _differs(mine: Clause, best: Clause, known: str, short: frozenset[str]) -> bool:
    """`short`: numbers of clauses with next to no words of their own (`and 10 in 2020`); whether they belong here `bound` knows."""
    matcher = SequenceMatcher(None, mine.keys, best.keys, autojunk=False)
    for what, a, b, c, d in matcher.get_opcodes():
        if what != "replace":
            continue
        here, there = tuple(t for t in mine.tokens[a:b] if t.kind != "number" or t.key not in short), best.tokens[c:d]
        if not here:
            continue
        inside = a > 0 and b < len(mine.keys)
        if len(here) <= _MOST and len(there) <= _MOST:
            if _another(here, there, mine, best, "" if inside else known):
                return True
        elif a == 0 and here[-1].kind == there[-1].kind == "name" and mine.tokens[b].kind != "number":
            if _another(here[-1:], there[-1:], mine, best, known):  # whoever does what is the same is another one
                return True
        elif b == len(mine.keys) and len(here) <= _MOST and _another(here, there[:_MOST], mine, best, known):
            return True
    return False


def _another(here: Sequence[Token], there: Sequence[Token], mine: Clause, best: Clause, known: str) -> bool:
    """True where the words of a gap are another name, number, thing or quality than those in their place.

    A word that only stands elsewhere in the source's clause has moved, unless the one in its place has moved, too: they are exchanged.
    Words that are `known` may be said of the same matter elsewhere; what must be different for them are names and numbers.
    """
    rivals = [t for t in there if not any(alike(t, own) for own in here)]
    small = len(here) <= 3 and len(there) <= 4
    tight = len(here) <= 2 and len(there) <= 2  # longer runs of things are other wordings
    does = any(t.kind == "verb" for t in there) and not any(t.kind == "verb" for t in here)  # so does a word here, then
    initials = "".join(t.key[0] for t in there)  # ENR for Engineering News-Record
    for token in here:
        if any(alike(token, other) for other in there) or (len(initials) > 1 and token.key == initials):
            continue
        others = [
            t for t in rivals if (token.key in best.bag) == (t.key in mine.bag) or (token.kind == t.kind == "number")
        ]
        if any(likewise.opposite(token.key, other.key) for other in others):
            return True
        if token.kind == "verb":
            continue
        if token.kind in ("name", "number") and any(_rank(other) == _rank(token) for other in others):
            return True
        if (token.text or token.key) in known or not small:
            continue
        if token.kind == "name" and any(other.sort == "n" for other in others):
            return True
        if token.kind == "thing" and tight and not does and any(_same_sort(token, other) for other in others):
            return True
    return False


def _rank(token: Token) -> str:
    return "place" if token.key.startswith("第") else token.kind


def _of_another(said: Clause, whole: Clause) -> bool:
    """True where a sentence says of one name what its source says of another: neither stands in both, and no pronoun speaks for one."""
    mine = {t.key for t in takewhile(lambda t: t.kind != "verb", said.tokens[:6]) if t.kind == "name"}
    theirs = {t.key for t in takewhile(lambda t: t.kind != "verb", whole.tokens[:8]) if t.kind == "name"}
    strange = [name for name in mine if not any(name in key or key in name for key in whole.bag)]
    others = [name for name in theirs if not any(name in key or key in name for key in said.bag)]
    return bool(strange and others) and not PRONOUN.search(whole.text)


def _same_sort(one: Token, other: Token) -> bool:
    return other.kind in ("thing", "name") and (not one.sort or not other.sort or one.sort == other.sort)


def turned_over(claim: str, readings: Sequence[str]) -> bool:
    """True where a word of the claim stands nowhere in the readings, but its opposite does."""
    _, wholes = laid_out(readings)
    known = frozenset().union(*(whole.bag for whole in wholes))
    mine = clause(claim)
    best = nearest(mine, wholes)
    if best is None or any(likewise.opposite(a, b) for a in mine.bag for b in mine.bag):
        return False  # what rises and then falls: both are in it
    return any(likewise.opposite(a, b) for a in mine.bag - known for b in best.bag - mine.bag)


def strange_names(claim: str, known: str) -> list[str]:
    """Return the names in a claim that stand nowhere in a text (folded, without white space)."""
    tokens = clause(claim).tokens
    first = re.match(r"\W*([a-zA-Z]+)\s+[a-z]", claim)
    opening = stem(first[1].lower()) if first else ""  # a capital because it comes first
    return [t.text for t in tokens if t.kind == "name" and t.key != opening and not _known(t.text, known)]


def _known(name: str, known: str) -> bool:
    """True where a name stands in a text, or half of its pairs of characters do, because the words were cut in another place."""
    if name in known or (name.isascii() and stem(name) in known):
        return True
    if name.isascii():
        return False
    pairs = [name[i : i + 2] for i in range(len(name) - 1)]
    return 2 * sum(pair in known for pair in pairs) >= len(pairs) > 1 or any(
        word in known for word in likewise.group(name)
    )
