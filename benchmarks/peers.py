"""Another framework on the same passages, questions and vectors: `python -m benchmarks.peers --peers-python PATH --sets xquad-zh`.

What it needs goes through files: our chunks with their headings, as ours indexes them, and our vectors. It runs in the Python that has it
(`framework.py`, or `framework_haystack.py` with `--framework haystack`), answers with rankings, and is judged by the same code. Its best mode is
compared with ours, question by question.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import retrieval, sets
from yinju import Library
from yinju.chunk import indexed_text
from yinju.evaluate import metrics

FRAMEWORKS = {
    "llamaindex": Path(__file__).with_name("framework.py"),  # needs llama-index-retrievers-bm25, jieba
    "haystack": Path(__file__).with_name("framework_haystack.py"),  # needs haystack-ai, jieba, snowballstemmer
}
OURS = "yinju"


def hand_over(library: Library, task: sets.Task, folder: Path) -> None:
    """Write passages, questions and both sorts of vectors to the folder."""
    assert library.embedder is not None
    language = task.where.get("language")
    passages, rows = [], []
    for summary in library.sources():
        chunks = [one for one in library.store.chunks_of(summary.source) if language in {None, one.language}]
        vectors = library.store.vectors(library.embedder.fingerprint, [one.rowid for one in chunks])
        passages += [{"id": sets.passage_id(one.source), "text": indexed_text(one.title, one.chunk)} for one in chunks]
        rows += [vectors[one.rowid] for one in chunks]
    asked = [question.text for question in task.questions]
    embedded = [library.embedder.embed_queries(asked[start : start + 64]) for start in range(0, len(asked), 64)]
    questions = [{"id": question.id, "text": question.text} for question in task.questions]
    (folder / "passages.json").write_text(json.dumps(passages, ensure_ascii=False), encoding="utf-8")
    (folder / "questions.json").write_text(json.dumps(questions, ensure_ascii=False), encoding="utf-8")
    np.save(folder / "passages.npy", np.stack(rows))
    np.save(folder / "questions.npy", np.concatenate(embedded))


def ask(python: str, program: Path, folder: Path, task: sets.Task) -> dict[str, list[dict[str, Any]]]:
    """Return the framework's records by mode, judged. Raises CalledProcessError."""
    done = subprocess.run(
        [python, str(program), str(folder)], stdout=subprocess.PIPE, encoding="utf-8", check=True, cwd=folder
    )
    questions = {question.id: question for question in task.questions}
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in done.stdout.splitlines():
        row = json.loads(line)
        found[row["mode"]].append({**row, **retrieval.judge(questions[row["id"]], row["ranked"])})
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("--peers-python", required=True, help="a Python that has the framework and jieba")
    parser.add_argument("--framework", choices=FRAMEWORKS, default="llamaindex", help="which one (default: llamaindex)")
    parser.add_argument("--sets", default=",".join(sets.DEFAULT_SETS), help="names, separated by commas")
    parser.add_argument("--bench", type=Path, default=sets.BENCH, help="folder of the public sets")
    parser.add_argument("--sample", type=int, default=200, help="questions of each set (default: 200)")
    parser.add_argument("--label", default="peers", help="name under which the rankings are kept in benchmarks/runs")
    given = parser.parse_args(arguments)
    print(retrieval.HEAD)
    for name in given.sets.split(","):
        try:
            wanted = sets.tasks(name, given.bench, given.sample)
            library = retrieval.filled(name, given.bench)
        except sets.SetMissing as missing:
            print(missing, file=sys.stderr)
            return 2
        with library:
            for task in wanted:
                ours = retrieval.run(library, task, "hybrid")
                with tempfile.TemporaryDirectory() as folder:
                    hand_over(library, task, Path(folder))
                    theirs = ask(given.peers_python, FRAMEWORKS[given.framework], Path(folder), task)
                for mode, records in {OURS: ours, **theirs}.items():
                    retrieval.keep(sets.RUNS / f"{given.label}-{given.framework}", task.name, mode, records)
                    print(retrieval.line(task.name, mode, records), flush=True)
                best = max(theirs, key=lambda mode: metrics.interval([r["ndcg@10"] for r in theirs[mode]]).mean)
                pair = [[r["ndcg@10"] for r in records] for records in (theirs[best], ours)]
                found = metrics.compare(*pair)
                print(f"{task.name:<20} ours less {best}: {found.difference} p {found.p:.3f}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
