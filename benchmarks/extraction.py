"""Measure which sentences answer without a model: `python -m benchmarks.extraction`.

Every question of a set is searched in the library of all its passages, as `ask` does it (hybrid, default configuration), and the sentences
of the passages that come into the context are ranked as for an extract. Shown is for which share of the questions the first, the first two
and the first three sentences hold the answer: a gold answer stands in them (short answers), one of them stands in the gold answer (long
ones), or which share of the gold evidence sentences they are. Letters and digits are compared, without case, width and spaces. Each
sentence is looked up in its source: one that does not stand there word for word ends the run.

The set `guard` are 30 questions of our own over the example documents and invented prose (data/extraction-guard.jsonl), written before any
figure was seen and never fitted: gains elsewhere must not be paid for there.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import sets
from benchmarks.retrieval import filled
from yinju import Hit, Library
from yinju.answer import build_context
from yinju.answer.rank import rank
from yinju.evaluate import metrics
from yinju.text.normalize import fold

GUARD = "guard"
GUARD_FILE = sets.ROOT / "benchmarks" / "data" / "extraction-guard.jsonl"
DEFAULT_SETS = (GUARD, "xquad-zh", "cmrc2018-dev", "xquad-en", "clapnq-dev", "dragonball-zh")
DEPTHS = (1, 2, 3)
SHORTEST = 10  # letters of a sentence that stands in a long answer; fewer stand in any
_between = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Gold:
    """What is known of a question's answer."""

    answers: tuple[str, ...]
    evidence: tuple[str, ...]


def letters_of(text: str) -> str:
    """Return the letters and digits of a text, folded."""
    return _between.sub("", fold(text))


def contains(gold: Gold, sentences: Sequence[str]) -> float:
    """Return 1 where a gold answer stands in the sentences."""
    said = letters_of("".join(sentences))
    return float(any(letters_of(answer) in said for answer in gold.answers))


def lies_inside(gold: Gold, sentences: Sequence[str]) -> float:
    """Return 1 where one of the sentences stands in a gold answer."""
    return _inside(sentences, gold.answers)


def is_evidence(gold: Gold, sentences: Sequence[str]) -> float:
    """Return 1 where one of the sentences stands in the sentences that the makers of the set marked in the passage."""
    return _inside(sentences, ["".join(gold.evidence)])


def covers(gold: Gold, sentences: Sequence[str]) -> float:
    """Return the share of the evidence sentences that are among the sentences, whole or as a part of one."""
    said = [letters_of(sentence) for sentence in sentences]
    wanted = [letters_of(sentence) for sentence in gold.evidence]
    held = sum(any(want in one or (len(one) >= SHORTEST and one in want) for one in said) for want in wanted)
    return held / len(wanted)


def _inside(sentences: Sequence[str], golds: Sequence[str]) -> float:
    said = [letters_of(sentence) for sentence in sentences]
    return float(any(len(one) >= SHORTEST and one in letters_of(gold) for one in said for gold in golds))


Measure = Callable[[Gold, Sequence[str]], float]
MEASURES: Mapping[str, Mapping[str, Measure]] = {
    "clapnq-dev": {"inside the answer": lies_inside, "inside the evidence": is_evidence},
    "dragonball-zh": {"evidence covered": covers},
}
SHORT: Mapping[str, Measure] = {"answer contained": contains}


def golds(name: str, bench: Path) -> dict[str, Gold]:
    """Return question id -> gold. Evidence is a list of sentences, or one list for each document."""
    if name == GUARD:
        return {row["id"]: Gold(tuple(row["right"]), ()) for row in guard_rows()[1]}
    found = {}
    for row in sets.rows(sets.folder_of(name, bench) / "queries.jsonl"):
        evidence: Any = row.get("evidence") or []
        if isinstance(evidence, Mapping):
            evidence = [sentence for of_one in evidence.values() for sentence in of_one]
        found[row["id"]] = Gold(tuple(row.get("answers") or ()), tuple(evidence))
    return found


