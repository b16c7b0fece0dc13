"""Sentences that stand in many documents, numbers aside: disclaimers, footers, "click here". They take hits away from what answers.

Counted as the documents pass by, by the hashes of their sentences; sentences of the same documents are told together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from yinju.sync.quality.reading import Sentence

FEWEST = 5  # documents
SHARE = 0.02  # of all documents
SHORTEST = 20  # characters without white space and punctuation, of all sentences together
_MANY = 1 << 61


class Repeated(NamedTuple):
    """Sentences that stand in the same `documents`; the first of them stands at `start` to `end` in `source`."""

    documents: int
    sentences: int
    length: int
    source: str
    start: int
    end: int


@dataclass(slots=True)
class _Known:
    documents: int
    which: int  # a sum of the numbers of its documents' hashes: equal for sentences of the same documents
    length: int
    source: int
    start: int
    end: int


class Counting:
    """Counts in how many documents each sentence stands."""

    def __init__(self) -> None:
        self._known: dict[int, _Known] = {}
        self._sources: list[str] = []

    def add(self, source: str, sentences: list[Sentence]) -> None:
        """Count the sentences of one document, each once."""
        number = len(self._sources)
        self._sources.append(source)
        sign = pow(3, number + 1, _MANY - 1)
        for key, sentence in {sentence.key: sentence for sentence in reversed(sentences)}.items():
            known = self._known.get(key)
            if known is None:
                self._known[key] = _Known(1, sign, sentence.length, number, sentence.start, sentence.end)
            else:
                known.documents += 1
                known.which += sign

    def repeated(self) -> list[Repeated]:
        """Return what is boilerplate, what takes most room first."""
        fewest = max(FEWEST, SHARE * len(self._sources))
        groups: dict[tuple[int, int], list[_Known]] = {}
        for known in self._known.values():
            if known.documents >= fewest:
                groups.setdefault((known.documents, known.which), []).append(known)
        found = []
        for (documents, _which), members in groups.items():
            first = min(members, key=lambda one: (one.source, one.start))
            length = sum(one.length for one in members)
            if length >= SHORTEST:
                found.append(
                    Repeated(documents, len(members), length, self._sources[first.source], first.start, first.end)
                )
        return sorted(found, key=lambda one: (-one.documents * one.length, one.source, one.start))
