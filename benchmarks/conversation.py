"""Measure follow-up questions: `python -m benchmarks.conversation`.

For how many questions of a conversation the right passage is among the first five, with rewriting off, by rules and by a model, beside what
the same question reaches when a person writes it out (share: of that). The sets: sixty follow-ups over the example library
(`data/follow-ups.jsonl`, half of them Chinese, written before the rules were), and the questions with history of deep-rag, written out in
`data/deep-rag-written-out.txt`; those once more over the whole pages that its passages were cut from (deep-rag-pages), where a passage is right
if it stands on the page and holds the answer. The model is scripted and says what the person wrote: the most that any model could do.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks import sets
from benchmarks.retrieval import filled
from yinju import Hit, Library
from yinju.testing import ScriptedChatModel
from yinju.types import SearchResult

DATA = Path(__file__).resolve().parent / "data"
NEW_SUBJECTS = DATA / "new-subjects.jsonl"  # questions that change the subject, which no passage answers
FOLLOW_UPS = DATA / "follow-ups.jsonl"
WRITTEN_OUT = DATA / "deep-rag-written-out.txt"  # a line for each question with history, in the order of the set
FIRST = 5
SETS = ("help-centre", "deep-rag", "deep-rag-pages")
PAGES = "docs-gitlab-handbook"
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


def deep_rag_pages(bench: Path) -> Iterator[FollowUp]:
    """Yield the same questions, to be asked of whole pages."""
    asked = [row for row in sets.rows(sets.folder_of("deep-rag", bench) / "queries.jsonl") if row.get("history")]
    for one, row in zip(deep_rag(bench), asked, strict=True):
        pages, answers = frozenset(row["gold_pages"]), tuple(row["answers"])
        yield replace(
            one,
            right=lambda hit, pages=pages, answers=answers: (
                any(hit.source.endswith(page) for page in pages) and any(answer in hit.text for answer in answers)
            ),
        )


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
        return library.find(one.written, FIRST, read=True)
    return library.find(one.question, FIRST, history=one.history, rewrite=way, read=True)  # type: ignore[arg-type]


def table(name: str, records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the lines of a set: all, and each language or kind where there are several."""
    groups: dict[str, list[Mapping[str, Any]]] = {name: list(records)}
    for key in ("language", "kind"):
        values = sorted({record[key] for record in records})
        for value in values if len(values) > 1 else ():
            groups[f"  {value}"] = [record for record in records if record[key] == value]
    return [_line(label, group) for label, group in groups.items()]


def refusals(library: Library, records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return how many follow-ups have evidence enough for an answer, and how many new subjects without an answer have not."""
    least = library.options.refuse_below
    answered = [sum(record[f"{way} evidence"] >= least for record in records) for way in WAYS]
    strange = list(sets.rows(NEW_SUBJECTS))
    refused = [
        sum(library.find(row["question"], history=row["history"], rewrite=way, read=True).evidence < least for row in strange)
        for way in ("off", "rules")
    ]  # fmt: skip
    return [
        f"enough evidence    {len(records):>4} {answered[0]:>11} "
        + " ".join(f"{count:>5}       " for count in answered[1:]),
        f"nothing, refused   {len(strange):>4} {'':>11} " + " ".join(f"{count:>5}       " for count in refused),
    ]


def _line(label: str, records: Sequence[Mapping[str, Any]]) -> str:
    reached = sum(record["written out"] for record in records)
    cells = [f"{reached:>11}"]
    for way in WAYS[1:]:
        count = sum(record[way] for record in records)
        cells.append(f"{count:>5} {count / reached if reached else 0.0:>6.2f}")
    return f"{label:<18} {len(records):>4} {' '.join(cells)}"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.conversation", description=__doc__)
    parser.add_argument("--sets", default=",".join(SETS), help="which of " + ", ".join(SETS))
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
            records = run(library, _questions(name, given.bench))
            lines = [*table(name, records), *(refusals(library, records) if name == "help-centre" else ())]
        print("\n".join(lines))
        for record in records if given.failures else ():
            if record["written out"] and not record["rules"]:
                print(f"    {record['id']} {record['question']} => {record['searched']['rules']}")
        folder = sets.RUNS / given.label
        folder.mkdir(parents=True, exist_ok=True)
        text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        (folder / f"conversation-{name}.jsonl").write_text(text, encoding="utf-8")
    return 0


def _questions(name: str, bench: Path) -> list[FollowUp]:
    if name == "help-centre":
        return list(follow_ups())
    return list(deep_rag_pages(bench) if name == "deep-rag-pages" else deep_rag(bench))


def _library(name: str, bench: Path) -> Library:
    """Return a library of the set's passages or pages, or of the example pages."""
    if name == "deep-rag":
        return filled(name, bench)
    library = Library.open(sets.RUNS / "libraries" / name if name == "deep-rag-pages" else None)
    library.sync(bench / PAGES if name == "deep-rag-pages" else sets.EXAMPLES)
    return library


if __name__ == "__main__":
    sys.exit(main())
