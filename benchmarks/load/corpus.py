"""Synthetic documents and questions, and an embedder of 384 dimensions that needs no model: the same for the same seed on every machine.

Words follow Zipf's law (a word's frequency is one over its rank), half of them Chinese words of two characters, half English-like: a word index
meets common and rare terms as it would in real text. What the passages mean is nothing, so quality cannot be measured here, only time.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from typing import Any

from yinju.embed.hashing import BUCKETS, HashingEmbedder
from yinju.types import Document

VOCABULARY = 20_000
DIMENSION = 384
CHUNKS_EACH = 50  # passages of one document
_CHARACTERS = "".join(chr(code) for code in range(0x4E00, 0x4E00 + 900))
_SYLLABLES = ("ba", "co", "di", "fu", "ga", "he", "ji", "ko", "lu", "me", "ni", "po", "ra", "su", "ti", "vo")


class FoldedHashing:
    """The hashing embedder's 16,384 buckets folded onto 384 numbers, so that vectors are as large as those of a small model."""

    never_changes = True
    dimension = DIMENSION
    fingerprint = f"hashing-folded/{DIMENSION}"

    def __init__(self) -> None:
        self._whole = HashingEmbedder()

    def embed_passages(self, texts: Sequence[str]) -> Any:
        """Return float32 (len(texts), 384), rows of unit length."""
        import numpy as np

        folds = -(-BUCKETS // DIMENSION)
        wide = np.zeros((len(texts), folds * DIMENSION), np.float32)
        wide[:, :BUCKETS] = self._whole.embed_passages(texts)
        signs = np.where(np.arange(folds) % 2, -1.0, 1.0).astype(np.float32)[None, :, None]
        rows = (wide.reshape(len(texts), folds, DIMENSION) * signs).sum(axis=1)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)

    def embed_queries(self, texts: Sequence[str]) -> Any:
        """Return the same as for passages."""
        return self.embed_passages(texts)


class Words:
    """Words by Zipf's law; `chance` decides which come."""

    def __init__(self, seed: int) -> None:
        chance = random.Random(7)
        chinese = ["".join(chance.choices(_CHARACTERS, k=2)) for _ in range(VOCABULARY // 2)]
        english = ["".join(chance.choices(_SYLLABLES, k=chance.randint(2, 4))) for _ in range(VOCABULARY // 2)]
        self._words = [word for both in zip(chinese, english, strict=True) for word in both]
        self._weights = list(itertools.accumulate(1 / rank for rank in range(1, len(self._words) + 1)))
        self._chance = random.Random(seed)

    def some(self, count: int) -> list[str]:
        """Return so many words."""
        return self._chance.choices(self._words, cum_weights=self._weights, k=count)

    def sentence(self) -> str:
        """Return a sentence of about a dozen words, with a number."""
        words = self.some(self._chance.randint(8, 14))
        return f"{' '.join(words[:4])} {''.join(words[4:])} {self._chance.randint(1, 9_999)}。"

    def question(self) -> str:
        """Return a question of a few words."""
        return " ".join(self.some(self._chance.randint(2, 5))) + "？"


def text(words: Words, title: str, sections: int) -> str:
    """Return a Markdown document of so many sections, each about one passage long."""
    parts = [f"# {title}\n"]
    for number in range(sections):
        parts.append(
            f"## {' '.join(words.some(2))} {number}\n\n" + "\n".join(words.sentence() for _ in range(6)) + "\n"
        )
    return "\n".join(parts)


def documents(passages: int) -> Iterator[Document]:
    """Yield documents of so many passages in all."""
    words = Words(1)
    for number in range(-(-passages // CHUNKS_EACH)):
        made = text(words, f"Document {number} 文档", min(CHUNKS_EACH, passages - number * CHUNKS_EACH))
        yield Document.from_text(made, source=f"made/{number:05d}.md")
