"""An embedder for tests that needs no model, and what every embedder must do."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from yinju.errors import ModelError
from yinju.protocols import Embedder
from yinju.text.words import terms

if TYPE_CHECKING:
    from yinju.protocols import Vectors

# Two pairs that mean nearly the same, a code, a long text, two texts without words.
EXAMPLES = (
    "年费方案每年 168 元。",
    "一年要付一百六十八元。",
    "The yearly plan costs 168 yuan.",
    "You pay 168 yuan a year.",
    "E-4031 --no-embed getUserName()",
    "<s> </s> <mask> <unk> \x00 \ufeff \U0001f600 \ud800",
    "电池保修六个月。" * 400,
    "",
    " \n\t",
)
TOLERANCE = 1e-3  # of a length
SAME = 0.98  # cosine of the same text in another batch; int8 models move a little


class FakeEmbedder:
    """Words and character pairs hashed into a few signed numbers: the same words, the same direction; no meaning. Deterministic.

    Another `seed` is another space of the same dimension. `fail_at`: the call with this number (from 1), and with `failures` more those after
    it, raise ModelError. `texts` remembers what was embedded, in order; `calls` counts.
    """

    never_changes = True  # behind its fingerprint: it needs no canaries

    def __init__(self, dimension: int = 64, *, seed: int = 0, fail_at: int | None = None, failures: int = 1) -> None:
        self._dimension, self._seed = dimension, seed
        self._fail_at, self._failures = fail_at, failures
        self.texts: list[str] = []
        self.calls = 0

    @property
    def fingerprint(self) -> str:
        """Dimension and seed."""
        return f"fake/{self._dimension}/{self._seed}"

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return self._dimension

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each text: the sum of its terms' directions at unit length."""
        import numpy as np

        self.calls += 1
        if self._fail_at is not None and self._fail_at <= self.calls < self._fail_at + self._failures:
            raise ModelError("the fake embedder fails as it was told to", "this is a test", code="fake", retryable=True)
        self.texts.extend(texts)
        rows = np.zeros((len(texts), self._dimension), np.float32)
        for row, text in zip(rows, texts, strict=True):
            self._add_terms(row, text)
        return rows

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return the same as for passages."""
        return self.embed_passages(texts)

    def close(self) -> None:
        """Do nothing."""

    def _add_terms(self, row: Vectors, text: str) -> None:
        found = terms(text)
        for term in {*found.words, *found.bigrams}:
            number = zlib.crc32(f"{self._seed} {term}".encode("utf-8", "replace"))
            for place in range(4):  # four of the numbers for each term, so that two terms seldom fall together wholly
                part = number >> (8 * place) & 0xFF
                row[(part * 31 + place * 17 + self._seed) % self._dimension] += 1.0 if part & 1 else -1.0
        length = float((row * row).sum()) ** 0.5
        if length:
            row /= length
        elif found.words or found.bigrams:
            row[0] = 1.0  # the terms cancelled out; a text with words has a direction


def embedder_conformance(make: Callable[[], Embedder]) -> None:
    """Check all that the protocol promises, on an embedder from `make` (called twice). Raises AssertionError that says what is wrong."""
    embedder, other = make(), make()
    _check_names(embedder, other)
    for embed in (embedder.embed_passages, embedder.embed_queries):
        _check_rows(embedder, embed)
    _check_same_text_same_vector(embedder, other)
    _check_words_matter(embedder)


def _check_names(embedder: Embedder, other: Embedder) -> None:
    assert isinstance(embedder, Embedder), "methods or properties of the protocol are missing"
    assert embedder.fingerprint, "a fingerprint names the space"
    assert embedder.fingerprint == other.fingerprint, "two of the same kind need one fingerprint"
    assert embedder.dimension > 0
    before = embedder.fingerprint
    embedder.embed_queries(EXAMPLES[:1])
    assert embedder.fingerprint == before, "the fingerprint must not change with use"


def _check_rows(embedder: Embedder, embed: Callable[[Sequence[str]], Vectors]) -> None:
    import numpy as np

    assert embed([]).shape == (0, embedder.dimension), "no texts: an array of shape (0, dimension)"
    rows = embed(EXAMPLES)
    assert rows.shape == (len(EXAMPLES), embedder.dimension), "one row for each text"
    assert rows.dtype == np.float32
    assert np.isfinite(rows).all(), "NaN or infinite"
    for text, length in zip(EXAMPLES, np.linalg.norm(rows, axis=1), strict=True):
        allowed_zero = not any(character.isalnum() for character in text)
        assert abs(length - 1) < TOLERANCE or (allowed_zero and length == 0), f"length {length} of {text[:20]!r}"


def _check_same_text_same_vector(embedder: Embedder, other: Embedder) -> None:
    together = embedder.embed_passages(EXAMPLES[:7])
    reversed_ = other.embed_passages(EXAMPLES[6::-1])[::-1]
    for text, row, again in zip(EXAMPLES, together, reversed_, strict=False):
        assert float(row @ again) > SAME, f"another order, another vector: {text[:20]!r}"
        alone = embedder.embed_passages([text])[0]
        assert float(row @ alone) > SAME, f"alone another vector: {text[:20]!r}"


def _check_words_matter(embedder: Embedder) -> None:
    passages = embedder.embed_passages(
        [EXAMPLES[0], "电池保修六个月。", EXAMPLES[2], "The battery is under warranty for six months."]
    )
    chinese, english = embedder.embed_queries(["年费方案", "yearly plan"])
    assert float(chinese @ passages[0]) > float(chinese @ passages[1]), (
        "a Chinese question is nearer to the passage with its words"
    )
    assert float(english @ passages[2]) > float(english @ passages[3]), (
        "an English question is nearer to the passage with its words"
    )
