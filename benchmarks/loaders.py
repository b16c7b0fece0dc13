"""What comes out of a folder of mixed files: `python -m benchmarks.loaders`, with other converters beside ours `--peers`.

The folder's `manifest.tsv` names for each file what text must and must not come out. A file is *right* where all of the one does and none
of the other, *honest* where nothing comes out but a reason why, and *wrong* otherwise; one that must fail is right where it does so with a
reason. White space and the signs of Markdown are left out of the comparison, for all alike. Ours are read by the real pool.

*Short of the count* is by how many visible characters the output has fewer than our independent counters find in the file: what a system leaves
out for good reasons (page headers, deleted text) counts, too, and Markdown's own signs fill gaps, so it tells large losses only.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from benchmarks import sets
from benchmarks.peer import PEERS

TIME_LIMIT = 120.0
_SIGNS = re.compile(r"[\s*_`\\|#~>]+")
_DELIMITER = re.compile(r"^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")


@dataclass(frozen=True, slots=True)
class Case:
    """One file and what is expected of it."""

    name: str
    path: Path
    must: tuple[str, ...]
    must_not: tuple[str, ...]
    must_fail: bool


@dataclass(frozen=True, slots=True)
class Read:
    """What a system made of one file: its text, or the reason why there is none."""

    text: str | None
    reason: str = ""
    tables: int = 0
    seconds: float = 0.0
    counted: int | None = None  # visible characters of the file by our independent counter


@dataclass(frozen=True, slots=True)
class Verdict:
    """One file of one system, held against what is expected. `missing` are characters of phrases that did not come out."""

    system: str
    name: str
    outcome: str  # right, honest, wrong
    found: int
    expected: int
    unwanted: int
    missing: int
    short: int | None
    tables: int
    seconds: float
    reason: str


def cases(folder: Path) -> list[Case]:
    """Return what `manifest.tsv` of the folder says. Raises FileNotFoundError."""
    with open(folder / "manifest.tsv", encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [
        Case(
            row["file"],
            folder / row["file"],
            phrases(row["must_contain"]),
            phrases(row["must_not_contain"]),
            row["verified"] == "must fail cleanly",
        )
        for row in rows
    ]


def phrases(cell: str | None) -> tuple[str, ...]:
    """Return the phrases of a cell of the manifest, which ` || ` separates."""
    return tuple(phrase.strip() for phrase in (cell or "").split("||") if phrase.strip())


def folded(text: str) -> str:
    """Return the text as it is compared: compatibility forms alike, no white space, no signs of Markdown."""
    return _SIGNS.sub("", unicodedata.normalize("NFKC", text))


def visible(text: str) -> int:
    """Return how many code points are not white space."""
    return len("".join(text.split()))


def markdown_tables(text: str) -> int:
    """Return how many tables a Markdown text has: rows of dashes with a row of cells above, and HTML tables."""
    lines = text.split("\n")
    pipes = sum(
        1 for above, line in pairwise(lines) if "|" in above and "-" in line and "|" in line and _DELIMITER.match(line)
    )
    return pipes + len(re.findall(r"<table\b", text, re.IGNORECASE))


def judge(system: str, case: Case, read: Read, counted: int | None) -> Verdict:
    """Hold what a system made of a file against what is expected; `counted` is the independent count, None where there is none."""
    text = folded(read.text or "")
    lost = [phrase for phrase in case.must if folded(phrase) not in text]
    unwanted = sum(folded(phrase) in text for phrase in case.must_not)
    if read.text is None:
        outcome = "wrong" if not read.reason else "right" if case.must_fail else "honest"
    else:
        outcome = "wrong" if lost or unwanted or case.must_fail else "right"
    return Verdict(
        system,
        case.name,
        outcome,
        len(case.must) - len(lost),
        len(case.must),
        unwanted,
        sum(visible(phrase) for phrase in lost),
        None if counted is None or case.must_fail else max(0, counted - visible(read.text or "")),
        read.tables,
        read.seconds,
        read.reason,
    )


def ours(workers: int = 1) -> tuple[Callable[[Path], Read], Callable[[], None]]:
    """Return a reader by the real pool, and what closes it."""
    from yinju.errors import DocumentError
    from yinju.load import Pool
    from yinju.types import SourceFile

    pool = Pool(workers)

    def read(path: Path) -> Read:
        began = time.perf_counter()
        try:
            loaded = pool.load_file(SourceFile(path.name, str(path), 0, 0))
        except DocumentError as error:
            return Read(None, error.reason, seconds=time.perf_counter() - began)
        warnings = "; ".join(loaded.receipt.warnings)
        receipt = loaded.receipt
        return Read(loaded.document.text, warnings, receipt.tables, time.perf_counter() - began, receipt.found)

    return read, pool.close


class Peer:
    """Another converter in a process of its own, started anew after a file that took too long or ended it."""

    def __init__(self, name: str, python: str, limit: float = TIME_LIMIT) -> None:
        self.name, self.limit, self.version = name, limit, ""
        self._command = [python, str(Path(__file__).with_name("peer.py")), name]
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> bool:
        """Start the process, unless it runs. Return False where the converter is not installed there."""
        if self._process is not None:
            return True
        if shutil.which(self._command[0]) is None:
            return False
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, encoding="utf-8",
            env={**os.environ, "PYTHONUTF8": "1"},
        )  # fmt: skip
        answer = self._answer()
        if answer is None:
            return False
        self.version = str(answer["version"])
        return True

    def read(self, path: Path) -> Read:
        """Return what the converter makes of the file."""
        if not self.start() or self._process is None or self._process.stdin is None:
            return Read(None, "it does not start")
        began = time.perf_counter()
        self._process.stdin.write(f"{path}\n")
        self._process.stdin.flush()
        answer = self._answer()
        if answer is None:
            return Read(None, "ended or took too long", seconds=time.perf_counter() - began)
        text = answer.get("text")
        if not isinstance(text, str) or not text.strip():
            return Read(None, str(answer.get("error", "")), seconds=float(str(answer["seconds"])))
        return Read(text, "", markdown_tables(text), float(str(answer["seconds"])))

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()

    def _answer(self) -> dict[str, object] | None:
        """Return the next answer, or None where none comes in time; then the process is gone."""
        process = self._process
        if process is None or process.stdout is None:
            return None
        watch = threading.Timer(self.limit, process.kill)
        watch.daemon = True
        watch.start()
        line = process.stdout.readline()
        watch.cancel()
        if line:
            found: dict[str, object] = json.loads(line)
            return found
        self.close()
        return None


def table(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Yield a line for each file of each system."""
    yield (
        f"{'file':<44} {'system':<11} {'found':>6} {'unwanted':>8} {'lost':>5} {'short':>7} {'tables':>6} {'s':>6}  outcome  reason"
    )
    for one in verdicts:
        short = "–" if one.short is None else f"{one.short:,}"
        yield (
            f"{one.name.rpartition('/')[2][:44]:<44} {one.system:<11} {one.found:>3}/{one.expected:<2} {one.unwanted:>8} {one.missing:>5}"
            f" {short:>7} {one.tables:>6} {one.seconds:>6.2f}  {one.outcome:<7}  {' '.join(one.reason.split())[:70]}"
        )


