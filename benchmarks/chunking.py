"""Measure cutting beside LangChain, LlamaIndex and chonkie: `python -m benchmarks.chunking`.

All cut the same files in one run to about the same size (characters: 640 of Chinese, 2,000 of English, as our 500 tokens; an eighth comes
again). What is wrong is counted by a reader of its own, which knows lines and fences only:

sentences cut   borders inside a line, and not behind a sentence's end
fences, tables  those of at most half the size that no piece holds whole
lost            visible characters that no piece holds
headings        names given to pieces that stand on no heading's line of the file, such as comments in code

Speed is processor time on one core, the median of several runs, in megabytes (UTF-8) a second; `with loading` is from bytes to passages.
"""

from __future__ import annotations

import argparse
import re
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import sets
from yinju.chunk import chunk
from yinju.errors import DocumentError
from yinju.load import load
from yinju.types import Document

SIZES = {"zh": 640, "en": 2000}
_FENCE = re.compile(r"^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})(.*)$")
_RULE = re.compile(
    r"^[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)+\|?[ \t]*$|^[ \t>]*\|[ \t]*:?-+:?[ \t]*\|[ \t]*$"
)
_HEADING = re.compile(r"^[ \t>]*(?:#{1,6}|<h[1-6][^>]*>|\*\*)|^[ \t]*(?:=+|-+)[ \t]*$")
_HTML_TABLE = re.compile(r"<table\b", re.IGNORECASE)
_ENDS = tuple("。！？!?.…；;：:”’」』）)】》|`>*")


@dataclass(frozen=True, slots=True)
class Piece:
    """What a splitter gave: its text, where it said that this starts (None: it did not), the headings above it."""

    text: str
    start: int | None = None
    headings: tuple[str, ...] = ()


Splitter = Callable[[str, int], Iterable[Piece]]


@dataclass(slots=True)
class Faults:
    """What is wrong with the pieces of a tree."""

    pieces: int = 0
    sentences: int = 0
    fences: int = 0
    tables: int = 0
    lost: int = 0
    headings: int = 0


@dataclass(slots=True)
class Seen:
    """A file as a reader of lines sees it."""

    fences: list[tuple[int, int]] = field(default_factory=list)
    tables: list[tuple[int, int]] = field(default_factory=list)
    headings: set[str] = field(default_factory=set)


def see(text: str) -> Seen:
    """Return fences, pipe tables and the lines that may be headings, read line by line."""
    seen = Seen()
    opened, opener, place = -1, "", 0
    table = -1
    before = ""
    for line in [*text.split("\n"), ""]:
        match = _FENCE.match(line)
        if opener:
            if match and match[1].startswith(opener) and not match[2].strip():
                seen.fences.append((opened, place + len(line)))
                opener = ""
        elif match and not (match[1][0] == "`" and "`" in match[2]):
            opened, opener = place, match[1]
        else:
            if _HEADING.match(line):
                seen.headings.add(plain(line if line.strip(" \t=-") else before))
            if table >= 0 and "|" not in line:
                seen.tables.append((table, place - 1))
                table = -1
            elif table < 0 and _RULE.match(line) and "|" in before:
                table = place - 1 - len(before)
        place += len(line) + 1
        before = "" if opener else line
    return seen


def plain(label: str) -> str:
    """Return the letters and digits of a heading without links and attributes."""
    label = re.sub(r"\]\([^)]*\)|\{[#.:][^}]*\}|<[^>]*>|\[\^[^\]]*\]|&\w+;", "", label)
    return "".join(sign for sign in label if sign.isalnum())


def located(text: str, pieces: Iterable[Piece]) -> Iterator[tuple[int, int]]:
    """Yield where the pieces stand in the text; a piece that was changed is looked for line by line."""
    place = 0
    for piece in pieces:
        wanted = piece.text.strip()
        start = text.find(
            wanted, piece.start if piece.start is not None and piece.start >= 0 else max(0, place - len(wanted))
        )
        if start >= 0:
            yield start, start + len(wanted)
            place = start + len(wanted)
            continue
        for line in filter(None, (line.strip() for line in wanted.split("\n"))):
            start = text.find(line, max(0, place - len(wanted)))
            if start >= 0:
                yield start, start + len(line)
                place = start + len(line)


