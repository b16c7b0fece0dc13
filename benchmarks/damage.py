"""Damage a library at random places, ask it, repair it: `python -m benchmarks.damage [--cases N] [--seed S] [--only CASE]`.

Each case takes a sound library with a backup that it knows of, changes one of its files (a bit flips, the end is cut off, a block is zeroed,
all of it is gone), and asks ten questions. Allowed are the same answers, or an error that names the file and the repair. Anything else is
counted: other answers (silently wrong), other errors (crashes), more than two minutes (hangs). Then the library is repaired and synced, and
has to pass its check and give the same answers as before.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from yinju import Document, Library
from yinju.embed.hashing import HashingEmbedder
from yinju.errors import YinjuError
from yinju.store import matrix

EXAMPLES = Path(__file__).parent.parent / "examples" / "help-centre"
QUESTIONS = (
    "年费方案每年多少元？", "在校生能便宜吗？", "电池保修多久？", "怎么申请退款？", "家庭方案最多几个人共用？",
    "How much is the annual plan?", "What discount do students get?", "How long is the warranty?", "How do I reset my password?",
    "What did the memo decide?",
)  # fmt: skip
MEMO = "# Memo\n\nThe memo decided that the office in Lyon opens on 3 May.\n\n里昂的办公室五月三日开业。\n"
WAYS = (
    "flip",
    "flip",
    "flip",
    "flip",
    "flip",
    "flip",
    "truncate",
    "truncate",
    "truncate",
    "zero",
    "zero",
    "zero",
    "empty",
    "empty",
)
HANG_S = 120.0  # of a machine that others use, too
Answers = list[list[tuple[str, tuple[int, int] | None, str]]]


@dataclass(slots=True)
class Result:
    """What came of the cases: how each was met, and what should not have been."""

    cases: int = 0
    met: Counter[str] = field(default_factory=Counter)
    by_file: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def lines(self) -> list[str]:
        """Return the result for people."""
        head = f"{self.cases} damages in {self.seconds:.0f} s: " + ", ".join(
            f"{n} {what}" for what, n in sorted(self.met.items())
        )
        files = "files: " + ", ".join(f"{name} {n}" for name, n in self.by_file.most_common())
        return [head, files, *(self.wrong or ["nothing was silently wrong, crashed, hung, or stayed damaged"])]


class Trial:
    """A folder of documents, its sound library, and the answers that it gives."""

    def __init__(self, place: Path) -> None:
        """Make them below `place`, which is new."""
        self.documents, self.sound, self.backup = place / "documents", place / "sound", place / "library.backup"
        shutil.copytree(EXAMPLES, self.documents, ignore=shutil.ignore_patterns(".yinju", "files"))
        self.folder = self.documents / ".yinju"
        self.embedder = HashingEmbedder()
        with self._opened() as library:
            library.sync(self.documents)
            library.add([Document.from_text(MEMO, source="memo.md")])
            library.backup(self.backup)
            self.expected = answers(library)
        shutil.copytree(self.folder, self.sound)

    def _opened(self) -> Library:
        return Library.open(self.folder, embedder=self.embedder)

    def files(self) -> list[Path]:
        """Return the files of the sound library below its folder, the truth and its views several times as likely as the others."""
        every = sorted(path for path in self.sound.iterdir() if path.is_file())
        weights = {".db": 12, ".view": 4}
        return [path for path in every for _ in range(weights.get(path.suffix, 1))]

    def run(self, case: int, seed: int, result: Result) -> None:
        """Do one case and count what came of it."""
        generator = random.Random(f"{seed}:{case}")
        shutil.rmtree(self.folder)
        shutil.copytree(self.sound, self.folder)
        chosen = self.folder / generator.choice(self.files()).name
        way = damage(chosen, generator)
        result.cases += 1
        result.by_file[chosen.name.split("-")[0]] += 1
        name = f"case {case}, {way} of {chosen.name}"
        began = time.monotonic()
        met = self._asked(name, chosen, result)
        result.met[met] += 1
        self._repaired(name, result)
        if time.monotonic() - began > HANG_S:
            result.wrong.append(f"{name}: took {time.monotonic() - began:.0f} s")

    def _asked(self, name: str, chosen: Path, result: Result) -> str:
        try:
            with self._opened() as library:
                found = answers(library)
        except YinjuError as error:
            if chosen.name not in error.message or "--repair" not in (error.hint or ""):
                result.wrong.append(f"{name}: {error.message} ({error.hint})")
            return "noticed"
        except Exception as error:  # noqa: BLE001  that is what is counted
            result.wrong.append(f"{name}: {type(error).__name__}: {error}")
            return "crashed"
        if found != self.expected:
            result.wrong.append(f"{name}: other answers, and nobody was told")
            return "wrong"
        return "harmless"

    def _repaired(self, name: str, result: Result) -> None:
        try:
            Library.repair(self.folder)
            with self._opened() as library:
                library.sync(self.documents)
                problems = library.store.check()
                found = answers(library)
        except Exception as error:  # noqa: BLE001  that is what is counted
            result.wrong.append(f"{name}: not repaired: {type(error).__name__}: {error}")
            return
        if problems or found != self.expected:
            result.wrong.append(f"{name}: not repaired: {problems[:1] or 'other answers'}")


def damage(path: Path, generator: random.Random) -> str:
    """Change the file in one of four ways. Return which."""
    content = bytearray(path.read_bytes())
    way = generator.choice(WAYS) if content else "empty"
    place = generator.randrange(len(content)) if content else 0
    if way == "flip":
        content[place] ^= 1 << generator.randrange(8)
    elif way == "truncate":
        del content[place:]
    elif way == "zero":
        size = generator.choice((16, 512, 4096, 16_384))
        place -= place % size
        content[place : place + size] = bytes(len(content[place : place + size]))
    else:
        content.clear()
    path.write_bytes(content)
    return f"{way} at {place}"


def answers(library: Library) -> Answers:
    """Return what the library finds for each question: sources, lines and texts in their order."""
    return [[(hit.source, hit.lines, hit.text) for hit in library.search(question, 5)] for question in QUESTIONS]


def run(place: Path, cases: Sequence[int], seed: int) -> Result:
    """Do these cases below `place`. The library is small: views are written for it as for a large one."""
    result, began = Result(), time.monotonic()
    before, matrix.MINIMUM_TAIL = matrix.MINIMUM_TAIL, 20
    try:
        trial = Trial(place)
        for case in cases:
            trial.run(case, seed, result)
    finally:
        matrix.MINIMUM_TAIL = before
    result.seconds = time.monotonic() - began
    return result


def main(arguments: Sequence[str]) -> int:
    """Run the cases that the command line names and print the result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as place:
        cases = range(given.cases) if given.only is None else [given.only]
        result = run(Path(place) / "trial", cases, given.seed)
    print("\n".join(result.lines()))
    return 1 if result.wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
