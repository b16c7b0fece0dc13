"""Fit the evidence: `python -m benchmarks.calibrate` asks questions with and without their answer in the library.

Each set's passages are split into two halves, all passages that answer a question into the same one as far as questions share none. A
question asked of the half that holds its answer is a positive case; the same question asked of the other half, which holds passages near
the topic but not the answer, is a negative one. Where a set has questions that it marks as unanswerable, they and its answerable ones are asked
of all its passages (`SET, whole`), among which those beside the topic are. Sets in BESIDE are asked whole, with and without the passages that
answer. The project's examples, with the pages removed that answer
(`examples`), and sets in REPORTED_ONLY are judged but never fitted.
Two logistic opinions over the features of `yinju.retrieve.evidence` are fitted together, every group and both classes weighing the same, with no
weight below nought, and judged on each group with weights from other families of sets only. `--write` puts the weights of all into the package.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from benchmarks import answers, refusal, sets
from yinju import Library
from yinju.retrieve.evidence import ACROSS, BY_WORDS, WORDS_ALONE
from yinju.types import Mode

SETS = (
    "xquad-zh",
    "xquad-en",
    "cmrc2018-dev",
    "clapnq-dev",
    "deep-rag",
    "dragonball-zh",
    "rgb-zh-refine",
    "xquad-cross",
)
WEIGHTS = sets.ROOT / "src" / "yinju" / "retrieve" / "evidence.json"
EXAMPLES = "examples"
ONE_PAGE = "examples, one page"
BESIDE = (
    "rgb-zh-refine",
)  # sets whose passages that do not answer are about the same events: asked whole, without those that answer
# Its unanswerable questions ask for what a named company does not tell: the passages found are the right ones, only the fact is missing, which no
# sign of a search shows. Fitted, they would teach that signs mean nothing.
REPORTED_ONLY = ("dragonball-zh, whole", EXAMPLES, ONE_PAGE)
WORDS = ("sentence", "coverage", "ahead")
FEATURES = {
    "dense": ("above_floor", "standing", "sentence"),
    "by words": ("sentence", "ahead"),
    "across": ("above_floor", "standing"),
}
CAUTION = (
    1.3  # what an unanswerable case weighs across languages: a wrong quotation in another language is harder to notice
)
PENALTY = 0.001  # L2, on standardised features
STEPS, PACE = 3_000, 0.03
THRESHOLDS = (0.2, 0.25, 0.3, 0.35, 0.4, 0.5)


@dataclass(frozen=True, slots=True)
class Case:
    """One question asked of one half."""

    group: str  # the set
    features: dict[str, float]
    answered: bool


def side(name: str) -> str:
    return "ab"[sha256(name.encode()).digest()[0] % 2]


def halves(asked: Sequence[sets.Question]) -> dict[str, str]:
    """Return passage id -> half, for passages that answer something: that of the first question that they answer."""
    found: dict[str, str] = {}
    for question in asked:
        for passage in question.relevant:
            found.setdefault(passage, side(min(question.relevant)))
    return found


def halved(name: str, bench: Path, placed: dict[str, str]) -> Library:
    """Return the kept library of a set, each document marked with its half."""
    folder = sets.RUNS / "libraries" / name
    folder.mkdir(parents=True, exist_ok=True)
    library = Library.open(folder)
    library.add(
        [
            replace(one, metadata={"half": placed.get(sets.passage_id(one.source), side(one.source))})
            for one in sets.documents(name, bench)
        ]
    )
    return library


def cases(name: str, bench: Path, modes: Sequence[str], most: int) -> dict[str, list[Case]]:
    """Ask up to `most` answerable and as many unanswerable questions of a set in each mode."""
    if name in BESIDE:
        return beside_cases(name, bench, modes, most)
    found: dict[str, list[Case]] = {mode: [] for mode in modes}
    tasks = sets.tasks(name, bench, most)
    placed = halves([question for task in sets.tasks(name, bench) for question in task.questions])
    with halved(name, bench, placed) as library:
        for mode in modes:
            for task in tasks:
                for question in task.questions:
                    gold = {placed[passage] for passage in question.relevant}
                    for half in "ab" if len(gold) == 1 else "":
                        features = ask(library, question.text, mode, {**task.where, "half": half})
                        found[mode].append(Case(task.name, features, half in gold))
            asked = sets.questions(name, bench)
            without = [one for one in asked if not one.answerable]
            if without:
                answerable = sets.sampled([one for one in asked if one.answerable], bench / name, most)
                for question in (*answerable, *sets.sampled(without, bench / name, most)):
                    features = ask(library, question.text, mode, {})
                    found[mode].append(Case(f"{name}, whole", features, question.answerable))
    return found


def beside_cases(name: str, bench: Path, modes: Sequence[str], most: int) -> dict[str, list[Case]]:
    """Ask the whole set, with and without the passages that answer."""
    found: dict[str, list[Case]] = {mode: [] for mode in modes}
    asked = refusal.cases(name, bench, most)
    with halved(name, bench, halves(sets.questions(name, bench))) as library:
        for case in asked:
            if not refusal.still_answered(library, case):
                for mode in modes:
                    features = ask(library, case.text, mode, case.where)
                    found[mode].append(Case(name, features, case.answerable))
    return found


def example_cases(modes: Sequence[str]) -> dict[str, list[Case]]:
    """Ask the examples' questions with all pages there, without any page that answers, of the page that answers alone, and of another one alone.

    Questions are worded unlike the pages.
    """
    found: dict[str, list[Case]] = {mode: [] for mode in modes}
    with Library.open() as library:
        library.sync(sets.EXAMPLES)
        pages = [one.source for one in library.sources()]
        for mode in modes:
            for case in refusal.example_cases(library):
                found[mode].append(Case(EXAMPLES, ask(library, case.text, mode, case.where), case.answerable))
            for asked in answers.read_questions(sets.QUESTIONS):
                if asked.source is None or not asked.source.startswith(asked.language):
                    continue
                others = [page for page in pages if page.startswith(asked.language) and page != asked.source]
                other = others[sha256(asked.id.encode()).digest()[0] % len(others)]
                for page in (asked.source, other):
                    features = ask(library, asked.text, mode, {"source": page})
                    found[mode].append(Case(ONE_PAGE, features, page == asked.source))
    return found


def ask(library: Library, question: str, mode: str, where: Mapping[str, str | tuple[str, ...]]) -> dict[str, float]:
    """Return the signs of a search; `lexical`: those of a library without a model."""
    asked = Library(library.store) if mode == "lexical" else library
    return dict(asked.find(question, 3, cast(Mode, mode), where).features)


@dataclass(frozen=True, slots=True)
class Weights:
    """Intercept and weights of one or two opinions; the second convinces only by half."""

    first: NDArray[np.float64]
    second: NDArray[np.float64] | None = None

    def probability(self, features: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
        chance = logistic(self.first[0] + features @ self.first[1:])
        if self.second is None:
            return chance
        return 1 - (1 - chance) * (1 - WORDS_ALONE * logistic(self.second[0] + others @ self.second[1:]))


def logistic(value: NDArray[np.float64]) -> NDArray[np.float64]:
    return cast("NDArray[np.float64]", 1 / (1 + np.exp(-value)))


def fit(
    features: NDArray[np.float64],
    others: NDArray[np.float64],
    answered: NDArray[np.float64],
    groups: Sequence[str],
    caution: float = 1.0,
) -> Weights:
    """Return the weights of highest likelihood less an L2 penalty, by Adam (Kingma and Ba 2015); `others` without columns: one opinion.

    Each group weighs the same, and in each both classes do. A weight below nought is set to nought after each step, except that of `chinese`,
    which is a shift; so more of a sign is never less evidence.
    """
    first, mean_first, spread_first = standardised(features)
    second, mean_second, spread_second = standardised(others)
    balance = balanced(answered, groups, caution)
    count = first.shape[1]
    weights = np.zeros(count + second.shape[1])
    intercepts = np.isin(np.arange(len(weights)), [0, count])
    shifts = np.array([True, *(len(np.unique(one)) <= 2 for one in features.T), *np.zeros(second.shape[1], dtype=bool)])
    share = WORDS_ALONE if others.shape[1] else 0.0
    pace, swing = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, STEPS + 1):
        one = logistic(first @ weights[:count])
        two = logistic(second @ weights[count:])
        chance = np.clip(1 - (1 - one) * (1 - share * two), 1e-9, 1 - 1e-9)
        slope = balance * (chance - answered) / (chance * (1 - chance))
        gradient = np.concatenate(
            [
                first.T @ (slope * (1 - share * two) * one * (1 - one)),
                second.T @ (slope * (1 - one) * share * two * (1 - two)),
            ]
        )
        gradient += 2 * PENALTY * np.where(intercepts, 0.0, weights)
        pace = 0.9 * pace + 0.1 * gradient
        swing = 0.999 * swing + 0.001 * gradient**2
        weights -= PACE * (pace / (1 - 0.9**step)) / (np.sqrt(swing / (1 - 0.999**step)) + 1e-8)
        weights = np.where(intercepts | shifts, weights, np.maximum(weights, 0.0))
    found = unscaled(weights[:count], mean_first, spread_first)
    return Weights(found, unscaled(weights[count:], mean_second, spread_second) if others.shape[1] else None)


def standardised(
    features: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the features with mean nought and spread one behind a column of ones, and both."""
    mean, spread = features.mean(axis=0), features.std(axis=0) + 1e-9
    return np.column_stack([np.ones(len(features)), (features - mean) / spread]), mean, spread