def judge(text: str, pieces: Sequence[Piece], size: int, faults: Faults) -> None:
    """Add what is wrong with the pieces of one file."""
    seen = see(text)
    spans = sorted(set(located(text, pieces)))
    faults.pieces += len(pieces)
    for _, end in spans:
        rest = text[end:].split("\n", 1)[0].strip()
        faults.sentences += bool(rest) and not text[:end].rstrip().endswith(_ENDS)
    for start, end in seen.fences:
        faults.fences += end - start <= size // 2 and not _held(text, start, end, spans)
    for start, end in seen.tables:
        faults.tables += end - start <= size // 2 and not _held(text, start, end, spans)
    place, given = 0, "\n".join(piece.text for piece in pieces)
    for start, end in [*spans, (len(text), len(text))]:
        for missed in text[place:start].split("\n") if start > place else ():
            faults.lost += (
                0 if missed.strip() in given else len("".join(missed.split()))
            )  # a changed piece may not have been located
        place = max(place, end)
    labels = {label for piece in pieces for label in piece.headings}
    faults.headings += sum(not any(plain(label) in one for one in seen.headings) for label in labels)


def _held(text: str, start: int, end: int, spans: Sequence[tuple[int, int]]) -> bool:
    start += len(text[start:end]) - len(text[start:end].lstrip())
    end = start + len(text[start:end].rstrip())
    return any(first <= start and end <= last for first, last in spans)


# The splitters. Each returns None, or raises ImportError, where its library is not installed.


def yinju_chunks(document: Document) -> list[Piece]:
    return [Piece(one.text, one.span.start, one.headings) for one in chunk(document)]


