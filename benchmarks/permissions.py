"""What access lists cost and what they let through: `python -m benchmarks.permissions`.

1. Recall at 10 of each leg, and of a whole search, for somebody who may see 1 %, 10 % and 50 % of the passages, against looking at every visible
   passage (words and vectors), and against a library of nothing else (search).
2. The time of a search with a principal and without one, over 20,000 passages, asked in turns.
3. The property test of `tests/test_access_properties.py` with 10,000 examples: words of hidden documents that come back.

The library is made up: passages of words drawn by Zipf's law, Chinese and English, embedded by hashing; each document is for some of the groups.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from yinju import Library
from yinju.embed.hashing import HashingEmbedder
from yinju.principal import Principal
from yinju.retrieve import lexical
from yinju.retrieve.legs import RetrieveOptions
from yinju.types import Document, Hit

SHARES = {"one": 0.01, "ten": 0.1, "half": 0.5}  # group: share of the documents that are for it
BEST = 10
_SYLLABLES = ("ba", "co", "di", "fu", "ge", "ho", "ki", "lu", "ma", "ne", "po", "ri", "sa", "tu", "ve", "wo")
_CHARACTERS = [
    bytes((high, low)).decode("gb2312") for high in range(0xB0, 0xD7) for low in range(0xA1, 0xFE)
]  # the common ones


class Words:
    """A made-up language: words with ranks, drawn so that the first are common and the last are rare."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        english = ["".join(self.random.sample(_SYLLABLES, 3)) for _ in range(4_000)]
        chinese = ["".join(self.random.sample(_CHARACTERS, 2)) for _ in range(4_000)]
        self._english, self._chinese = english, chinese

    def sentence(self, chinese: bool, length: int) -> str:
        """Return this many words."""
        words = self._chinese if chinese else self._english
        places = (min(int(self.random.paretovariate(0.6)) - 1, len(words) - 1) for _ in range(length))
        return ("" if chinese else " ").join(words[place] for place in places) + ("。" if chinese else ".")

    def question(self, chinese: bool) -> str:
        """Return three words that are rare."""
        words = self._chinese if chinese else self._english
        return ("" if chinese else " ").join(self.random.sample(words[len(words) // 10 : len(words) // 2], 3))


def documents(passages: int, seed: int = 7) -> Iterator[Document]:
    """Yield documents of two passages each, with their lists; every third is Chinese."""
    words = Words(seed)
    for number in range(passages // 2):
        chinese = number % 3 == 0
        parts = [" ".join(words.sentence(chinese, 14) for _ in range(6)) for _ in range(2)]
        groups = [group for group, share in SHARES.items() if words.random.random() < share]
        text = "\n\n".join(f"# {words.sentence(chinese, 3)}\n\n{part}" for part in parts)
        yield Document.from_text(text, source=f"{number}.md", metadata={"access": groups})


def questions(count: int, seed: int = 11) -> list[str]:
    """Return questions of three rare words, in both languages.

    With words that stand in many passages the index's first choice, which knows only what is rare, misses some of the best, for the owner too.
    """
    words = Words(7)
    words.random.seed(seed)
    return [words.question(number % 2 == 0) for number in range(count)]


def recalls(library: Library, group: str, asked: Sequence[str]) -> dict[str, float]:
    """Return for each leg the mean share of the best passages among all visible ones that the leg finds."""
    view = library.seen_by(Principal("somebody", (group,)))
    embedder = library.embedder
    assert embedder is not None
    visible = [stored.rowid for record in view.sources() for stored in library.store.chunks_of(record.source)]
    found: dict[str, list[float]] = {"vectors": [], "words": [], "bigrams": []}
    for question in asked:
        vector = embedder.embed_queries([question])[0]
        near = [row for row, _ in view.store.nearest(embedder.fingerprint, vector, BEST)]
        heights = library.store.similarities(embedder.fingerprint, vector, visible)
        found["vectors"].append(_share(near, heights))
        terms = lexical.question_terms(view.store, question)
        proposed = lexical.scores(
            view.store, terms, lexical.candidates(view.store, terms, RetrieveOptions().word_candidates, None)
        )
        every = lexical.scores(library.store, terms, visible)
        for leg in ("words", "bigrams"):
            ours = {row: getattr(score, leg) for row, score in proposed.items()}
            all_ = {row: getattr(score, leg) for row, score in every.items()}
            found[leg].append(_share(lexical.best_first(ours, ours)[:BEST], all_))
    return {leg: statistics.fmean(shares) for leg, shares in found.items()}


def _share(found: Sequence[int], values: dict[int, float]) -> float:
    """Return how many of the best places are taken by passages that are as good as those that belong there."""
    best = sorted((value for value in values.values() if value > 0), reverse=True)[:BEST]
    if not best:
        return 1.0
    good = sum(values.get(row, 0.0) >= best[-1] - 1e-9 for row in found)
    return min(good, len(best)) / len(best)


def alike(library: Library, group: str, asked: Sequence[str]) -> float:
    """Return in which share of the questions a search finds the same, with the same scores, as in a library of the visible documents alone."""
    view = library.seen_by(Principal("somebody", (group,)))
    with Library.open(embedder=library.embedder) as other:
        order = sorted((record.source for record in view.sources()), key=lambda source: int(source.split(".")[0]))
        other.add(map(view.document, order))
        same = [_said(view.search(text, BEST)) == _said(other.search(text, BEST)) for text in asked]
    return sum(same) / len(same)


def _said(hits: Sequence[Hit]) -> list[tuple[str, float]]:
    return [(hit.id, round(hit.score, 9)) for hit in hits]


def times(library: Library, group: str, asked: Sequence[str]) -> dict[str, float]:
    """Return the median milliseconds of a search as the owner and as somebody, asked in turns, and their ratio."""
    view = library.seen_by(Principal("somebody", (group,)))
    taken: dict[str, list[float]] = {"owner": [], "principal": []}
    for question in asked:
        for name, one in (("owner", library), ("principal", view)):
            began = time.perf_counter()
            one.search(question)
            taken[name].append((time.perf_counter() - began) * 1000)
    medians = {name: statistics.median(values[3:]) for name, values in taken.items()}
    return {**medians, "ratio": medians["principal"] / medians["owner"]}


def leaks(examples: int) -> int:
    """Run the property test with so many examples; return the exit status of pytest, 0: no leak."""
    environment = {**os.environ, "YINJU_PERMISSION_EXAMPLES": str(examples)}
    tests = Path(__file__).parent.parent / "tests" / "test_access_properties.py"
    return subprocess.run([sys.executable, "-m", "pytest", "-q", str(tests)], env=environment, check=False).returncode


def main() -> int:
    """Print the figures as JSON, one line for each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--passages", type=int, default=20_000)
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--examples", type=int, default=10_000, help="of the property test; 0: leave it out")
    asked = parser.parse_args()
    library = Library.open(embedder=HashingEmbedder())
    library.add(documents(asked.passages))
    print(json.dumps({"passages": library.store.counts().chunks}))
    texts = questions(asked.questions)
    for group, share in SHARES.items():
        figures = {"recall": recalls(library, group, texts), "alike": alike(library, group, texts)}
        print(json.dumps({"visible": share, **figures, "ms": times(library, group, texts)}), flush=True)
    return leaks(asked.examples) if asked.examples else 0


if __name__ == "__main__":
    sys.exit(main())