def unscaled(
    weights: NDArray[np.float64], mean: NDArray[np.float64], spread: NDArray[np.float64]
) -> NDArray[np.float64]:
    scaled = weights[1:] / spread
    return np.concatenate([[weights[0] - scaled @ mean], scaled])


def balanced(answered: NDArray[np.float64], groups: Sequence[str], caution: float) -> NDArray[np.float64]:
    """Return what each case weighs, one in all."""
    names = np.array(groups)
    balance = np.zeros(len(answered))
    for group in set(groups):
        for kind in (0.0, 1.0):
            inside = (names == group) & (answered == kind)
            balance[inside] = (1.0 if kind else caution) / max(inside.sum(), 1)
    return balance / balance.sum()


def area(answered: NDArray[np.float64], score: NDArray[np.float64]) -> float:
    """Chance that a case with an answer scores higher than one without (ROC area; ties count half)."""
    yes, no = score[answered == 1], score[answered == 0]
    if not len(yes) or not len(no):
        return float("nan")
    return float((yes[:, None] > no[None, :]).mean() + 0.5 * (yes[:, None] == no[None, :]).mean())


def calibration_error(
    answered: NDArray[np.float64], chance: NDArray[np.float64], balance: NDArray[np.float64] | None = None
) -> float:
    """Expected calibration error over ten bins of equal width, both classes weighing the same (Naeini et al. 2015)."""
    share = answered.mean()
    if balance is None:
        balance = np.where(answered == 1, 0.5 / max(share, 1e-9), 0.5 / max(1 - share, 1e-9)) / len(answered)
    bins = np.minimum((chance * 10).astype(int), 9)
    error = 0.0
    for number in range(10):
        inside = bins == number
        weight = balance[inside].sum()
        if weight:
            gap = (balance[inside] * (chance[inside] - answered[inside])).sum() / weight
            error += weight * abs(gap)
    return float(error)


