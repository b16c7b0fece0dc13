"""Any sentence embedding model that was exported to ONNX, from a folder, without a network.

Texts run one by one, as with the built-in model: a vector depends on its text alone, and nothing is filled up. A text longer than the model's
window is cut into windows of nearly equal length, each with the prefix; its vector is the mean of theirs, weighted by their tokens.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from yinju.embed.e5 import unit, windows
from yinju.embed.sentence_files import Recipe, recipe, says_one_vector
from yinju.errors import ModelError
from yinju.inference import folder as folders
from yinju.inference import tokens as tokenizers
from yinju.inference.session import Network, foreign
from yinju.messages import say

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from yinju.inference.tokens import Tokenizer
    from yinju.protocols import Vectors

TOKENS = 1024  # of one window, where the model takes more: attention grows with the square
VERSION = 1  # raise it with every change of what a vector is
ONE_VECTOR = ("sentence_embedding", "dense_vecs")  # outputs that are pooled already
ALL_TOKENS = ("last_hidden_state", "token_embeddings")


class OnnxEmbedder:
    """Vectors by the model in this folder, loaded at its first text. `threads`: at most half the processors by default.

    `cache` remembers digests of large files. Safe to use from several threads. Raises ModelError where the folder holds no model, or does
    not say how it is used.
    """

    def __init__(
        self, path: Path, *, cache: Path | None = None, threads: int | None = None, max_tokens: int = TOKENS
    ) -> None:
        self._folder = folders.read(path)
        if self._folder.kind != "embedding":
            raise foreign(say("it is a reranker", "它是重排模型"))
        self._recipe = recipe(self._folder)
        self._cache = cache
        self._threads = max(1, (os.cpu_count() or 2) // 2) if threads is None else max(1, threads)
        self._most = self._folder.max_tokens(max_tokens)
        self._lock = threading.Lock()
        self._engine: _Engine | None = None
        self._fingerprint: str | None = None

    @property
    def fingerprint(self) -> str:
        """Name and a digest of the files and of everything else that changes the vectors. Raises ModelError."""
        if self._fingerprint is None:
            facts = [VERSION, self._folder.digest(self._cache), asdict(self._recipe), self._most]
            digest = hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()
            self._fingerprint = f"onnx/{self._folder.name}/{digest[:16]}"
        return self._fingerprint

    @property
    def dimension(self) -> int:
        """Numbers in a vector; loads the model where its files do not say. Raises ModelError."""
        return self._opened().dimension

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return float32 (len(texts), dimension), rows of unit length, all zero for a text without tokens. Raises ModelError."""
        return self._embed(texts, self._recipe.passage_prefix)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return float32 (len(texts), dimension), rows of unit length, all zero for a text without tokens. Raises ModelError."""
        return self._embed(texts, self._recipe.query_prefix)

    def load(self) -> None:
        """Load the model now. Raises ModelError."""
        self._opened()

    def close(self) -> None:
        """Give the memory back. The next text loads the model again."""
        with self._lock:
            self._engine = None

    def _embed(self, texts: Sequence[str], prefix: str) -> Vectors:
        import numpy as np

        engine = self._opened()
        rows = [engine.vector(text, prefix) for text in texts]
        return np.stack(rows) if rows else np.zeros((0, engine.dimension), np.float32)

    def _opened(self) -> _Engine:
        with self._lock:
            if self._engine is None:
                tokenizer = tokenizers.load(self._folder.tokenizer)
                network = Network(self._folder.onnx, self._threads)
                one_vector = says_one_vector(self._folder)
                self._engine = _Engine(network, tokenizer, self._recipe, self._most, one_vector=one_vector)
            return self._engine


class _Engine:
    def __init__(self, network: Network, tokenizer: Tokenizer, how: Recipe, most: int, *, one_vector: bool) -> None:
        self._network, self._tokenizer, self._pooling, self._most = network, tokenizer, how.pooling, most
        self._output = _output(network, one_vector=one_vector)
        self._prefixes = {prefix: tokenizer.encode(prefix) for prefix in (how.query_prefix, how.passage_prefix)}
        longest = max(len(tokens) for tokens in self._prefixes.values())
        if most - longest - tokenizer.single.size < 8:
            raise foreign(say("its prefix leaves no room for a text", "前缀没有给文本留下空间"))
        size = network.outputs[self._output][-1]
        self.dimension = size if isinstance(size, int) else len(self._window(tokenizer.encode("a") or [0]))

    def vector(self, text: str, prefix: str) -> Vectors:
        import numpy as np

        tokens = self._tokenizer.encode(text)
        if not tokens or not text.strip():
            return np.zeros(self.dimension, np.float32)
        frame = self._tokenizer.single.size
        whole = self._tokenizer.encode(prefix + text) if prefix else tokens
        if len(whole) + frame <= self._most:
            return unit(self._window(whole).astype(np.float64))
        front = self._prefixes[prefix]
        total = np.zeros(self.dimension, np.float64)
        for start, end in windows(len(tokens), self._most - len(front) - frame):
            total += (end - start) * unit(self._window([*front, *tokens[start:end]]).astype(np.float64))
        return unit(total)

    def _window(self, tokens: Sequence[int]) -> NDArray[np.float32]:
        """Return the pooled vector, shape (dimension,)."""
        import numpy as np

        row = self._tokenizer.single.put(tokens)
        found = self._network.run([row], self._output, self._tokenizer.pad)[0]
        if found.ndim == 2:
            pooled = {"cls": lambda: found[0], "last": lambda: found[-1], "mean": lambda: found.mean(axis=0)}
            found = pooled[self._pooling]()
        if found.ndim != 1 or not np.isfinite(found).all():
            raise ModelError(
                say("The embedding model gave no usable vector.", "向量模型没有给出可用的向量。"),
                say("Choose another file of the model.", "请换用该模型的其他文件。"),
                code="bad-vector",
            )
        vector: NDArray[np.float32] = found
        return vector


def _output(network: Network, *, one_vector: bool) -> str:
    """Return the output to use: one that is pooled already, else that of all tokens. Raises ModelError."""
    names = network.outputs
    found = next((name for name in ONE_VECTOR if name in names), None)
    if found is None and one_vector:
        raise foreign(say("the layers after its pooling are missing", "缺少池化之后的层"))
    first = next(iter(names))
    found = found or next((name for name in ALL_TOKENS if name in names), first)
    if len(names[found]) not in (2, 3):
        raise foreign(say("it gives {shape}, not vectors", "其输出为 {shape}，不是向量", shape=names[found]))
    return found
