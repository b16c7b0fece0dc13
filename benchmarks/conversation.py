"""Measure follow-up questions: `python -m benchmarks.conversation`.

For how many questions of a conversation the right passage is among the first five, with rewriting off, by rules and by a model, beside what
the same question reaches when a person writes it out (share: of that). Two sets: sixty follow-ups over the example library
(`data/follow-ups.jsonl`, half of them Chinese, written before the rules were), and the questions with history of deep-rag, written out in
`data/deep-rag-written-out.txt`. The model is scripted and says what the person wrote: the most that any model could do.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import sets
from benchmarks.retrieval import filled
from yinju import Hit, Library
from yinju.testing import ScriptedChatModel
from yinju.types import SearchResult

DATA = Path(__file__).resolve().parent / "data"
FOLLOW_UPS = DATA / "follow-ups.jsonl"
WRITTEN_OUT = DATA / "deep-rag-written-out.txt"  # a line for each question with history, in the order of the set
FIRST = 5
WAYS = ("written out", "off", "rules", "model")


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A question of a conversation, the same written out, and how to know the right passage."""

    id: str
    kind: str
    language: str
    history: tuple[Mapping[str, str], ...]
    question: str
    written: str
    right: Callable[[Hit], bool]


def follow_ups(path: Path = FOLLOW_UPS) -> Iterator[FollowUp]:
    """Yield our own questions; right is the named section of the named page."""
    for row in sets.rows(path):
        source, heading = row["source"], row["heading"]
        yield FollowUp(
            row["id"], row["kind"], row["lang"], tuple(row["history"]), row["question"], row["written"],
            lambda hit, source=source, heading=heading: hit.source == source and heading in hit.headings,
        )  # fmt: skip


def deep_rag(bench: Path) -> Iterator[FollowUp]:
    """Yield the questions with history of the set; right is what the set says."""
    folder = sets.folder_of("deep-rag", bench)
    relevant = sets.judgements(folder / "qrels.tsv")
    asked = [row for row in sets.rows(folder / "queries.jsonl") if row.get("history")]
    written = WRITTEN_OUT.read_text(encoding="utf-8").splitlines()
    for row, line in zip(asked, written, strict=True):
        passages = frozenset(relevant[row["id"]])
        yield FollowUp(
            row["id"], "place in a list", row["lang"], ({"role": "user", "content": row["history"]},), row["text"], line,
            lambda hit, passages=passages: sets.passage_id(hit.source) in passages,
        )  # fmt: skip


def run(library: Library, asked: Sequence[FollowUp]) -> list[dict[str, Any]]:
    """Ask every question in each way; return one record for each."""
    records = []
    for one in asked:
        library.chat_model = ScriptedChatModel(one.written)
        found: dict[str, Any] = {}
        searched: dict[str, str] = {}
        for way in WAYS:
            result = _found(library, one, way)
            found[way] = any(one.right(hit) for hit in result.hits)
            searched[way] = result.query
            found[f"{way} evidence"] = result.evidence
        records.append(
            {"id": one.id, "kind": one.kind, "language": one.language, "question": one.question, "searched": searched, **found}
        )  # fmt: skip
    return records


def _found(library: Library, one: FollowUp, way: str) -> SearchResult:
    if way == "written out":
        return library.find(one.written, FIRST)
    return library.find(one.question, FIRST, history=one.history, rewrite=way)  # type: ignore[arg-type]


def table(name: str, records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the lines of a set: all, and each language or kind where there are several."""
    groups: dict[str, list[Mapping[str, Any]]] = {name: list(records)}
    for key in ("language", "kind"):
        values = sorted({record[key] for record in records})
        for value in values if len(values) > 1 else ():
            groups[f"  {value}"] = [record for record in records if record[key] == value]
    return [_line(label, group) for label, group in groups.items()]


def _line(label: str, records: Sequence[Mapping[str, Any]]) -> str:
    reached = sum(record["written out"] for record in records)
    cells = [f"{reached:>11}"]
    for way in WAYS[1:]:
        count = sum(record[way] for record in records)
        cells.append(f"{count:>5} {count / reached if reached else 0.0:>6.2f}")
    return f"{label:<18} {len(records):>4} {' '.join(cells)}"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.conversation", description=__doc__)
    parser.add_argument("--sets", default="help-centre,deep-rag", help="which of help-centre and deep-rag")
    parser.add_argument("--failures", action="store_true", help="print what was searched where the rules did not do it")
    parser.add_argument("--bench", type=Path, default=sets.BENCH, help="folder of the public sets")
    parser.add_argument("--label", default="latest", help="name under which the records are kept in benchmarks/runs")
    given = parser.parse_args(arguments)
    print(
        f"{'right in first 5':<18} {'n':>4} {'written out':>11} "
        + " ".join(f"{way:>5} {'share':>6}" for way in WAYS[1:])
    )
    for name in given.sets.split(","):
        with _library(name, given.bench) as library:
            records = run(library, list(follow_ups() if name == "help-centre" else deep_rag(given.bench)))
        print("\n".join(table(name, records)))
        for record in records if given.failures else ():
            if record["written out"] and not record["rules"]:
                print(f"    {record['id']} {record['question']} => {record['searched']['rules']}")
        folder = sets.RUNS / given.label
        folder.mkdir(parents=True, exist_ok=True)
        text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        (folder / f"conversation-{name}.jsonl").write_text(text, encoding="utf-8")
    return 0


def _library(name: str, bench: Path) -> Library:
    """Return a library of the set's passages, or of the example pages."""
    if name != "help-centre":
        return filled(name, bench)
    library = Library.open()
    library.sync(sets.EXAMPLES)
    return library


if __name__ == "__main__":
    sys.exit(main())