def matrix(found: Sequence[Case], names: Sequence[str]) -> tuple[NDArray[np.float64], NDArray[np.float64], list[str]]:
    features = np.array([[case.features[name] for name in names] for case in found])
    return features, np.array([float(case.answered) for case in found]), [case.group for case in found]


def family(group: str) -> str:
    """Return what groups have in common whose passages or questions may be the same; the two directions across languages stand alone."""
    return group if ":" in group else group.partition("-")[0]


def report(
    title: str, found: Sequence[Case], names: Sequence[str], words: Sequence[str] = (), caution: float = 1.0
) -> Weights:
    """Print figures of each group with weights of the other families, and return the weights of all together."""
    features, answered, groups = matrix(found, names)
    others = matrix(found, words)[0]
    belongs = np.array([family(group) for group in groups])
    fitted = np.array([group not in REPORTED_ONLY for group in groups])
    head = "answerable refused | unanswerable answered, at " + ", ".join(map(str, THRESHOLDS))
    print(f"\n{title}: {len(found)} cases, {int(answered.sum())} with an answer")
    print(f"{'set':<22} {'area':>6} {'ECE':>6} {'refused at 5 %':>15}   {head}")

    def weights(use: NDArray[np.bool_]) -> Weights:
        kept = [name for name, one in zip(groups, use, strict=True) if one]
        return fit(features[use], others[use], answered[use], kept, caution)

    for group in sorted(set(groups)):
        inside = np.array([name == group for name in groups])
        use = fitted & (belongs != family(group))
        chance = weights(use if use.any() else inside).probability(features[inside], others[inside])
        yes, no = chance[answered[inside] == 1], chance[answered[inside] == 0]
        if not len(yes) or not len(no):
            continue
        rates = "  ".join(f"{(yes < t).mean():.3f} | {(no >= t).mean():.3f}" for t in THRESHOLDS)
        print(
            f"{group:<22} {area(answered[inside], chance):>6.3f} {calibration_error(answered[inside], chance):>6.3f}"
            f" {(no < np.quantile(yes, 0.05)).mean():>15.3f}   {rates}"
        )
    final = weights(fitted)
    chance = final.probability(features, others)
    error = calibration_error(
        answered[fitted], chance[fitted], balanced(answered[fitted], list(np.array(groups)[fitted]), 1.0)
    )
    print(f"all that were fitted: ECE {error:.3f}, each group and both classes weighing the same")
    for group in sorted(set(np.array(groups)[fitted])):
        inside = np.array([name == group for name in groups])
        yes, no = chance[inside & (answered == 1)], chance[inside & (answered == 0)]
        print(
            f"  {group:<22} seen by the fit: area {area(answered[inside], chance[inside]):.3f},"
            f" ECE {calibration_error(answered[inside], chance[inside]):.3f}, refused at 5 % {(no < np.quantile(yes, 0.05)).mean():.3f}"
        )
    return final


