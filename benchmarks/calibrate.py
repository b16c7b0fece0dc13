"""Fit the evidence: `python -m benchmarks.calibrate` asks questions with and without their answer in the library.

Each set's passages are split into two halves, all passages that answer a question into the same one as far as questions share none. A
question asked of the half that holds its answer is a positive case; the same question asked of the other half, which holds passages near
the topic but not the answer, is a negative one; questions that a set itself marks as unanswerable are negative in both. A logistic
regression over the features of `yinju.retrieve.evidence` is fitted, every set and both classes weighing the same, and judged on each set
with weights from the other sets only. `--write` puts the weights of all sets into the package.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from benchmarks import sets
from yinju import Library
from yinju.retrieve.evidence import either
from yinju.types import Mode

SETS = (
    "xquad-zh",
    "xquad-en",
    "cmrc2018-dev",
    "clapnq-dev",
    "deep-rag",
    "dragonball-zh",
    "xquad-cross",
)
WEIGHTS = sets.ROOT / "src" / "yinju" / "retrieve" / "evidence.json"
FEATURES = {
    "words": ("coverage", "gap"),
    "dense": ("above_floor", "gap", "agree"),
    "across": ("above_floor", "gap", "chinese"),
}
CAUTION = (
    2.0  # what an unanswerable case weighs across languages: a wrong quotation in another language is harder to notice
)
PENALTY = 0.001  # L2, on standardised features
THRESHOLDS = (0.2, 0.3, 0.35, 0.4, 0.5)


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
            for question in [one for one in sets.questions(name, bench) if not one.answerable][:most]:
                found[mode] += [Case(name, ask(library, question.text, mode, {"half": half}), False) for half in "ab"]
    return found


def ask(library: Library, question: str, mode: str, where: dict[str, str]) -> dict[str, float]:
    return dict(library.find(question, 3, cast(Mode, mode), where).features)


def fit(
    features: NDArray[np.float64], answered: NDArray[np.float64], groups: Sequence[str], caution: float = 1.0
) -> NDArray[np.float64]:
    """Return intercept and weights of the L2-penalised logistic regression, by Newton's method.

    Each set weighs the same, and in each set both classes do.
    """
    mean, spread = features.mean(axis=0), features.std(axis=0) + 1e-9
    inputs = np.column_stack([np.ones(len(features)), (features - mean) / spread])
    balance = np.zeros(len(answered))
    for group in set(groups):
        for kind in (0.0, 1.0):
            inside = np.array([name == group for name in groups]) & (answered == kind)
            balance[inside] = (1.0 if kind else caution) / max(inside.sum(), 1)
    balance *= len(answered) / balance.sum()
    penalty = PENALTY * len(answered) * np.diag([0.0, *np.ones(features.shape[1])])
    weights = np.zeros(inputs.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-inputs @ weights))
        slope = inputs.T @ (balance * (chance - answered)) + penalty @ weights
        bend = (inputs * (balance * chance * (1 - chance))[:, None]).T @ inputs + penalty
        weights -= np.linalg.solve(bend, slope)
    scaled = weights[1:] / spread
    return np.concatenate([[weights[0] - scaled @ mean], scaled])


def probability(weights: NDArray[np.float64], features: NDArray[np.float64]) -> NDArray[np.float64]:
    return cast("NDArray[np.float64]", 1 / (1 + np.exp(-(weights[0] + features @ weights[1:]))))


def area(answered: NDArray[np.float64], score: NDArray[np.float64]) -> float:
    """Chance that a case with an answer scores higher than one without (ROC area; ties count half)."""
    yes, no = score[answered == 1], score[answered == 0]
    if not len(yes) or not len(no):
        return float("nan")
    return float((yes[:, None] > no[None, :]).mean() + 0.5 * (yes[:, None] == no[None, :]).mean())


def calibration_error(answered: NDArray[np.float64], chance: NDArray[np.float64]) -> float:
    """Expected calibration error over ten bins of equal width, both classes weighing the same (Naeini et al. 2015)."""
    share = answered.mean()
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


def report(
    title: str, found: Sequence[Case], names: Sequence[str], caution: float = 1.0, *, words: Sequence[str] = ()
) -> dict[str, float]:
    """Print leave-one-set-out figures and return the weights of all sets together. `words`: features of a second opinion."""
    features, answered, groups = matrix(found, names)
    second = matrix(found, words)[0]
    head = f"{'answered refused | unanswerable answered':>42}, at " + ", ".join(map(str, THRESHOLDS))
    print(
        f"\n{title}: {len(found)} cases, {int(answered.sum())} with an answer\n{'set':<22} {'area':>6} {'ECE':>6} {head}"
    )
    for group in sorted(set(groups)):
        inside = np.array([name == group for name in groups])
        others = ~inside if (~inside).any() else inside
        names_of_others = [name for name, use in zip(groups, others, strict=True) if use]
        chance = probability(fit(features[others], answered[others], names_of_others, caution), features[inside])
        if words:
            by_words = probability(fit(second[others], answered[others], names_of_others), second[inside])
            chance = np.array([either(one, other) for one, other in zip(chance, by_words, strict=True)])
        yes, no = chance[answered[inside] == 1], chance[answered[inside] == 0]
        rates = "  ".join(f"{(yes < t).mean():.3f} | {(no >= t).mean():.3f}" for t in THRESHOLDS)
        print(
            f"{group:<22} {area(answered[inside], chance):>6.3f} {calibration_error(answered[inside], chance):>6.3f}   {rates}"
        )
    weights = fit(features, answered, groups, caution)
    return {"intercept": round(float(weights[0]), 4)} | {
        name: round(float(weight), 4) for name, weight in zip(names, weights[1:], strict=True)
    }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.calibrate", description=__doc__)
    parser.add_argument("--sets", default=",".join(SETS), help="names, separated by commas (default: %(default)s)")
    parser.add_argument("--bench", type=Path, default=sets.BENCH, help="folder of the public sets")
    parser.add_argument("--most", type=int, default=300, help="questions of each set (default: 300)")
    parser.add_argument("--write", action="store_true", help="put the weights into the package")
    given = parser.parse_args(arguments)
    by_kind: dict[str, list[Case]] = defaultdict(list)
    with Library.open() as probe:
        family = probe.embedder.fingerprint.split("/")[0] if probe.embedder else None
    modes = ("lexical", "hybrid") if family else ("lexical",)
    for name in given.sets.split(","):
        across = name == "xquad-cross"
        try:
            found = cases(name, given.bench, [mode for mode in modes if not across or mode == "hybrid"], given.most)
        except sets.SetMissing as missing:
            print(missing, file=sys.stderr)
            return 2
        print(f"{name}: {', '.join(f'{len(some)} {mode}' for mode, some in found.items())} cases", file=sys.stderr)
        by_kind["words"] += found.get("lexical", [])
        by_kind["across" if across else "dense"] += found.get("hybrid", [])
    spaces = {"words": report("words alone", by_kind["words"], FEATURES["words"])}
    if by_kind["dense"]:
        spaces[str(family)] = report(f"{family}", by_kind["dense"], FEATURES["dense"], words=FEATURES["words"])
    if by_kind["across"]:
        spaces[f"{family} across languages"] = report(
            f"{family} across languages", by_kind["across"], FEATURES["across"], CAUTION
        )
    text = json.dumps({"fitted_on": given.sets.split(","), "spaces": spaces}, indent=2) + "\n"
    print("\n" + text)
    if given.write:
        WEIGHTS.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
