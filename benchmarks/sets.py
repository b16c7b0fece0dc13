"""Readers of the public sets: corpus.jsonl, queries.jsonl and qrels.tsv become plain values and `Document`s.

The sets lie beside the checkout (`../shared/bench`) or where `--bench` says; they are never copied into the project.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from yinju import Document

ROOT = Path(__file__).resolve().parent.parent
BENCH = ROOT.parent / "shared" / "bench"
RUNS = ROOT / "benchmarks" / "runs"
EXAMPLES = ROOT / "examples" / "help-centre"
QUESTIONS = ROOT / "examples" / "questions.jsonl"  # about the documents, not one of them
DEFAULT_SETS = (
    "xquad-zh",
    "cmrc2018-dev",
    "rgb-zh-refine",
    "rgb-zh-int",
    "rgb-zh-fact",
    "dragonball-zh",
    "xquad-en",
    "clapnq-dev",
    "cranfield",
    "deep-rag",
    "xquad-cross",
)
# Passages of this set are Markdown; all others are plain text.
MARKDOWN_SETS = ("deep-rag",)


NEEDS_PICTURES = "multimodal"  # a type of question


@dataclass(frozen=True, slots=True)
class Question:
    """A question of a set; `relevant` maps passage ids to relevance and is empty where the corpus has no answer."""

    id: str
    text: str
    language: str
    relevant: Mapping[str, float]
    answerable: bool = True
    type: str = ""
    about: str | None = None  # of an unanswerable one: the passage near its topic


@dataclass(frozen=True, slots=True)
class Task:
    """Questions to be asked of one set's passages, of which only those that match `where` are ranked."""

    name: str
    questions: tuple[Question, ...]
    where: Mapping[str, str]


class SetMissing(Exception):
    """A set is not where it was looked for; the message tells people what to do."""


def rows(path: Path) -> Iterator[dict[str, Any]]:
    r"""Yield the records of a JSONL file. Only "\n" ends a record: texts may hold U+2028, at which str.splitlines() would break."""
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line.strip():
            yield json.loads(line)


def judgements(path: Path) -> dict[str, dict[str, float]]:
    """Return query id -> passage id -> relevance from a qrels.tsv with a header line; relevance 0 is left out."""
    found: dict[str, dict[str, float]] = {}
    for line in path.read_text(encoding="utf-8").split("\n")[1:]:
        if line.strip():
            query, passage, relevance = line.split("\t")
            if float(relevance) > 0:
                found.setdefault(query, {})[passage] = float(relevance)
    return found


def folder_of(name: str, bench: Path = BENCH) -> Path:
    """Return the folder of a set. Raises SetMissing."""
    folder = bench / name
    if not (folder / "corpus.jsonl").is_file():
        known = sorted(path.parent.name for path in bench.glob("*/queries.jsonl"))
        there = f"Sets there: {', '.join(known)}." if known else "Give the folder of the public sets with --bench DIR."
        raise SetMissing(f"No set {name!r} in {bench}. {there}")
    return folder


def documents(name: str, bench: Path = BENCH) -> list[Document]:
    """Return the passages of a set as documents; the source is the passage's id and a suffix (see `passage_id`). Empty ones are left out."""
    suffix = ".md" if name in MARKDOWN_SETS else ".txt"
    return [
        Document.from_text(row["text"], source=row["id"] + suffix, title=row.get("title") or None)
        for row in rows(folder_of(name, bench) / "corpus.jsonl")
        if row["text"].strip()
    ]


def passage_id(source: str) -> str:
    """Return the passage's id from the source that `documents` gave it."""
    return source.rpartition(".")[0]


def questions(name: str, bench: Path = BENCH, qrels: str = "qrels.tsv") -> list[Question]:
    """Return all questions of a set. A question that leans on an earlier one (`history`) is asked with that one in front."""
    folder = folder_of(name, bench)
    relevant = judgements(folder / qrels)
    return [
        Question(
            row["id"],
            " ".join(part for part in (row.get("history"), row["text"]) if part),
            row["lang"],
            relevant.get(row["id"], {}),
            row.get("answerable", True),
            row.get("type", ""),
            row.get("about_doc"),
        )
        for row in rows(folder / "queries.jsonl")
    ]


def tasks(name: str, bench: Path = BENCH, sample: int | None = None) -> list[Task]:
    """Return what is measured on a set: one task, or one for each direction where questions and passages differ in language.

    `sample`: only so many questions, those of the set's sample500.txt first, else spread evenly over the set. Questions about pictures,
    which no set holds, are left out.
    """
    folder = folder_of(name, bench)
    directions = sorted(folder.glob("qrels-*2*.tsv"))
    if not directions:
        return [Task(name, _judged(questions(name, bench), folder, sample), {})]
    crossing = [path for path in directions if len(set(_languages(path))) > 1]
    return [
        Task(
            f"{name}:{'2'.join(_languages(path))}",
            _judged(questions(name, bench, path.name), folder, sample),
            {"language": _languages(path)[1]},
        )
        for path in crossing
    ]


def _languages(path: Path) -> list[str]:
    return path.stem.removeprefix("qrels-").split("2")


def _judged(asked: Sequence[Question], folder: Path, sample: int | None) -> tuple[Question, ...]:
    judged = [question for question in asked if question.relevant and question.type != NEEDS_PICTURES]
    return tuple(judged if sample is None else sampled(judged, folder, sample))


def sampled(asked: Sequence[Question], folder: Path, sample: int) -> list[Question]:
    """Return `sample` of the questions, the same ones each time, in the order of the set."""
    chosen = folder / "sample500.txt"
    names = set(chosen.read_text(encoding="utf-8").split()) if chosen.is_file() else set()
    pool = [question for question in asked if question.id in names]
    if len(pool) < sample:
        pool = list(asked)
    step = max(1.0, len(pool) / sample)
    return [pool[int(number * step)] for number in range(min(sample, len(pool)))]
