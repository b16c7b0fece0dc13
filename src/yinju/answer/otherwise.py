"""Do pieces of a passage that hold the words and facts of a claim say something else with them? All ways to find out are asked here.

Names, words exchanged or in other places, negations, numbers bound to other words, rows mixed, who it is and who does it, order, rates, modals.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from yinju.answer import aligned, bound, converses, order, places, relations, rows, subjects
from yinju.answer.polarity import avoided, flipped, never_affirmed, opposed, supposed, widened
from yinju.answer.views import Part
from yinju.text.normalize import fold


def says_otherwise(claim: str, chosen: Sequence[Part], parts: Sequence[Part]) -> bool:
    """True where the pieces hold the words and facts of the claim, but do not say what it says."""
    readings = [part.reading for part in chosen]
    prose = [part.reading for part in chosen if part.piece.kind != "row"]
    hits = {part.passage.marker: part.passage.hit for part in chosen}
    nearby = [part.reading for part in parts if part.passage.marker in hits and part.piece.kind != "row"]
    known = "".join(known_in(hit.text, hit.title, hit.headings, hit.header) for hit in hits.values())
    above = "\n".join(line for hit in hits.values() for line in (*hit.headings, hit.title or "", hit.header))
    return (
        bool(aligned.strange_names(claim, known))
        or converses.disagree(claim, prose)
        or (not converses.agree(claim, prose) and _in_other_places(claim, readings, prose, known))
        or widened(claim, readings)
        or supposed(claim, prose)
        or avoided(claim, prose)
        or never_affirmed(claim, nearby)
        or rows.mixed(claim, rows.of(chosen, parts))
        or bound.misbound(claim, prose)
        or bound.renumbered(claim, prose)
        or bound.crossed(claim, prose)
        or bound.mislabelled(claim, prose)
        or bound.exchanged(claim, readings)
        or bound.recounted(claim, nearby)
        or bound.stranded(claim, nearby)
        or subjects.of_another(claim, prose, known, "".join(fold(above).split()))
        or subjects.another_says(claim, prose)
        or order.exchanged(claim, prose, known)
        or relations.another_rate(claim, readings, above)
        or relations.another_mood(claim, readings)
        or relations.mixed(claim, prose, nearby)
    )


def _in_other_places(claim: str, readings: Sequence[str], prose: Sequence[str], known: str) -> bool:
    """True where words of the claim stand for, or in the places of, others of its source. What is said from the other side always does so."""
    return (
        opposed(claim, "\n".join(readings))
        or aligned.turned_over(claim, prose)
        or flipped(claim, prose)
        or aligned.exchanged(claim, prose, known)
        or places.displaced(claim, prose, known)
        or subjects.another_does(claim, prose, known)
        or relations.turned(claim, prose)
    )


@lru_cache(maxsize=512)
def known_in(text: str, title: str | None, headings: tuple[str, ...], header: str) -> str:
    """Return all that a passage says, with what stands above it, folded, without white space."""
    return "".join(fold("\n".join((text, title or "", *headings, header))).split())