def named(weights: NDArray[np.float64], names: Sequence[str]) -> dict[str, float]:
    return {name: round(float(weight), 4) for name, weight in zip(("intercept", *names), weights, strict=True)}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.calibrate", description=__doc__)
    parser.add_argument("--sets", default=",".join(SETS), help="names, separated by commas (default: %(default)s)")
    parser.add_argument("--bench", type=Path, default=sets.BENCH, help="folder of the public sets")
    parser.add_argument("--most", type=int, default=300, help="questions of each set (default: 300)")
    parser.add_argument("--write", action="store_true", help="put the weights into the package")
    given = parser.parse_args(arguments)
    by_kind: dict[str, list[Case]] = defaultdict(list)
    with Library.open() as probe:
        space = probe.embedder.fingerprint.split("/")[0] if probe.embedder else None
    modes = ("lexical", "hybrid") if space else ("lexical",)
    for name in (*given.sets.split(","), EXAMPLES):
        across = name == "xquad-cross"
        asked = [mode for mode in modes if not across or mode == "hybrid"]
        try:
            found = example_cases(asked) if name == EXAMPLES else cases(name, given.bench, asked, given.most)
        except sets.SetMissing as missing:
            print(missing, file=sys.stderr)
            return 2
        print(f"{name}: {', '.join(f'{len(some)} {mode}' for mode, some in found.items())} cases", file=sys.stderr)
        by_kind["words"] += found.get("lexical", [])
        by_kind["across" if across else "dense"] += found.get("hybrid", [])
    spaces = {"words": named(report("words alone", by_kind["words"], WORDS).first, WORDS)}
    if by_kind["dense"]:
        both = report(f"{space}", by_kind["dense"], FEATURES["dense"], FEATURES["by words"])
        assert both.second is not None
        spaces[f"{space}"] = named(both.first, FEATURES["dense"])
        spaces[f"{space}{BY_WORDS}"] = named(both.second, FEATURES["by words"])
    if by_kind["across"]:
        name = f"{space}{ACROSS}"
        spaces[name] = named(
            report(name, by_kind["across"], FEATURES["across"], caution=CAUTION).first, FEATURES["across"]
        )
    text = json.dumps({"fitted_on": given.sets.split(","), "spaces": spaces}, indent=2) + "\n"
    print("\n" + text)
    if given.write:
        WEIGHTS.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