def summary(system: str, verdicts: Iterable[Verdict]) -> str:
    """Return one line about a system."""
    mine = [one for one in verdicts if one.system == system]
    outcomes = [one.outcome for one in mine]
    short = sum(one.short or 0 for one in mine)
    return (
        f"{system}: {outcomes.count('right')} of {len(mine)} files right, {outcomes.count('honest')} honest, {outcomes.count('wrong')} wrong;"
        f" phrases {sum(one.found for one in mine)} of {sum(one.expected for one in mine)}, unwanted {sum(one.unwanted for one in mine)};"
        f" characters of phrases lost {sum(one.missing for one in mine):,}, short of the count {short:,};"
        f" tables {sum(one.tables for one in mine)}; {sum(one.seconds for one in mine):.1f} s"
    )


def measure(expected: Sequence[Case], systems: dict[str, Callable[[Path], Read]]) -> list[Verdict]:
    """Read all files by all systems, file after file so that a busy moment of the machine meets all. Ours counts."""
    found = []
    for case in expected:
        made = {system: read(case.path) for system, read in systems.items()}
        counted = next((read.counted for read in made.values() if read.counted is not None), None)
        found += [judge(system, case, read, counted) for system, read in made.items()]
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table. Return 1 where one of our files is wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?", default=sets.BENCH / "files-mixed", help="with manifest.tsv")
    parser.add_argument("--peers", action="store_true", help="also by other converters (extra `bench`)")
    parser.add_argument(
        "--peers-python", default=sys.executable, metavar="PATH", help="a Python that has them installed"
    )
    parser.add_argument("--no-ocr", action="store_true", help="as without the extra `ocr`")
    parser.add_argument("--wrong", action="store_true", help="print only files that are not right")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep the figures, too")
    options = parser.parse_args(arguments)
    if options.no_ocr:
        os.environ["YINJU_OCR"] = "off"
    expected = cases(options.folder)
    with ExitStack() as stack:
        read, close = ours()
        stack.callback(close)
        systems = {"yinju": read}
        for peer in [Peer(name, options.peers_python) for name in PEERS] if options.peers else []:
            stack.callback(peer.close)
            if peer.start():
                systems[peer.name] = peer.read
                print(f"{peer.name} {peer.version}", file=sys.stderr)
            else:
                print(f"{peer.name} is not installed in {options.peers_python}", file=sys.stderr)
        verdicts = measure(expected, systems)
    for line in table([one for one in verdicts if not options.wrong or one.outcome != "right"]):
        print(line)
    for system in systems:
        print(summary(system, verdicts))
    if options.json:
        plain = [{name: getattr(one, name) for name in Verdict.__slots__} for one in verdicts]
        options.json.write_text(json.dumps(plain, ensure_ascii=False, indent=1), encoding="utf-8")
    return int(any(one.outcome == "wrong" for one in verdicts if one.system == "yinju"))


if __name__ == "__main__":
    raise SystemExit(main())
