"""Measure retrieval on the public sets: `python -m benchmarks.retrieval --sets xquad-zh --modes lexical,dense,hybrid`.

Prints a table with 95 % intervals and keeps every question's ranking in benchmarks/runs/LABEL/, so that two runs can be compared question
by question: `python -m benchmarks.retrieval --compare before after`. Libraries are kept too: passages are added anew each time (so that
the code of today is measured), but vectors of unchanged passages are computed only once. `--mixed` asks each set's questions of all sets'
passages in one library. `--table` and `--plot` show kept runs in short. `--rerank URL|FOLDER` adds the hybrid search with its best passages put in
order by a cross-encoder: an endpoint (YINJU_RERANK_KEY and YINJU_RERANK_MODEL as for the commands), or the folder of an ONNX model.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from benchmarks import mixed, plot, sets, tables
from yinju import Hit, Library, models, retrieve, settings
from yinju.errors import ModelError
from yinju.evaluate import metrics
from yinju.protocols import Reranker
from yinju.types import Mode, Query

MODES = ("lexical", "dense", "hybrid")
RERANK = "rerank"  # a mode of this benchmark alone: hybrid, then a cross-encoder
FIGURES = ("ndcg@10", "recall@1", "recall@5", "recall@10", "mrr@10", "hit@1")
HEAD = f"{'set':<20} {'mode':<11} {'n':>5}  {'nDCG@10':<22} {'R@1':<22} {'R@5':<22} {'R@10':<22} {'MRR@10':<22} {'hit@1':<22} {'ms p50/p95':>12}"


def filled(name: str, bench: Path) -> Library:
    """Return the kept library of a set with all its passages in it."""
    folder = sets.RUNS / "libraries" / name
    folder.mkdir(parents=True, exist_ok=True)
    library = Library.open(folder)
    documents = sets.documents(name, bench)
    started = time.perf_counter()
    report = library.add(documents)
    took = time.perf_counter() - started
    print(
        f"{name}: {len(documents)} passages, {report.chunks} chunks, {report.embedded} embedded, {took:.1f} s",
        file=sys.stderr,
    )
    skipped = [file for file in report.files if file.outcome == "skipped"]
    for file in skipped[:5]:
        print(f"  skipped {file.source}: {file.reason}", file=sys.stderr)
    return library


def ranking(hits: Sequence[Hit]) -> list[str]:
    """Return passage ids, best first: a passage stands where its best chunk does."""
    return list(dict.fromkeys(sets.passage_id(hit.source) for hit in hits))


def judge(question: sets.Question, ranked: Sequence[str]) -> dict[str, float]:
    relevant = question.relevant
    return {
        "ndcg@10": metrics.ndcg(ranked, relevant),
        "recall@1": metrics.recall(ranked, relevant, 1),
        "recall@5": metrics.recall(ranked, relevant, 5),
        "recall@10": metrics.recall(ranked, relevant, 10),
        "mrr@10": metrics.reciprocal_rank(ranked, relevant),
        "hit@1": metrics.hit(ranked, relevant, 1),
    }


def run(
    library: Library, task: sets.Task, mode: str, limit: int = 10, reranker: Reranker | None = None
) -> list[dict[str, Any]]:
    """Ask every question of the task; return one record for each. Raises ModelError where a reranker fails: half a figure is none."""
    records = []
    for question in task.questions:
        started = time.perf_counter()
        if mode == RERANK:
            query = Query(question.text, limit, where=task.where, collapse=False)
            result = retrieve.search(library.store, query, library.embedder, reranker=reranker)
            hits = list(result.hits)
            if not all(vote.leg == RERANK for hit in hits for vote in hit.votes):
                raise ModelError(*result.notices[-1:])
        else:
            hits = library.search(question.text, limit, cast(Mode, mode), where=task.where, collapse=False)
        took = (time.perf_counter() - started) * 1_000
        ranked = ranking(hits)
        records.append(
            {
                "id": question.id,
                "ranked": ranked,
                "scores": [round(hit.score, 6) for hit in hits],
                **judge(question, ranked),
                "took_ms": round(took, 2),
            }
        )
    return records


def line(task: str, mode: str, records: Sequence[dict[str, Any]]) -> str:
    figures = " ".join(f"{metrics.interval([record[name] for record in records])!s:<22}" for name in FIGURES)
    middle, late = np.percentile([record["took_ms"] for record in records], [50, 95])
    return f"{task:<20} {mode:<11} {len(records):>5}  {figures} {middle:>5.1f}/{late:>6.1f}"


def keep(folder: Path, task: str, mode: str, records: Sequence[dict[str, Any]]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{task.replace(':', '.')}.{mode}.jsonl"
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")


def comparison(name: str, before: Path, after: Path) -> list[str]:
    """Return lines that compare two files of records over the questions that both have."""
    old = {record["id"]: record for record in sets.rows(before)}
    new = {record["id"]: record for record in sets.rows(after)}
    both = [key for key in old if key in new]
    if not both:
        return [f"{name}: no question in common"]
    lines = []
    for figure in FIGURES:
        found = metrics.compare([old[key][figure] for key in both], [new[key][figure] for key in both])
        lines.append(
            f"{name:<32} {figure:<10} {found.difference.mean:+.4f} [{found.difference.low:+.4f}, {found.difference.high:+.4f}]"
            f"  p {found.p:.3f}  better {found.better}, worse {found.worse}, same {found.same}"
        )
    return lines


def compare_runs(a: str, b: str) -> int:
    """Compare two labels of benchmarks/runs, two folders or two files."""
    before, after = (Path(name) if Path(name).exists() else sets.RUNS / name for name in (a, b))
    for path in (before, after):
        if not path.exists():
            print(f"No run at {path}. Runs: {', '.join(sorted(p.name for p in sets.RUNS.glob('*')))}", file=sys.stderr)
            return 2
    if before.is_file() and after.is_file():
        pairs = [(after.stem, before, after)]
    else:
        pairs = [
            (path.stem, path, after / path.name)
            for path in sorted(before.glob("*.jsonl"))
            if (after / path.name).exists()
        ]
    for name, old, new in pairs:
        print("\n".join(comparison(name, old, new)))
    return 0


def opened_reranker(place: str) -> Reranker:
    """Return the reranker at a URL or in a folder. Raises UsageError, ModelError."""
    kept = settings.load(None)
    named = {"rerank_url": place} if "://" in place else {"rerank_url": None, "rerank_model": place}
    found = models.open_reranker(replace(kept, **named))
    assert found is not None
    return found


def measure(
    names: Sequence[str],
    modes: Sequence[str],
    bench: Path,
    label: str,
    sample: int | None,
    limit: int,
    reranker: Reranker | None = None,
) -> int:
    """Measure each set alone. Return the exit code."""
    status = 0
    print(HEAD)
    for name in names:
        try:
            wanted = sets.tasks(name, bench, sample)
            library = filled(name, bench)
        except sets.SetMissing as missing:
            print(missing, file=sys.stderr)
            status = 2
            continue
        with library:
            for task in wanted:
                ask_all(library, task, modes, label, limit, reranker)
    return status


def measure_mixed(
    names: Sequence[str],
    modes: Sequence[str],
    bench: Path,
    label: str,
    sample: int | None,
    limit: int,
    reranker: Reranker | None = None,
) -> int:
    """Measure each set with the passages of all of them in one library. Return the exit code."""
    alone = [name for name in names if name not in mixed.HELD_BY_OTHERS]
    try:
        held = mixed.holders(alone, bench)
        wanted = [mixed.among_others(task, held) for name in alone for task in sets.tasks(name, bench, sample)]
        library = mixed.filled(alone, bench, sets.RUNS / "libraries")
    except sets.SetMissing as missing:
        print(missing, file=sys.stderr)
        return 2
    print(HEAD)
    with library:
        for task in wanted:
            ask_all(library, task, modes, label, limit, reranker)
    return 0


def ask_all(
    library: Library, task: sets.Task, modes: Sequence[str], label: str, limit: int, reranker: Reranker | None = None
) -> None:
    for mode in modes:
        if library.embedder is None and mode != "lexical":
            print(f"{task.name:<20} {mode:<11} no embedding model; see `yinju model list`")
            continue
        records = run(library, task, mode, limit, reranker)
        keep(sets.RUNS / label, task.name, mode, records)
        print(line(task.name, mode, records), flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.retrieval", description=__doc__)
    parser.add_argument(
        "--sets", default=",".join(sets.DEFAULT_SETS), help="names, separated by commas (default: %(default)s)"
    )
    parser.add_argument("--modes", default=",".join(MODES), help="lexical, dense, hybrid, rank-fusion")
    parser.add_argument("--bench", type=Path, default=sets.BENCH, help="folder of the public sets")
    parser.add_argument("--label", default="latest", help="name under which the rankings are kept in benchmarks/runs")
    parser.add_argument("--sample", type=int, help="only so many questions of each set")
    parser.add_argument("--limit", type=int, default=10, help="chunks asked for (default: 10)")
    parser.add_argument("--compare", nargs=2, metavar=("A", "B"), help="compare two runs instead of measuring")
    parser.add_argument("--mixed", action="store_true", help="all sets in one library; kept under LABEL-mixed")
    parser.add_argument(
        "--table", action="store_true", help="print the kept runs LABEL and LABEL-mixed as a table instead"
    )
    parser.add_argument(
        "--plot", type=Path, help="draw the kept runs LABEL and LABEL-mixed as SVG into this file instead"
    )
    parser.add_argument("--rerank", metavar="URL|FOLDER", help="measure hybrid + this cross-encoder, too")
    given = parser.parse_args(arguments)
    if given.compare:
        return compare_runs(*given.compare)
    if given.table:
        print("\n".join(tables.floors(sets.RUNS, given.label)))
        return 0
    if given.plot:
        plot.draw(sets.RUNS, given.label, given.plot)
        return 0
    names, modes = given.sets.split(","), given.modes.split(",")
    reranker = opened_reranker(given.rerank) if given.rerank else None
    modes += [RERANK] if reranker is not None else []
    if given.mixed:
        return measure_mixed(names, modes, given.bench, f"{given.label}-mixed", given.sample, given.limit, reranker)
    return measure(names, modes, given.bench, given.label, given.sample, given.limit, reranker)


if __name__ == "__main__":
    raise SystemExit(main())
