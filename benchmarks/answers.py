"""Measure extractive answers on the examples' own questions: `python -m benchmarks.answers`.

For each kind of question: for how many the passage with the answer was among the hits (found), how many were answered, how many with a
verified citation from the expected source (cited; or from its twin in the other language, which holds the same fact), how many of those
quote the answer itself (quoted); and how many were refused, which is right for the unanswerable ones only.
`--across` asks each question of the twin pages only, so that question and passage differ in language. `--refusal SET,...` draws the
curve of refusals against answers over the threshold on public sets that hold unanswerable questions.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import sets
from benchmarks.retrieval import filled
from yinju import Answer, Citation, Hit, Library
from yinju.evaluate import metrics

PROVED = ("verified", "moved")  # a moved citation was checked against the passage that it was moved to
LANGUAGES = {"zh": "en", "en": "zh"}
THRESHOLDS = tuple(step / 20 for step in range(1, 20))


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of questions.jsonl. `line` is None where the source has no lines or the answer no single one."""

    id: str
    text: str
    language: str
    source: str | None
    line: int | None
    answers: tuple[str, ...]
    answerable: bool
    kind: str


def read_questions(path: Path) -> list[Asked]:
    return [
        Asked(
            row["id"],
            row["question"],
            row["lang"],
            row["source"],
            row.get("line"),
            tuple(row["answer"]),
            row["answerable"],
            row["kind"],
        )
        for row in sets.rows(path)
    ]


def twin(source: str, folder: Path = sets.EXAMPLES) -> str | None:
    """Return the page with the same text in the other language, whose lines have the same numbers; None where there is none."""
    language, _, name = source.partition("/")
    other = f"{LANGUAGES.get(language, '')}/{name}"
    return other if language in LANGUAGES and (folder / other).is_file() else None


def squeezed(text: str) -> str:
    """Return the text without white space and in lower case, so that table cells and wrapped PDF lines compare."""
    return "".join(text.split()).lower()


def right_place(citation: Citation, asked: Asked, sources: Iterable[str | None]) -> bool:
    return citation.status in PROVED and citation.source in set(sources)


def quotes_answer(citation: Citation, asked: Asked) -> bool:
    """True where the citation is of the answer's line, or (without lines) holds one of its words."""
    if asked.line is not None and citation.lines is not None:
        return citation.lines[0] <= asked.line <= citation.lines[1]
    return any(squeezed(answer) in squeezed(citation.quote) for answer in asked.answers)


def holds_answer(hit: Hit, asked: Asked, sources: Sequence[str | None]) -> bool:
    """True where this passage, given to a reader, would hold the answer."""
    if hit.source not in set(sources):
        return False
    if asked.line is not None and hit.lines is not None:
        return hit.lines[0] <= asked.line <= hit.lines[1]
    return any(squeezed(answer) in squeezed(hit.text) for answer in asked.answers)


def judge(asked: Asked, answer: Answer, sources: Sequence[str | None]) -> dict[str, Any]:
    """Return what came of a question. `sources`: those that hold the answer."""
    placed = [citation for citation in answer.citations if right_place(citation, asked, sources)]
    return {
        "id": asked.id,
        "kind": asked.kind,
        "question": asked.text,
        "answerable": asked.answerable,
        "refused": answer.refused,
        "cited": bool(placed) and not answer.refused,
        "expected": any(citation.source == sources[0] for citation in placed) and not answer.refused,
        "quoted": any(quotes_answer(citation, asked) for citation in placed) and not answer.refused,
        "unproved": sum(citation.status not in PROVED for citation in answer.citations),
        "evidence": round(answer.evidence, 4),
        "found": False,
        "text": answer.text,
        "citations": [
            [citation.source, citation.lines, citation.page, citation.status] for citation in answer.citations
        ],
        "wanted": [asked.source, asked.line],
    }


def ask_all(
    library: Library, questions: Sequence[Asked], across: bool, refuse_below: float | None = None
) -> list[dict[str, Any]]:
    records = []
    for asked in questions:
        where: Mapping[str, str] = {}
        sources: list[str | None] = [asked.source]
        if asked.source is not None:
            other = twin(asked.source)
            sources.append(other)
            if across:
                if other is None:
                    continue
                where, sources = {"source": f"{other.partition('/')[0]}/*"}, [other]
        elif across:
            where = {"source": f"{LANGUAGES[asked.language]}/*"}
        hits = library.search(asked.text, where=where)
        record = judge(asked, library.ask(asked.text, where=where, refuse_below=refuse_below), sources)
        records.append({**record, "found": any(holds_answer(hit, asked, sources) for hit in hits)})
    return records


