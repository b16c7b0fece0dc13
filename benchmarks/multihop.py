"""Measure the second round of a search: `python -m benchmarks.multihop [--sets dragonball-zh,deep-rag,...] [--sample N]`.

Each question is asked twice in a row, with one round only and as the search decides by itself. Where a set names the sentences that an answer
needs (`evidence`: document -> sentences), the figure is the share of questions that have all of them among the first five and ten passages of
our own cutting, by type of question; of all other sets it is nDCG@10 over documents, and the difference has a paired 95 % interval.
`--collapse` asks as users do (at most two passages of a document, copies once); without it all passages compete.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import retrieval, sets
from yinju import Hit, Library
from yinju.evaluate import metrics
from yinju.retrieve import RetrieveOptions, hops, search
from yinju.types import Query

ROUNDS = {"one": RetrieveOptions(hops=False), "second": RetrieveOptions()}
DEFAULT = ("dragonball-zh", "deep-rag", "xquad-zh", "xquad-en", "cmrc2018-dev", "clapnq-dev")
FAR = 100  # passages among which one round is asked for the upper bound
_nothing = re.compile(r"[\s\W_]+")


@dataclass(frozen=True, slots=True)
class Asked:
    """What one question found in one kind of search."""

    hits: Sequence[Hit]
    milliseconds: float

    @property
    def again(self) -> bool:
        """Whether there was a second round."""
        return any(vote.leg == hops.LEG for hit in self.hits for vote in hit.votes)


@dataclass(frozen=True, slots=True)
class Case:
    """A question of a set with the sentences that it needs, by document; none: judged by its relevant documents."""

    question: sets.Question
    type: str
    evidence: tuple[tuple[str, str], ...]  # document, sentence without white space and punctuation


def cases(name: str, bench: Path, sample: int | None) -> list[Case]:
    """Return the questions of a set that have something to be found. Raises sets.SetMissing."""
    rows = {row["id"]: row for row in sets.rows(sets.folder_of(name, bench) / "queries.jsonl")}
    return [
        Case(question, rows[question.id].get("type", ""), _evidence(rows[question.id].get("evidence")))
        for task in sets.tasks(name, bench, sample)
        for question in task.questions
    ]


def _evidence(given: Any) -> tuple[tuple[str, str], ...]:
    if not isinstance(given, dict):
        return ()
    return tuple((document, bare(text)) for document, texts in given.items() for text in texts if bare(text))


def bare(text: str) -> str:
    """Return the text without white space and punctuation."""
    return _nothing.sub("", text)


def ask(library: Library, question: str, options: RetrieveOptions, limit: int, *, collapse: bool) -> Asked:
    """Ask one question."""
    started = time.perf_counter()
    query = Query(question, limit, collapse=collapse)
    found = search(library.store, query, library.embedder, options=options)
    return Asked(found.hits, (time.perf_counter() - started) * 1_000)


def lowest_rank(case: Case, hits: Sequence[Hit]) -> int | None:
    """Return the rank by which all sentences of the question's evidence have come, None where one is not among the hits."""
    texts = [(sets.passage_id(hit.source), bare(hit.text)) for hit in hits]
    ranks = [
        next((rank for rank, (name, text) in enumerate(texts, 1) if name == document and sentence in text), None)
        for document, sentence in case.evidence
    ]
    known = [rank for rank in ranks if rank is not None]
    return max(known) if len(known) == len(ranks) else None


def judged(library: Library, case: Case, *, collapse: bool) -> dict[str, Any]:
    """Ask a question with one round and with two; return what is counted of it."""
    asked = {name: ask(library, case.question.text, options, 10, collapse=collapse) for name, options in ROUNDS.items()}
    record: dict[str, Any] = {"again": asked["second"].again}
    for name, one in asked.items():
        record[f"{name} ms"] = one.milliseconds
        record[f"{name} ndcg"] = metrics.ndcg(retrieval.ranking(one.hits), case.question.relevant)
        if case.evidence:
            rank = lowest_rank(case, one.hits)
            record |= {f"{name} @{k}": float(rank is not None and rank <= k) for k in (5, 10)}
    if case.evidence:
        far = lowest_rank(case, ask(library, case.question.text, ROUNDS["one"], FAR, collapse=False).hits)
        record |= {f"far @{k}": float(far is not None and far <= k) for k in (50, FAR)}
    return record


def line(name: str, records: Sequence[dict[str, Any]]) -> str:
    """Return the line of the table about these questions."""
    figures = ("@5", "@10") if "one @5" in records[0] else ("ndcg",)
    parts = [f"{name:<44} {len(records):>5}"]
    for figure in figures:
        before, after = ([record[f"{kind} {figure}"] for record in records] for kind in ROUNDS)
        found = metrics.compare(before, after)
        parts.append(
            f"{figure} {_mean(before):.3f} -> {_mean(after):.3f} [{found.difference.low:+.3f}, {found.difference.high:+.3f}]"
            f" +{found.better} -{found.worse}"
        )
    if "far @50" in records[0]:
        parts.append(
            "one round @50 {:.3f} @100 {:.3f}".format(*(_mean([r[f"far @{k}"] for r in records]) for k in (50, FAR)))
        )
    parts.append(f"again {_mean([float(record['again']) for record in records]):.3f}")
    for again in (False, True):
        some = [record for record in records if record["again"] == again]
        if some:
            times = [metrics.percentile([record[f"{kind} ms"] for record in some], 50) for kind in ROUNDS]
            parts.append(f"{'ms again' if again else 'ms'} {times[0]:.0f} -> {times[1]:.0f}")
    return "  ".join(parts)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def measure(name: str, bench: Path, sample: int | None, *, collapse: bool) -> None:
    """Print the table of one set. Raises sets.SetMissing."""
    asked = cases(name, bench, sample)
    by_type: dict[str, list[dict[str, Any]]] = defaultdict(list)
    sentences = any(case.evidence for case in asked)
    with retrieval.filled(name, bench) as library:
        for case in asked:
            if case.evidence or not sentences:
                by_type[case.type].append(judged(library, case, collapse=collapse))
    for kind, records in sorted(by_type.items()):
        print(line(f"{name} {kind}".strip(), records), flush=True)
    several = [record for kind, records in by_type.items() if kind.startswith("multi") for record in records]
    if sentences and several:
        print(line(f"{name}, several hops or documents", several), flush=True)
    if len(by_type) > 1:
        print(line(f"{name}, all", [record for records in by_type.values() for record in records]), flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.multihop", description=__doc__)
    parser.add_argument("--sets", default=",".join(DEFAULT), help="names, separated by commas (default: %(default)s)")
    parser.add_argument("--bench", type=Path, default=sets.BENCH, help="folder of the public sets")
    parser.add_argument("--sample", type=int, help="only so many questions of each set")
    parser.add_argument(
        "--collapse", action="store_true", help="ask as users do: few passages of a document, copies once"
    )
    given = parser.parse_args(arguments)
    status = 0
    for name in given.sets.split(","):
        try:
            measure(name, given.bench, given.sample, collapse=given.collapse)
        except sets.SetMissing as missing:
            print(missing, file=sys.stderr)
            status = 2
    return status


if __name__ == "__main__":
    raise SystemExit(main())
