"""Refusal end to end: `python -m benchmarks.refusal` asks for answers where there is one and where there is none, without a model.

Each question goes through `Library.ask` once, with nothing refused for its evidence; what a threshold would have refused follows from the evidence
of the answer, and what the extract itself refuses stays refused. Three kinds of questions without an answer:
what a set marks as unanswerable (`clapnq-dev`, beside the topic), what only negative passages are left for (`rgb-zh-refine`: all passages that answer
the question are taken out, those about the same event stay), and what the page that answers was taken out for (other sets, the examples).
Wrong refusals: the share of answerable questions refused. Wrong answers: the share of the others answered.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks import answers, sets
from benchmarks.retrieval import filled
from yinju import Library
from yinju.evaluate import metrics
from yinju.types import REFUSE_BELOW, Where

SETS = ("clapnq-dev", "rgb-zh-refine", "examples")
THRESHOLDS = tuple(step / 20 for step in range(1, 20))
FINE = tuple(step / 1000 for step in range(1001))
MOST_WRONG_REFUSALS = 0.08


@dataclass(frozen=True, slots=True)
class Case:
    """A question, the filter that it is asked with, and whether what the filter leaves answers it."""

    id: str
    text: str
    answerable: bool
    where: Where
    answers: tuple[tuple[str, ...], ...] = ()  # parts of the answer, each in any of its wordings


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a case: its evidence, and whether it was refused whatever the evidence."""

    id: str
    question: str
    answerable: bool
    evidence: float
    unquotable: bool
    text: str

    def refused(self, threshold: float) -> bool:
        return self.unquotable or self.evidence < threshold


def cases(name: str, bench: Path, most: int) -> list[Case]:
    """Return up to `most` answerable cases of a set and as many others. Raises SetMissing."""
    folder = sets.folder_of(name, bench)
    asked = [one for one in sets.questions(name, bench) if one.type != sets.NEEDS_PICTURES]
    marked = [one for one in asked if not one.answerable]
    chosen = sets.sampled([one for one in asked if one.answerable and one.relevant], folder, most)
    found = [Case(one.id, one.text, True, {}) for one in chosen]
    if marked:
        return found + [Case(one.id, one.text, False, {}) for one in sets.sampled(marked, folder, most)]
    wanted = {
        row["id"]: row.get("answer_groups") or [row.get("answers") or []] for row in sets.rows(folder / "queries.jsonl")
    }
    suffix = ".md" if name in sets.MARKDOWN_SETS else ".txt"
    return found + [
        Case(
            one.id, one.text, False, {"source!": tuple(sorted(passage + suffix for passage in one.relevant))},
            tuple(tuple(part) for part in wanted[one.id]),
        )
        for one in chosen
    ]  # fmt: skip


def example_cases(library: Library) -> list[Case]:
    """Return the examples' questions in the language of their page: with all pages there, and without any page that answers."""
    files = [one.source for one in library.sources() if one.source.startswith("files/")]
    found = []
    for asked in answers.read_questions(sets.QUESTIONS):
        if asked.source is not None and not asked.source.startswith(asked.language):
            continue
        found.append(Case(asked.id, asked.text, asked.answerable, {}))
        if asked.source is not None:
            out = {asked.source, answers.twin(asked.source) or asked.source, *files}
            found.append(Case(asked.id, asked.text, False, {"source!": tuple(sorted(out))}))
    return found


def still_answered(library: Library, case: Case) -> bool:
    """Whether passages that nobody judged tell the answer all the same: a wording of each of its parts stands in one of the first three."""
    if case.answerable or not any(case.answers):
        return False
    shown = answers.squeezed(" ".join(hit.text for hit in library.find(case.text, 3, where=case.where).hits))
    return all(any(answers.squeezed(wording) in shown for wording in part) for part in case.answers)


def outcomes(library: Library, asked: Sequence[Case]) -> Iterator[Outcome]:
    """Ask each case once; those without an answer that unjudged passages answer are left out."""
    for case in asked:
        if still_answered(library, case):
            continue
        answer = library.ask(case.text, where=case.where, refuse_below=0.0)
        yield Outcome(case.id, case.text, case.answerable, answer.evidence, answer.refused, answer.text)


def rates(found: Sequence[Outcome], threshold: float) -> tuple[float, float]:
    """Return the shares of wrong refusals and of wrong answers at a threshold."""
    yes = [one.refused(threshold) for one in found if one.answerable]
    no = [one.refused(threshold) for one in found if not one.answerable]
    return sum(yes) / len(yes), 1 - sum(no) / len(no)


def strictest(found: Sequence[Outcome], most: float = MOST_WRONG_REFUSALS) -> float | None:
    """Return the highest threshold at which at most this share of the answerable questions is refused, None where there is none."""
    return max((threshold for threshold in FINE if rates(found, threshold)[0] <= most), default=None)


def table(found: dict[str, list[Outcome]]) -> list[str]:
    """Return the lines: a row for each threshold, for each set wrong refusals and wrong answers; then what each set allows."""
    lines = ["threshold " + " ".join(f"{name:>17}" for name in found)]
    for threshold in sorted({*THRESHOLDS, REFUSE_BELOW}):
        columns = (rates(some, threshold) for some in found.values())
        mark = "*" if threshold == REFUSE_BELOW else " "
        lines.append(
            f"{threshold:>8.2f}{mark} " + " ".join(f"{refused:>8.3f} {answered:>8.3f}" for refused, answered in columns)
        )
    for name, some in found.items():
        evidence = {kind: [one.evidence for one in some if one.answerable is kind] for kind in (True, False)}
        area = metrics.area_under_curve(evidence[True], evidence[False])
        text = f"{name}: {len(evidence[True])} answerable, {len(evidence[False])} not, area {area:.3f}"
        best = strictest(some)
        if best is not None:
            refused, answered = rates(some, best)
            text += f"; at {best:.3f} wrong refusals {refused:.3f}, wrong answers {answered:.3f}"
        lines.append(text)
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.refusal", description=__doc__)
    parser.add_argument("--sets", default=",".join(SETS), help="names, separated by commas (default: %(default)s)")
    parser.add_argument("--bench", type=Path, default=sets.BENCH, help="folder of the public sets")
    parser.add_argument("--most", type=int, default=300, help="questions of each kind and set (default: 300)")
    parser.add_argument("--label", default="latest", help="name of this run")
    given = parser.parse_args(arguments)
    found: dict[str, list[Outcome]] = {}
    for name in given.sets.split(","):
        try:
            if name == "examples":
                with Library.open() as library:
                    library.sync(sets.EXAMPLES)
                    found[name] = list(outcomes(library, example_cases(library)))
                continue
            asked = cases(name, given.bench, given.most)
        except sets.SetMissing as missing:
            print(missing, file=sys.stderr)
            return 2
        with filled(name, given.bench) as library:
            found[name] = list(outcomes(library, asked))
    kept = sets.RUNS / given.label / "refusal.jsonl"
    kept.parent.mkdir(parents=True, exist_ok=True)
    rows = [{"set": name, **asdict(one)} for name, some in found.items() for one in some]
    kept.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    print("wrong refusals and wrong answers of each set; * is the default threshold")
    print("\n".join(table(found)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
