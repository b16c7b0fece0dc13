"""Vectors without any model: characters and words hashed into 16,384 buckets. They know nothing of meaning, and say no more than words do.

What is counted, on the folded text (width, case, traditional characters): of Chinese, Japanese and Korean runs each character and each pair of
neighbours; of everything else whole words, numbers and codes. Bucket = CRC-32 of the term mod 16,384. Weight of a term that occurs tf times:

    log(1 + tf) * log(1 + 1 / p)

p is the share of passages in which such a term stands. An embedder does not see the library, so p is a prior, not counted but set by class
(`_SHARES`): words and characters of grammar in half of all passages, common characters in a fifth, other characters in a fiftieth, pairs,
long words and codes in a few of a thousand. Sums of log tf x idf are the weights of Salton and Buckley (1988); rows have unit length.
"""

from __future__ import annotations

import math
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from yinju.text.normalize import fold

if TYPE_CHECKING:
    from yinju.protocols import Vectors

BUCKETS = 16_384
VERSION = 1  # raise it with every change of what is counted or how it weighs

_CJK = "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_RUN = re.compile(rf"(?P<cjk>[{_CJK}]+)|(?P<word>(?:(?![{_CJK}])\w)+)")
_GRAMMAR = frozenset(
    "的一是不了在有我他这个们来到和地你说就也那得着为以要可会么吗呢吧与及或其所被把对从而但如何哪谁什怎请问"
)
_COMMON = frozenset(
    "人上大国时出生子年作里用道行然家种事成方多经去法学同现当没动面起看定天分还进好小部些主样理心她本前开因只从想实日军者意无力它长机高"
)
_ENGLISH_WORDS = (
    "a about an and any are as at be been but by can could did do does for from had has have how i if in into is it its me my no not of on or our "
    "should so than that the their them then there these they this to was we were what when where which who why will with would you your"
)
_ENGLISH = frozenset(_ENGLISH_WORDS.split())
_SHARES = {
    "grammar": 0.5,
    "common character": 0.2,
    "character": 0.02,
    "pair with grammar": 0.02,
    "pair": 0.002,
    "short word": 0.05,
    "word": 0.005,
    "number": 0.01,
    "code": 0.001,
}
_IDF = {kind: math.log(1 + 1 / share) for kind, share in _SHARES.items()}


class HashingEmbedder:
    """The embedder of machines without a model. Deterministic, the same everywhere; safe to use from several threads."""

    never_changes = True  # behind its fingerprint: it needs no canaries

    dimension = BUCKETS
    fingerprint = f"hashing/{BUCKETS}/v{VERSION}"

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return float32 (len(texts), 16384), rows of unit length, all zero for a text without words."""
        import numpy as np

        matrix = np.zeros((len(texts), BUCKETS), np.float32)
        for row, text in zip(matrix, texts, strict=True):
            for bucket, weight in _weights(text).items():
                row[bucket] = weight
        return matrix

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return the same as for passages: what is looked for is the same words."""
        return self.embed_passages(texts)

    def close(self) -> None:
        """Do nothing: there is nothing to give back."""


def _weights(text: str) -> dict[int, float]:
    """Return the weights of the buckets that are not zero; their squares sum to 1."""
    sums: dict[int, float] = {}
    for (term, kind), count in sorted(Counter(_terms(fold(text))).items()):
        bucket = zlib.crc32(term.encode("utf-8", "replace")) % BUCKETS
        sums[bucket] = sums.get(bucket, 0.0) + math.log1p(count) * _IDF[kind]
    length = math.sqrt(math.fsum(weight * weight for weight in sums.values()))
    return {bucket: weight / length for bucket, weight in sums.items()} if length else {}


def _terms(text: str) -> Iterator[tuple[str, str]]:
    """Yield each term with its class, a key of `_SHARES`."""
    for match in _RUN.finditer(text):
        run = match.group()
        if match.lastgroup == "word":
            yield run, _word_class(run)
            continue
        for character in run:
            yield character, _character_class(character)
        for first, second in pairwise(run):
            grammar = first in _GRAMMAR or second in _GRAMMAR
            yield first + second, "pair with grammar" if grammar else "pair"


def _character_class(character: str) -> str:
    if character in _GRAMMAR:
        return "grammar"
    return "common character" if character in _COMMON else "character"


def _word_class(word: str) -> str:
    if word in _ENGLISH:
        return "grammar"
    if word.isdecimal():
        return "number"
    if any(character.isdecimal() or character == "_" for character in word):
        return "code"
    return "short word" if len(word) <= 2 else "word"
