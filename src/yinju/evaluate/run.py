"""Ask every case as a user would, and record what came: ranks, citations, refusal, times, and where a failure began."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from yinju.evaluate import metrics
from yinju.evaluate.diagnose import Asked, filters_of, first_lost, follow, where_is
from yinju.evaluate.judge import Judge, ranked_passages
from yinju.evaluate.places import Place, Places, contains
from yinju.evaluate.records import DEPTH, Record
from yinju.messages import say, short_of
from yinju.types import Answer, Hit, Mode, Where

if TYPE_CHECKING:
    from yinju.evaluate.cases import Case
    from yinju.library import Library

Progress = Callable[[int, int], None]  # questions asked, all questions


def run(
    library: Library,
    cases: Sequence[Case],
    *,
    mode: Mode = "hybrid",
    where: Where | None = None,
    answers: bool = True,
    diagnoses: bool = True,
    judge: Judge | None = None,
    progress: Progress = lambda _done, _all: None,
) -> list[Record]:
    """Ask the cases in their order and return one record for each.

    `answers=False` searches only; refusals are then judged by the evidence. `judge` scores each answer that
    is no refusal. Raises UsageError, ModelError (an answer failed), StoreError.
    """
    places = Places(library)
    records = []
    for number, case in enumerate(cases):
        progress(number, len(cases))
        records.append(_ask(library, case, places, mode, where, answers=answers, diagnoses=diagnoses, judge=judge))
    progress(len(cases), len(cases))
    return records


def _ask(
    library: Library, case: Case, places: Places, mode: Mode, where: Where | None, *, answers: bool, diagnoses: bool, judge: Judge | None
) -> Record:  # fmt: skip
    filters = filters_of(case, places, where)
    golds = [places.of(gold) for gold in case.golds] if case.answerable else []
    started = time.perf_counter()
    found = library.find(case.question, DEPTH, mode, filters, history=case.history, read=not answers)
    search_ms = (time.perf_counter() - started) * 1_000 - found.took_ms.get("read", 0.0)
    answer, answer_ms = None, None
    if answers:
        started = time.perf_counter()
        answer = library.ask(case.question, case.history, mode=mode, where=filters)
        answer_ms = (time.perf_counter() - started) * 1_000
    ranks, grades = ranked(found.hits, golds)
    evidence = found.evidence if answer is None else answer.evidence
    refused = evidence < library.options.refuse_below if answer is None else answer.refused
    record = Record(
        id=case.id, question=case.question, kind=case.kind, made=case.made, answerable=case.answerable, mode=mode,
        ranks=ranks, quoted=tuple(place.gold.quote is not None for place in golds), grades=grades,
        hits=tuple(where_is(hit) for hit in found.hits), evidence=evidence, refused=refused,
        text=None if answer is None else answer.text,
        citations=None if answer is None else len(answer.citations), right=_right(answer, golds),
        correct=_correct(answer, case), **_deterministic(answer, case, golds),
        judged=judge.of(answer) if judge and answer else None, model=None if answer is None else answer.model,
        notices=tuple(dict.fromkeys((*found.notices, *(answer.notices if answer else ())))),
        search_ms=round(search_ms, 2), answer_ms=None if answer_ms is None else round(answer_ms, 2),
    )  # fmt: skip
    if not diagnoses or not failed(record):
        return record
    options = library.options
    asked = Asked(case, found.query, mode, filters, options.limit, evidence, options.refuse_below, answer)
    lost, why = _failure(library, record, golds, places, asked)
    return replace(record, lost=lost, why=why)


def ranked(hits: Sequence[Hit], golds: Sequence[Place]) -> tuple[tuple[int | None, ...], tuple[int, ...]]:
    """Return for each gold the rank of the first passage that holds it, and for each passage how many golds it is the first to hold."""
    ranks = tuple(next((rank for rank, hit in enumerate(hits, 1) if place.holds(hit)), None) for place in golds)
    return ranks, tuple(ranks.count(rank) for rank in range(1, len(hits) + 1))


def failed(record: Record) -> bool:
    """Whether a person would be unhappy: no gold among the first five, refused or answered wrongly, wrong text, no citation of a gold."""
    if record.refused is record.answerable:
        return True
    if not record.answerable:
        return False
    missed = bool(record.ranks) and min((rank for rank in record.ranks if rank is not None), default=99) > 5
    wrong_place = bool(record.ranks) and record.right == 0
    return missed or wrong_place or record.correct is False


def worst(records: Iterable[Record]) -> list[Record]:
    """Return the failed records, worst first: a wrong answer to what nothing answers, nothing found, then by the measures that failed."""

    def badness(record: Record) -> tuple[bool, float, float]:
        found = record.measures()
        return record.answerable, found.get("hit@5", 0.0) + found.get("correct", 0.0), found.get("mrr@10", 0.0)

    return sorted((record for record in records if failed(record)), key=badness)


def _failure(library: Library, record: Record, golds: Sequence[Place], places: Places, asked: Asked) -> tuple[str, str]:
    if not record.answerable:
        text = say(
            "answered, although nothing answers it: evidence {e:.2f}, threshold {t:.2f}", "没有答案却回答了：证据 {e:.2f}，阈值 {t:.2f}",
            e=asked.evidence, t=asked.refuse_below,
        )  # fmt: skip
        return "answered", text
    lost = first_lost([follow(library, place, places, asked) for place in golds])
    if lost is not None and lost.lost is not None:
        return lost.lost, lost.why
    if record.refused:
        evidence, threshold = short_of(asked.evidence, asked.refuse_below)
        return "answered", say(
            "refused: evidence {e}, threshold {t}", "被拒答：证据 {e}，阈值 {t}", e=evidence, t=threshold
        )
    return "answered", say("the answer does not say what was expected", "答案没有说出预期的内容")


def _right(answer: Answer | None, golds: Sequence[Place]) -> int | None:
    if answer is None:
        return None
    return sum(any(place.proves(citation) for place in golds) for citation in answer.citations)


def _deterministic(answer: Answer | None, case: Case, golds: Sequence[Place]) -> dict[str, Any]:
    """Return what can be said of an answer without a model: sentences verified, likeness to an expected answer, passages that were of use."""
    if answer is None or answer.refused:
        return {}
    useful = [any(place.holds(passage.hit) for place in golds) for passage in ranked_passages(answer)]
    return {
        "said": len(answer.sentences),
        "proved": sum(sentence.status in ("verified", "moved") for sentence in answer.sentences),
        "overlap": max((round(metrics.overlap(answer.text, wanted), 4) for wanted in case.answers), default=None),
        "useful": round(metrics.average_precision(useful), 4) if golds and useful else None,
    }


def _correct(answer: Answer | None, case: Case) -> bool | None:
    if answer is None or not case.answers or not case.answerable:
        return None
    return not answer.refused and any(contains(answer.text, wanted) for wanted in case.answers)