def guard_rows() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the invented documents (source, text) and the questions (id, question, language, source, right) of the guard set."""
    rows = list(sets.rows(GUARD_FILE))
    return [row for row in rows if "text" in row], [row for row in rows if "id" in row]


@contextmanager
def library_of(name: str, bench: Path) -> Iterator[Library]:
    """Lend the library of a set; that of the guard set is made anew from the examples and the invented documents."""
    if name != GUARD:
        with filled(name, bench) as library:
            yield library
        return
    with tempfile.TemporaryDirectory() as made, Library.open() as library:
        for row in guard_rows()[0]:
            path = Path(made) / row["source"]
            path.parent.mkdir(exist_ok=True)
            path.write_text(row["text"], encoding="utf-8")
        library.sync([sets.EXAMPLES, made])
        yield library


def asked_of(name: str, bench: Path, sample: int | None) -> list[sets.Question]:
    """Return the answerable questions of a set, all or an even sample."""
    if name == GUARD:
        return [
            sets.Question(row["id"], row["question"], row["language"], {row["source"]: 1.0}) for row in guard_rows()[1]
        ]
    asked = [question for question in sets.questions(name, bench) if question.answerable and question.relevant]
    return asked if sample is None else sets.sampled(asked, sets.folder_of(name, bench), sample)


def best_sentences(library: Library, question: str) -> list[str]:
    """Return the first sentences that an extract would be made of, as they stand in their sources. Raises AssertionError where one does not."""
    result = library.find(question)
    context = build_context(question, result.hits)
    chosen = rank(question, context.passages, embedder=library.embedder)[: max(DEPTHS)]
    for candidate in chosen:
        assert stands_in(candidate.piece.text, candidate.passage.hit, library), candidate.piece.text
    return [candidate.piece.text for candidate in chosen]


def stands_in(text: str, hit: Hit, library: Library) -> bool:
    """True where a text stands word for word in the part of its source that the hit names."""
    return text in hit.text and library.document(hit.source).text[slice(*hit.span)].startswith(hit.text)


def values_of(name: str, bench: Path, sample: int | None) -> dict[str, list[list[float]]]:
    """Return measure -> for each depth the values of all questions."""
    asked, known = asked_of(name, bench, sample), golds(name, bench)
    measures = MEASURES.get(name, SHORT)
    values: dict[str, list[list[float]]] = {label: [[] for _ in DEPTHS] for label in measures}
    with library_of(name, bench) as library:
        for question in asked:
            gold = known[question.id]
            if not gold.answers and not gold.evidence:
                continue
            chosen = best_sentences(library, question.text)
            for label, value in measures.items():
                if value in (is_evidence, covers) and not gold.evidence:
                    continue
                for place, depth in enumerate(DEPTHS):
                    values[label][place].append(value(gold, chosen[:depth]))
    return values


def measure(name: str, bench: Path, sample: int | None) -> list[str]:
    """Return the lines of a set."""
    return [
        f"{name:<14} {label:<20} {len(columns[0]):>5}  " + " ".join(f"{metrics.interval(c)!s:<22}" for c in columns)
        for label, columns in values_of(name, bench, sample).items()
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.extraction", description=__doc__)
    parser.add_argument(
        "--sets", default=",".join(DEFAULT_SETS), help="names, separated by commas (default: %(default)s)"
    )
    parser.add_argument("--bench", type=Path, default=sets.BENCH, help="folder of the public sets")
    parser.add_argument("--sample", type=int, help="only so many questions of each set")
    given = parser.parse_args(arguments)
    print(f"{'set':<14} {'measure':<20} {'n':>5}  " + " ".join(f"{f'{depth} sentence(s)':<22}" for depth in DEPTHS))
    status = 0
    for name in given.sets.split(","):
        try:
            print("\n".join(measure(name, given.bench, given.sample)), flush=True)
        except sets.SetMissing as missing:
            print(missing, file=sys.stderr)
            status = 2
    return status


if __name__ == "__main__":
    raise SystemExit(main())
