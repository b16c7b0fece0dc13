"""Kept runs in short: the floors that this project set itself beside what was measured."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks import sets
from yinju.evaluate import metrics

FIGURE = "ndcg@10"
# nDCG@10 of the hybrid search that may not be undercut: a set alone, and among the passages of all the others.
FLOORS: dict[str, tuple[float | None, float | None]] = {
    "xquad-zh": (0.978, 0.958),
    "cmrc2018-dev": (0.987, 0.980),
    "rgb-zh-refine": (0.775, 0.700),
    "rgb-zh-int": (0.470, 0.350),
    "rgb-zh-fact": (None, None),
    "dragonball-zh": (None, None),
    "xquad-en": (None, None),
    "xquad-cross.zh2en": (0.830, None),
    "xquad-cross.en2zh": (0.840, None),
    "clapnq-dev": (0.985, 0.968),
    "cranfield": (0.407, 0.405),
    "deep-rag": (0.660, 0.650),
}
HARD = ("rgb-zh-refine", "rgb-zh-int", "xquad-cross.zh2en", "xquad-cross.en2zh", "cranfield", "deep-rag")
HARD_FLOOR = 0.675
MODES = {"lexical": "words", "dense": "vectors", "hybrid": "hybrid", "rerank": "hybrid + rerank"}
LANGUAGES = {"zh": "Chinese", "en": "English", "2": "across languages"}


def values(folder: Path, task: str, mode: str) -> list[float]:
    """Return nDCG@10 of each question of a kept run, empty where it was not measured."""
    path = folder / f"{task}.{mode}.jsonl"
    return [record[FIGURE] for record in sets.rows(path)] if path.is_file() else []


def floors(runs: Path, label: str) -> list[str]:
    """Return a Markdown table of the kept runs `label` and `label`-mixed with the floors."""
    reranked = any(values(runs / label, task, "rerank") for task in FLOORS)
    more = [MODES["rerank"]] if reranked else []
    names = ["nDCG@10", "questions", "words", "vectors", "hybrid", "floor", *more, "hybrid, mixed", "floor, mixed"]
    lines = ["| " + " | ".join(names) + " |", "|---" * len(names) + "|"]
    hard = []
    for task, (alone, among) in FLOORS.items():
        found = {mode: values(runs / label, task, mode) for mode in MODES}
        mixed = values(runs / f"{label}-mixed", task, "hybrid")
        if not any(found.values()) and not mixed:
            continue
        if task in HARD and found["hybrid"]:
            hard.append(metrics.interval(found["hybrid"]).mean)
        cells = [task, str(len(found["hybrid"] or mixed)), *(_cell(found[mode], None) for mode in ("lexical", "dense"))]
        cells += [_cell(found["hybrid"], alone), _floor(alone)]
        cells += [_cell(found["rerank"], None)] if reranked else []
        cells += [_cell(mixed, among), _floor(among)]
        lines.append("| " + " | ".join(cells) + " |")
    if len(hard) == len(HARD):
        mean = sum(hard) / len(hard)
        lines.append(
            f"| mean of the six hard ones | | | | {mean:.3f}{_mark(mean, HARD_FLOOR)} | {HARD_FLOOR:.3f} {'| ' * (2 + len(more))}|"
        )
    return [*lines, "", *_by_language(runs / label)]


def language(task: str) -> str:
    """Return `zh`, `en`, or `2` for questions in another language than the passages."""
    return "2" if "2" in task.rpartition(".")[2] and "." in task else "zh" if "zh" in task or "cmrc" in task else "en"


def _by_language(folder: Path) -> Iterator[str]:
    modes = [mode for mode in MODES if any(values(folder, task, mode) for task in FLOORS)]
    yield "| mean over sets | " + " | ".join(MODES[mode] for mode in modes) + " |"
    yield "|---" * (1 + len(modes)) + "|"
    for code, name in LANGUAGES.items():
        tasks = [task for task in FLOORS if language(task) == code and values(folder, task, "hybrid")]
        if tasks:
            means = []
            for mode in modes:
                found = [one for task in tasks if (one := values(folder, task, mode))]
                means.append(f"{sum(sum(one) / len(one) for one in found) / len(found):.3f}" if found else "")
            yield f"| {name} ({len(tasks)}) | " + " | ".join(means) + " |"


def _cell(found: list[float], floor: float | None) -> str:
    return (
        f"{(one := metrics.interval(found)).mean:.3f} [{one.low:.3f}, {one.high:.3f}]{_mark(one.mean, floor)}"
        if found
        else ""
    )


def _floor(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _mark(mean: float, floor: float | None) -> str:
    return " **below**" if floor is not None and mean < floor else ""