def table(records: Sequence[dict[str, Any]]) -> list[str]:
    """Return the lines of the table: a row for each kind, one for all answerable questions."""
    columns = ("found", "answered", "cited", "itself", "quoted", "refused")
    lines = [f"{'kind':<16} {'n':>4} " + " ".join(f"{name:>8}" for name in columns) + f" {'not proved':>11}"]
    kinds = sorted({record["kind"] for record in records})
    groups = [(kind, [record for record in records if record["kind"] == kind]) for kind in kinds]
    groups.append(("all answerable", [record for record in records if record["answerable"]]))
    for name, group in groups:
        if group:
            shares = " ".join(f"{sum(value(record) for record in group) / len(group):>8.1%}" for value in VALUES)
            lines.append(f"{name:<16} {len(group):>4} {shares} {sum(record['unproved'] for record in group):>11}")
    return lines


VALUES: tuple[Callable[[dict[str, Any]], bool], ...] = (
    lambda record: record["found"],
    lambda record: not record["refused"],
    lambda record: record["cited"],
    lambda record: record["expected"],
    lambda record: record["quoted"],
    lambda record: record["refused"],
)


def refusal_curve(name: str, bench: Path, sample: int | None) -> list[str]:
    """Return the lines of a set's curve: at each threshold the share of answerable questions answered and of unanswerable refused."""
    asked = sets.questions(name, bench)
    groups = {
        answerable: [question for question in asked if question.answerable is answerable]
        for answerable in (True, False)
    }
    if not groups[False]:
        return [f"{name}: no unanswerable questions"]
    if sample is not None:
        groups = {
            key: sets.sampled(group, sets.folder_of(name, bench), min(sample, len(group)))
            for key, group in groups.items()
        }
    with filled(name, bench) as library:
        evidence = {key: [library.find(question.text).evidence for question in group] for key, group in groups.items()}
    area = metrics.area_under_curve(evidence[True], evidence[False])
    lines = [
        f"{name}: {len(evidence[True])} answerable, {len(evidence[False])} unanswerable, area under curve {area:.3f}"
    ]
    lines += [
        f"  refuse below {threshold:.2f}: answered {sum(e >= threshold for e in evidence[True]) / len(evidence[True]):6.1%}"
        f"   refused {sum(e < threshold for e in evidence[False]) / len(evidence[False]):6.1%}"
        for threshold in THRESHOLDS
    ]
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.answers", description=__doc__)
    parser.add_argument("--across", action="store_true", help="ask of the pages in the other language only")
    parser.add_argument("--failures", action="store_true", help="print every question that went wrong")
    parser.add_argument("--refuse-below", type=float, help="threshold of refusal (0: answer everything)")
    parser.add_argument("--refusal", help="public sets, separated by commas, such as clapnq-dev,dragonball-zh")
    parser.add_argument("--bench", type=Path, default=sets.BENCH, help="folder of the public sets")
    parser.add_argument("--sample", type=int, help="only so many questions of each group (with --refusal)")
    parser.add_argument("--label", default="latest", help="name under which the answers are kept in benchmarks/runs")
    given = parser.parse_args(arguments)
    if given.refusal:
        for name in given.refusal.split(","):
            try:
                print("\n".join(refusal_curve(name, given.bench, given.sample)))
            except sets.SetMissing as missing:
                print(missing, file=sys.stderr)
                return 2
        return 0
    folder = sets.RUNS / "libraries" / "help-centre"
    folder.mkdir(parents=True, exist_ok=True)
    with Library.open(folder) as library:
        library.sync(sets.EXAMPLES)
        records = ask_all(library, read_questions(sets.QUESTIONS), given.across, given.refuse_below)
    print("\n".join(table(records)))
    evidence = {key: [record["evidence"] for record in records if record["answerable"] is key] for key in (True, False)}
    print(f"evidence: area under curve {metrics.area_under_curve(evidence[True], evidence[False]):.3f}")
    kept = sets.RUNS / given.label / f"answers{'.across' if given.across else ''}.jsonl"
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")
    if given.failures:
        for record in records:
            if (record["answerable"] and not record["quoted"]) or (not record["answerable"] and not record["refused"]):
                print(
                    f"{record['id']} {record['kind']} {record['question']}\n   wanted {record['wanted']}, evidence {record['evidence']},"
                    f" {'refused' if record['refused'] else record['citations']}\n   {record['text']!r}"
                )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