def langchain() -> dict[str, Splitter]:
    from langchain_text_splitters import (
        MarkdownHeaderTextSplitter,
        MarkdownTextSplitter,
        RecursiveCharacterTextSplitter,
    )

    def recursive(text: str, size: int) -> Iterable[Piece]:
        splitter = RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=size // 8, add_start_index=True)
        return [Piece(one.page_content, one.metadata["start_index"]) for one in splitter.create_documents([text])]

    def markdown(text: str, size: int) -> Iterable[Piece]:
        splitter = MarkdownTextSplitter(chunk_size=size, chunk_overlap=size // 8, add_start_index=True)
        return [Piece(one.page_content, one.metadata["start_index"]) for one in splitter.create_documents([text])]

    def headers(text: str, size: int) -> Iterable[Piece]:
        levels = [("#" * level, f"h{level}") for level in range(1, 7)]
        sections = MarkdownHeaderTextSplitter(levels, strip_headers=False).split_text(text)
        splitter = RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=size // 8)
        return [
            Piece(one.page_content, None, tuple(one.metadata.values())) for one in splitter.split_documents(sections)
        ]

    return {"LangChain recursive": recursive, "LangChain Markdown": markdown, "LangChain headers + recursive": headers}


def llama_index() -> dict[str, Splitter]:
    from llama_index.core import Document as LlamaDocument
    from llama_index.core.node_parser import MarkdownNodeParser, SentenceSplitter

    def sentences(text: str, size: int) -> Iterable[Piece]:
        splitter = SentenceSplitter(chunk_size=size, chunk_overlap=size // 8, tokenizer=list)
        return [Piece(one) for one in splitter.split_text(text)]

    def markdown(text: str, size: int) -> Iterable[Piece]:
        nodes = MarkdownNodeParser().get_nodes_from_documents([LlamaDocument(text=text)])
        splitter = SentenceSplitter(chunk_size=size, chunk_overlap=size // 8, tokenizer=list)
        for node in nodes:
            path = tuple(filter(None, str(node.metadata.get("header_path", "")).split("/")))
            yield from (Piece(one, None, path) for one in splitter.split_text(node.get_content()))

    return {"LlamaIndex sentences": sentences, "LlamaIndex Markdown + sentences": markdown}


def chonkie() -> dict[str, Splitter]:
    from chonkie import RecursiveChunker, SentenceChunker

    def recursive(text: str, size: int) -> Iterable[Piece]:
        return [
            Piece(one.text, one.start_index) for one in RecursiveChunker(tokenizer="character", chunk_size=size)(text)
        ]

    def sentences(text: str, size: int) -> Iterable[Piece]:
        splitter = SentenceChunker(
            tokenizer="character",
            chunk_size=size,
            chunk_overlap=size // 8,
            delim=["。", "！", "？", ". ", "! ", "? ", "\n"],
        )
        return [Piece(one.text, one.start_index) for one in splitter(text)]

    return {"chonkie recursive": recursive, "chonkie sentences": sentences}


def measured(work: Callable[[], object], size: int, runs: int) -> float:
    """Return megabytes a second of processor time, the median of the runs."""
    taken = []
    for _ in range(runs):
        started = time.process_time()
        work()
        taken.append(time.process_time() - started)
    return size / 1e6 / max(statistics.median(taken), 1e-9)


def line(name: str, speed: str, faults: Faults) -> str:
    figures = (faults.pieces, faults.sentences, faults.fences, faults.tables, faults.lost, faults.headings)
    return f"{name:<32} {speed:>8} " + " ".join(f"{figure:>9,}" for figure in figures)


def run(name: str, files: Sequence[Path], language: str, runs: int) -> None:
    """Print the table of one tree."""
    size = SIZES[language]
    data = [path.read_bytes() for path in files]
    documents = []
    for path, content in zip(files, data, strict=True):
        try:
            documents.append(load(content, path.name).document)
        except DocumentError:  # nothing but front matter
            continue
    total = sum(len(document.text.encode()) for document in documents)
    print(f"\n{name}: {len(documents)} files, {total / 1e6:.1f} MB, about {size} characters a piece")
    print(
        f"{'':<32} {'MB/s':>8} {'pieces':>9} {'sentences':>9} {'fences':>9} {'tables':>9} {'lost':>9} {'headings':>9}"
    )

    def report(label: str, work: Callable[[Document], Iterable[Piece]]) -> None:
        faults = Faults()
        for document in documents:
            judge(document.text, list(work(document)), size, faults)
        speed = measured(lambda: [list(work(document)) for document in documents], total, runs)
        print(line(label, f"{speed:.1f}", faults), flush=True)
        if label == "yinju":
            with_loading = measured(
                lambda: [_passages(path.name, content) for path, content in zip(files, data, strict=True)],
                sum(map(len, data)),
                runs,
            )
            print(f"{'yinju, with loading':<32} {with_loading:>8.1f}", flush=True)

    report("yinju", yinju_chunks)
    for library in (langchain, llama_index, chonkie):
        try:
            splitters = library()
        except ImportError as missing:
            print(f"{library.__name__}: not installed ({missing.name}); pip install 'yinju[bench]'")
            continue
        for label, splitter in splitters.items():
            report(label, lambda document, splitter=splitter: splitter(document.text, size))


def _passages(source: str, content: bytes) -> list[Piece]:
    try:
        return yinju_chunks(load(content, source).document)
    except DocumentError:
        return []


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.chunking", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bench", type=Path, default=sets.BENCH, help="folder of the public sets")
    parser.add_argument("--every", type=int, default=8, help="only every so many files of a large tree (default: 8)")
    parser.add_argument("--runs", type=int, default=3, help="runs of which the median is taken (default: 3)")
    given = parser.parse_args(arguments)
    trees = (
        ("docs-tidb-zh", given.bench / "docs-tidb-zh", "zh", given.every),
        ("docs-gitlab-handbook", given.bench / "docs-gitlab-handbook", "en", 1),
        ("the example documents", sets.EXAMPLES, "zh", 1),
    )
    for name, folder, language, step in trees:
        files = sorted(folder.rglob("*.md"))[::step]
        if files:
            run(name, files, language, given.runs)
        else:
            print(f"{name}: no files in {folder}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
