"""A cross-encoder on this machine, from a folder: question and passage go through the network together, one number comes out.

Only the passage is cut where both are too long (and a question longer than half the room, which is no question). Pairs run in batches of
similar length, so that little is filled up.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from yinju.errors import ModelError
from yinju.inference import folder as folders
from yinju.inference import tokens as tokenizers
from yinju.inference.session import Network, foreign
from yinju.messages import say
from yinju.rerank.http_answer import as_probabilities

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from yinju.inference.tokens import Tokenizer

TOKENS = 512  # of question and passage with what stands around them, unless `max_tokens` says otherwise
BATCH = 8
CANDIDATES = 20  # a full passage takes the small e5 0.2 s on two busy cores, a larger network a multiple: fifty would be a long wait
VERSION = 1  # raise it with every change of what a score is


class OnnxReranker:
    """Scores from 0 to 1 by the model in this folder, loaded at its first text. `threads`: at most half the processors by default.

    `cache` remembers digests of large files. Safe to use from several threads. Raises ModelError where the folder holds no model.
    """

    candidates = CANDIDATES

    def __init__(
        self, path: Path, *, cache: Path | None = None, threads: int | None = None, max_tokens: int = TOKENS
    ) -> None:
        self._folder = folders.read(path)
        self._cache = cache
        self._threads = max(1, (os.cpu_count() or 2) // 2) if threads is None else max(1, threads)
        self._most = self._folder.max_tokens(max_tokens)
        batch = self._folder.settings.get("batch")
        self._batch = batch if isinstance(batch, int) and batch > 0 else BATCH
        self._lock = threading.Lock()
        self._engine: _Engine | None = None
        self._fingerprint: str | None = None

    @property
    def fingerprint(self) -> str:
        """Name and a digest of the files and of how they are used. Raises ModelError."""
        if self._fingerprint is None:
            facts = [VERSION, self._folder.digest(self._cache), self._most]
            digest = hashlib.sha256(json.dumps(facts).encode()).hexdigest()
            self._fingerprint = f"onnx/{self._folder.name}/{digest[:16]}"
        return self._fingerprint

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return a score from 0 to 1 for each text, 0 for a blank one. Raises ModelError."""
        waiting = [place for place, text in enumerate(texts) if text.strip()]
        given = self._opened().score(query, [texts[place] for place in waiting], self._batch) if waiting else []
        found = dict(zip(waiting, given, strict=True))
        return [found.get(place, 0.0) for place in range(len(texts))]

    def load(self) -> None:
        """Load the model now. Raises ModelError."""
        self._opened()

    def close(self) -> None:
        """Give the memory back. The next text loads the model again."""
        with self._lock:
            self._engine = None

    def _opened(self) -> _Engine:
        with self._lock:
            if self._engine is None:
                tokenizer = tokenizers.load(self._folder.tokenizer)
                self._engine = _Engine(Network(self._folder.onnx, self._threads), tokenizer, self._most)
            return self._engine


class _Engine:
    def __init__(self, network: Network, tokenizer: Tokenizer, most: int) -> None:
        self._network, self._tokenizer = network, tokenizer
        self._room = most - tokenizer.pair.size
        self._output = "logits" if "logits" in network.outputs else next(iter(network.outputs))
        shape = network.outputs[self._output]
        if len(shape) not in (1, 2) or (len(shape) == 2 and shape[1] not in (1, 2) and isinstance(shape[1], int)):
            raise foreign(say("it gives {shape}, not one number", "其输出为 {shape}，不是一个数", shape=shape))

    def score(self, query: str, texts: Sequence[str], batch: int) -> list[float]:
        asked = self._tokenizer.encode(query)[: max(1, self._room // 2)]
        pairs = [
            self._tokenizer.pair.put(asked, self._tokenizer.encode(text)[: max(1, self._room - len(asked))])
            for text in texts
        ]
        order = sorted(range(len(pairs)), key=lambda place: len(pairs[place][0]))
        logits: dict[int, float] = {}
        for start in range(0, len(order), batch):
            places = order[start : start + batch]
            found = self._network.run([pairs[place] for place in places], self._output, self._tokenizer.pad)
            logits.update(zip(places, _logits(found, len(places)), strict=True))
        return as_probabilities([logits[place] for place in range(len(texts))])


def _logits(found: NDArray[np.float32], count: int) -> list[float]:
    """Return one logit for each row of (rows,), (rows, 1) or (rows, 2), where the second class is `relevant`."""
    import numpy as np

    rows = found.reshape(count, -1) if found.size else np.zeros((count, 0), np.float32)
    if rows.shape[1] not in (1, 2):
        raise foreign(say("it gives {n} numbers a text", "每条文本输出 {n} 个数", n=rows.shape[1]))
    if not np.isfinite(rows).all():
        raise ModelError(
            say("The reranker gave NaN or infinite numbers.", "重排模型输出了 NaN 或无穷大。"),
            say("Choose another file of the model.", "请换用该模型的其他文件。"),
            code="bad-score",
        )
    wide = rows.astype(np.float64)
    logits: list[float] = (wide[:, -1] - (wide[:, 0] if rows.shape[1] == 2 else 0.0)).tolist()
    return logits
