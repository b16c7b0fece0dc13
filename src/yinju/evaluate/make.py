"""Cases from the user's own documents: spread over documents and kinds, the same for the same seed, some of them without their source.

A question is unanswerable where every source that holds its number or code is left out of the search. Where another document says the same
in other words, as a translation may, such a label is wrong: good enough to see how refusals behave, not to choose a threshold.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from yinju.errors import UsageError
from yinju.evaluate.cases import Case, Gold
from yinju.evaluate.places import contains, squeezed
from yinju.evaluate.questions import Suggestion, suggestions
from yinju.messages import say
from yinju.retrieve.reading import matching_sources
from yinju.types import Document, Where

if TYPE_CHECKING:
    from yinju.library import Library

MAXIMUM_DOCUMENTS = 400  # that are read for questions; a larger library is sampled
PER_DOCUMENT = 60  # suggestions of one kind that are looked at
UNANSWERABLE = 0.25  # of the questions
MOST_HOLDERS = 4  # sources that may hold the answer to a question that is to be without them
Write = Callable[[Document, Suggestion], str | None]


@dataclass(frozen=True, slots=True)
class _Found:
    source: str
    suggestion: Suggestion


def make(
    library: Library,
    number: int = 50,
    *,
    seed: int = 0,
    where: Where | None = None,
    unanswerable: float = UNANSWERABLE,
    write: Write | None = None,
) -> list[Case]:
    """Return at most `number` cases made from the library's documents, marked as made. `write` may word a question better, or return None.

    Deterministic in library, number and seed. Raises UsageError where the documents suggest no question.
    """
    if number < 1:
        raise UsageError(
            say("{n} questions cannot be made.", "无法生成 {n} 道题。", n=number),
            say("Choose 1 or more.", "请选 1 或更多。"),
        )
    chance = random.Random(seed)  # noqa: S311  it spreads questions, it guards nothing
    sources = sorted(matching_sources(library.store, where or {}))
    read = sorted(chance.sample(sources, MAXIMUM_DOCUMENTS)) if len(sources) > MAXIMUM_DOCUMENTS else sources
    pool = _unambiguous([_Found(source, one) for source in read for one in _some(library.document(source))])
    if not pool:
        raise UsageError(
            say("The documents suggest no questions.", "文档里没有可以出题的内容。"),
            say("Write some yourself: docs/evaluation.md shows how.", "请自行编写，写法见 docs/evaluation.md。"),
        )
    chance.shuffle(pool)
    wanted = round(number * unanswerable) if len(sources) > 1 else 0
    without = _without(library, pool, sources, wanted)
    used = {id(found) for found, _holders in without}
    chosen = spread([found for found in pool if id(found) not in used], number - len(without))
    cases = [_case(library, found, (), write) for found in chosen]
    return cases + [_case(library, found, holders, write) for found, holders in without]


def spread(pool: Sequence[_Found], number: int) -> list[_Found]:
    """Return some of the pool, taking turns among kinds and, within a kind, among the documents asked least so far."""
    by_kind: dict[str, list[_Found]] = defaultdict(list)
    for found in pool:
        by_kind[found.suggestion.kind].append(found)
    asked: Counter[str] = Counter()
    chosen: list[_Found] = []
    kinds = sorted(by_kind)
    while len(chosen) < number and kinds:
        for kind in list(kinds):
            if len(chosen) == number:
                break
            best = min(by_kind[kind], key=lambda found: asked[found.source])
            by_kind[kind].remove(best)
            asked[best.source] += 1
            chosen.append(best)
            if not by_kind[kind]:
                kinds.remove(kind)
    return chosen


def _some(document: Document) -> list[Suggestion]:
    counts: Counter[str] = Counter()
    kept = []
    for suggestion in suggestions(document):
        counts[suggestion.kind] += 1
        if counts[suggestion.kind] <= PER_DOCUMENT:
            kept.append(suggestion)
    return kept


def _unambiguous(pool: Sequence[_Found]) -> list[_Found]:
    """Leave out what is asked in the same words of two places: nobody could say which one is meant."""
    counts = Counter(squeezed(found.suggestion.question) for found in pool)
    return [found for found in pool if counts[squeezed(found.suggestion.question)] == 1]


def _without(
    library: Library, pool: Sequence[_Found], sources: Sequence[str], wanted: int
) -> list[tuple[_Found, tuple[str, ...]]]:
    """Return suggestions whose number or code stands in a few sources only, each with all of these."""
    candidates = spread([found for found in pool if len(found.suggestion.core) > 1], wanted * 4)
    holders: dict[int, list[str]] = defaultdict(list)
    for source in sources if candidates else ():
        text = library.document(source).text
        for number, found in enumerate(candidates):
            if len(holders[number]) <= MOST_HOLDERS and contains(text, found.suggestion.core):
                holders[number].append(source)
    fitting = [
        (found, tuple(holders[number])) for number, found in enumerate(candidates) if found.source in holders[number]
    ]
    return [one for one in fitting if len(one[1]) <= min(MOST_HOLDERS, len(sources) - 1)][:wanted]


def _case(library: Library, found: _Found, without: tuple[str, ...], write: Write | None) -> Case:
    document, suggestion = library.document(found.source), found.suggestion
    question = (write(document, suggestion) if write is not None else None) or suggestion.question
    whole = suggestion.kind == "heading"
    gold = Gold(
        found.source, suggestion.heading if whole else None, document.lines(suggestion.span),
        None if document.line_at(suggestion.span.start) else document.page(suggestion.span.start),
        None if whole else suggestion.span.of(document.text),
    )  # fmt: skip
    answers = (suggestion.answer,) if suggestion.answer and not without else ()
    return Case(
        question, (gold,), answers, answerable=not without, without=without, made=True, kind=suggestion.kind,
    )  # fmt: skip
