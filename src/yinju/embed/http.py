"""Embeddings from an OpenAI-compatible or Voyage endpoint, believed only after every number was looked at.

What goes wrong on a wire is the endpoint's business (`inference.endpoint`). Where a server takes fewer texts at a time than we sent, the batch
is halved and that is remembered.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from yinju.embed import http_answer
from yinju.embed.batches import batches, cut
from yinju.inference.endpoint import Endpoint, Names
from yinju.inference.wire import says_too_much

if TYPE_CHECKING:
    from yinju.protocols import Vectors

Style = Literal["openai", "voyage"]
Purpose = Literal["query", "document"]
NAMES = Names(
    "embedding endpoint",
    "向量接口",
    "YINJU_EMBED",
    "embeddings",
    "Try again later; until then questions are answered by words.",
    "请稍后再试；在此之前按词语检索。",
)


class HttpEmbedder:
    """Vectors from `url` (a base URL, usually ending in /v1) + `/embeddings`.

    `key` may be None where the server wants none. `dimensions` is asked for where given. `batch` texts and `batch_tokens` estimated tokens go into
    one request; a text over `text_tokens` is cut into pieces whose vectors are averaged, weighted by their tokens. `encoding` base64 saves
    two thirds of the way where the server knows it. `deadline` is for one request with all its tries, in seconds. Safe to use from several threads.
    Raises UsageError for a URL or key that cannot be right.
    """

    def __init__(
        self,
        url: str,
        key: str | None,
        model: str,
        *,
        style: Style = "openai",
        dimensions: int | None = None,
        query_prefix: str = "",
        passage_prefix: str = "",
        encoding: Literal["float", "base64"] = "float",
        batch: int = 64,
        batch_tokens: int = 50_000,
        text_tokens: int = 7_500,
        deadline: float = 60.0,
        trust_env: bool = True,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        address = url.strip().rstrip("/").removesuffix("/embeddings").rstrip("/") + "/embeddings"
        self._endpoint = Endpoint(NAMES, address, key, deadline=deadline, trust_env=trust_env, sleep=sleep)
        self._model, self._style, self._dimensions = model, style, dimensions
        self._prefixes: dict[Purpose, str] = {"query": query_prefix, "document": passage_prefix}
        self._encoding = encoding
        self._batch, self._batch_tokens, self._text_tokens = max(1, batch), batch_tokens, max(1, text_tokens)
        self._known_dimension = dimensions

    @property
    def fingerprint(self) -> str:
        """Model, host, style, prefixes, dimensions and window rule; needs no request. The endpoint behind a name may still change: canaries."""
        facts = [self._endpoint.host, self._model, self._style, self._dimensions, self._prefixes, self._text_tokens]
        digest = hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()
        return f"http/{self._model}/{digest[:16]}"

    @property
    def dimension(self) -> int:
        """Numbers in a vector; asks the endpoint once where it is not known. Raises ModelError."""
        if self._known_dimension is None:
            self.embed_queries(["dimension"])
        assert self._known_dimension is not None
        return self._known_dimension

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return float32 (len(texts), dimension), rows of unit length, all zero for a blank text. Raises ModelError; then nothing is returned."""
        return self._embed(texts, "document")

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return float32 (len(texts), dimension), rows of unit length, all zero for a blank text. Raises ModelError; then nothing is returned."""
        return self._embed(texts, "query")

    def close(self) -> None:
        """Close the connections. The next text opens new ones."""
        self._endpoint.close()

    def _embed(self, texts: Sequence[str], purpose: Purpose) -> Vectors:
        import numpy as np

        pieces = [(row, *piece) for row, text in enumerate(texts) for piece in cut(text, self._text_tokens)]
        vectors: list[Vectors] = []
        while len(vectors) < len(pieces):
            waiting = pieces[len(vectors) : len(vectors) + self._batch]
            count = next(batches([tokens for _row, _text, tokens in waiting], self._batch, self._batch_tokens))
            vectors.extend(
                self._send([self._prefixes[purpose] + text for _row, text, _tokens in waiting[:count]], purpose)
            )
        total = np.zeros((len(texts), self.dimension if texts else self._known_dimension or 0), np.float64)
        for (row, _text, tokens), vector in zip(pieces, vectors, strict=True):
            total[row] += max(1, tokens) * vector.astype(np.float64)
        lengths = np.linalg.norm(total, axis=1, keepdims=True)
        rows: Vectors = np.divide(total, lengths, out=np.zeros_like(total), where=lengths > 0).astype(np.float32)
        return rows

    def _send(self, texts: list[str], purpose: Purpose) -> Vectors:
        """Return the vectors of one batch; halves it where the server says that it is too much."""
        import numpy as np

        status, answer = self._endpoint.post(self._body(texts, purpose))
        if status in {400, 413, 422} and len(texts) > 1 and (status == 413 or says_too_much(answer)):
            self._batch = middle = len(texts) // 2
            return np.concatenate([self._send(texts[:middle], purpose), self._send(texts[middle:], purpose)])
        if status != 200:
            raise self._endpoint.refusal(status, answer)
        rows = http_answer.vectors(answer, len(texts), self._known_dimension)
        self._known_dimension = rows.shape[1]
        return rows

    def _body(self, texts: list[str], purpose: Purpose) -> dict[str, Any]:
        body: dict[str, Any] = {"model": self._model, "input": texts}
        if self._encoding == "base64":
            body["encoding_format"] = "base64"
        if self._style == "voyage":
            body |= {"input_type": purpose, "output_dtype": "float"}
        if self._dimensions is not None:
            body["output_dimension" if self._style == "voyage" else "dimensions"] = self._dimensions
        return body
