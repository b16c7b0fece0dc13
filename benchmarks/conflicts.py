"""Pairs of passages that disagree, pairs that only sound so, and ordinary questions: `python -m benchmarks.conflicts`.

Planted pairs have to be found and both shown, harmless ones left alone (both in `data/conflicts.jsonl`). Then the passages that are found for
ordinary questions of public sets, which hold no contradictions that we know of: how often is one flagged? `--no-sets` leaves these out.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import sets
from benchmarks.retrieval import filled
from yinju import Hit
from yinju.answer import answer
from yinju.answer.conflicts import Conflict, conflicts
from yinju.answer.disagreement import notice
from yinju.messages import set_language
from yinju.types import Document, Passage, SearchResult, Span

PAIRS = Path(__file__).parent / "data" / "conflicts.jsonl"
ORDINARY = ("xquad-zh", "clapnq-dev")


def hit(given: Mapping[str, Any], number: int) -> Hit:
    """Return a hit that is the whole of a small document."""
    text, source = given["text"], given["source"]
    document = Document(text, source, anchors=((0, 1),))
    return Hit(
        id=f"c_{number}", source=source, document=document.id, title=None, headings=tuple(given.get("headings", ())),
        lines=document.lines(Span(0, len(text))), page=None, index=0, tokens=len(text), span=Span(0, len(text)), text=text,
        header=given.get("header", ""), metadata=given.get("metadata", {}), score=1.0 / (number + 1),
    )  # fmt: skip


def hits_of(pair: Mapping[str, Any]) -> list[Hit]:
    return [hit(pair["one"], 0), hit(pair["other"], 1)]


def found_in(pair: Mapping[str, Any]) -> tuple[Conflict, ...]:
    return conflicts(pair["question"], [Passage(number, each) for number, each in enumerate(hits_of(pair), start=1)])


def shows_both(pair: Mapping[str, Any]) -> bool:
    """True where an extractive answer quotes both passages, each proved, and says that they disagree."""
    set_language(pair["lang"])
    result = SearchResult(pair["question"], "hybrid", tuple(hits_of(pair)), evidence=0.9)
    found = answer(pair["question"], result)
    cited = {citation.source for citation in found.citations if citation.status == "verified"}
    said = "disagree" if pair["lang"] == "en" else "不一致"
    return cited == {pair["one"]["source"], pair["other"]["source"]} and said in found.text


def pairs(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the lines of the planted and of the harmless pairs."""
    planted, harmless = ([row for row in rows if row["conflict"] is wanted] for wanted in (True, False))
    missed = [row for row in planted if not found_in(row)]
    flagged = [row for row in harmless if found_in(row)]
    not_shown = [row for row in planted if not shows_both(row)]
    kinds = Counter(row["what"] for row in planted)
    lines = [f"planted: {len(planted) - len(missed)} of {len(planted)} found ({', '.join(f'{kind} {n}' for kind, n in kinds.items())}), "
             f"{len(planted) - len(not_shown)} shown in full by an extractive answer",
             f"harmless: {len(flagged)} of {len(harmless)} flagged"]  # fmt: skip
    lines += [f"  missed {row['id']}: {row['one']['text']} | {row['other']['text']}" for row in missed]
    lines += [
        f"  not shown {row['id']}: {row['one']['text']} | {row['other']['text']}"
        for row in not_shown
        if row not in missed
    ]
    lines += [f"  flagged {row['id']} ({row['what']}): {notice(found_in(row)[0])}" for row in flagged]
    return lines


def ordinary(name: str, bench: Path, sample: int) -> list[str]:
    """Return the lines of a public set: how many questions see a conflict among their first five passages, and which."""
    asked = [question for question in sets.questions(name, bench) if question.answerable]
    asked = sets.sampled(asked, sets.folder_of(name, bench), min(sample, len(asked)))
    flagged, took = [], 0.0
    with filled(name, bench) as library:
        for question in asked:
            hits = library.search(question.text)
            started = time.process_time()
            found = conflicts(question.text, [Passage(number, each) for number, each in enumerate(hits, start=1)])
            took += time.process_time() - started
            if found:
                flagged.append((question.text, found[0]))
    lines = [
        f"{name}: {len(flagged)} of {len(asked)} questions flagged, {took / len(asked) * 1_000:.1f} ms of processor time a question"
    ]
    for text, conflict in flagged:
        lines += [
            f"  {text}",
            f"     {conflict.one.text[:200]}",
            f"     {conflict.other.text[:200]}",
            f"     {conflict.one.value} | {conflict.other.value}",
        ]
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.conflicts", description=__doc__)
    parser.add_argument("--no-sets", action="store_true", help="only the pairs")
    parser.add_argument("--bench", type=Path, default=sets.BENCH, help="folder of the public sets")
    parser.add_argument("--sample", type=int, default=150, help="questions of each set")
    given = parser.parse_args(arguments)
    rows = list(sets.rows(PAIRS))
    for number in sorted({row["set"] for row in rows}):
        print(f"set {number}")
        print("\n".join(pairs([row for row in rows if row["set"] == number])))
    for name in () if given.no_sets else ORDINARY:
        try:
            print("\n".join(ordinary(name, given.bench, given.sample)))
        except sets.SetMissing as missing:
            print(missing, file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
