"""Scores from a `/rerank` endpoint, believed only after every one was looked at.

Three forms of one idea are in use: `jina` (Jina, Cohere v1 and v2, Voyage, vLLM, Xinference, SiliconFlow, llama.cpp, DashScope's compatible one),
`tei` (Hugging Face's text-embeddings-inference) and `dashscope` (gte-rerank). The address tells the last; the first two share it, and a server
of the other form says in its first refusal which field it misses. What was found is remembered.
"""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable, Sequence
from typing import Any, Literal, get_args
from urllib.parse import urlsplit

from yinju.errors import UsageError
from yinju.inference.endpoint import Endpoint, Names
from yinju.inference.wire import says_too_much
from yinju.messages import say
from yinju.rerank import http_answer
from yinju.rerank.shorten import shortened

Form = Literal["jina", "tei", "dashscope"]
FORMS: tuple[Form, ...] = get_args(Form)
NAMES = Names(
    "rerank endpoint",
    "重排接口",
    "YINJU_RERANK",
    "rerank",
    "Try again later; until then the order of the search is kept.",
    "请稍后再试；在此之前保留检索的次序。",
)
SHORTEST = 64  # estimated tokens, below which a text is not cut further for a server that finds it too long
_OTHER: dict[Form, Form] = {"jina": "tei", "tei": "jina"}
_FIELD: dict[Form, bytes] = {"jina": b"documents", "tei": b"texts"}  # that the form has and the other has not


class HttpReranker:
    """Scores from `url`: a whole address that ends in `rerank` or `reranks`, or a base URL to which `/rerank` is added.

    `key` and `model` may be None where the server wants none. `batch` texts go into one request, each cut to `text_tokens` estimated tokens
    and the question to `query_tokens`; both shrink where the server says that it is too much. `deadline`: seconds for all requests of one
    question with all their tries. A server whose scores leave 0 to 1 gives logits: the logistic function of each is returned, from then on.
    Safe to use from several threads. Raises UsageError for a URL or key that cannot be right.
    """

    def __init__(
        self,
        url: str,
        key: str | None = None,
        model: str | None = None,
        *,
        form: Form | None = None,
        batch: int = 64,
        text_tokens: int = 1_000,
        query_tokens: int = 300,
        deadline: float = 20.0,
        trust_env: bool = True,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        address = _address(url)
        self._endpoint = Endpoint(NAMES, address, key, deadline=deadline, trust_env=trust_env, sleep=sleep)
        if form is not None and form not in FORMS:
            raise UsageError(
                say("There is no form {form!r} of rerank endpoints.", "没有重排接口格式 {form!r}。", form=form),
                say("Choose one of {names}.", "可选：{names}。", names=", ".join(FORMS)),
            )
        self._form: Form = form or _form_of(address, model)
        self._form_is_known = form is not None or self._form == "dashscope"
        self._host = urlsplit(address).hostname or ""
        self._model = model
        self._batch, self._text_tokens, self._query_tokens = max(1, batch), max(1, text_tokens), max(1, query_tokens)
        self._facts = [
            self._endpoint.host,
            address.rpartition(self._endpoint.host)[2],
            model,
            text_tokens,
            query_tokens,
        ]
        self._deadline = deadline
        self._logits = False

    @property
    def fingerprint(self) -> str:
        """Model, host, path and budgets; needs no request."""
        digest = hashlib.sha256(json.dumps(self._facts, sort_keys=True).encode()).hexdigest()
        return f"http/{self._model or self._endpoint.host}/{digest[:16]}"

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return a score from 0 to 1 for each text, 0 for a blank one. Raises ModelError; then nothing is returned."""
        end = time.monotonic() + self._deadline
        question = shortened(query, self._query_tokens)
        waiting = [place for place, text in enumerate(texts) if text.strip()]
        found: dict[int, float] = {}
        while waiting:
            batch, waiting = waiting[: self._batch], waiting[self._batch :]
            given = self._send(question, [texts[place] for place in batch], end)
            found.update(zip(batch, given, strict=True))
        self._logits = self._logits or any(not 0 <= value <= 1 for value in found.values())
        if self._logits:
            found = dict(zip(found, http_answer.as_probabilities(list(found.values())), strict=True))
        return [found.get(place, 0.0) for place in range(len(texts))]

    def close(self) -> None:
        """Close the connections. The next question opens new ones."""
        self._endpoint.close()

    def _send(self, query: str, texts: list[str], end: float) -> list[float]:
        """Return the scores of one batch; where the server says that it is too much, batches are halved, then the texts."""
        status, answer = self._endpoint.post(self._body(query, texts), end)
        if status in {400, 422} and not self._form_is_known and _FIELD[_OTHER[self._form]] in answer:
            status, answer = self._try_other_form(query, texts, end, (status, answer))
        if status in {400, 413, 422} and (status == 413 or says_too_much(answer)):
            if len(texts) > 1:
                self._batch = middle = math.ceil(len(texts) / 2)
                return self._send(query, texts[:middle], end) + self._send(query, texts[middle:], end)
            if self._text_tokens > SHORTEST:
                self._text_tokens = max(SHORTEST, self._text_tokens // 2)
                return self._send(query, texts, end)
        if status != 200:
            raise self._endpoint.refusal(status, answer)
        given = http_answer.scores(answer, len(texts))
        self._form_is_known = True
        return given

    def _try_other_form(self, query: str, texts: list[str], end: float, first: tuple[int, bytes]) -> tuple[int, bytes]:
        """Return the answer to the other form, whose field the server named; the first where it does not know that one either."""
        before, self._form = self._form, _OTHER[self._form]
        status, answer = self._endpoint.post(self._body(query, texts), end)
        if status in {400, 422} and _FIELD[before] in answer:
            self._form = before
            return first
        return status, answer

    def _body(self, query: str, texts: list[str]) -> dict[str, Any]:
        texts = [shortened(text, self._text_tokens) for text in texts]
        if self._form == "tei":
            return {"query": query, "texts": texts, "truncate": True, "raw_scores": False}
        model = {} if self._model is None else {"model": self._model}
        if self._form == "dashscope":
            parameters = {"return_documents": False, "top_n": len(texts)}
            return {**model, "input": {"query": query, "documents": texts}, "parameters": parameters}
        body = {**model, "query": query, "documents": texts}
        # Voyage calls it top_k and gives all without it.
        return body if self._host.endswith("voyageai.com") else {**body, "top_n": len(texts)}


def _address(url: str) -> str:
    address = url.strip().rstrip("/")
    last = _path(address).rpartition("/")[2]
    return address if last in {"rerank", "reranks", "text-rerank"} else address + "/rerank"


def _path(url: str) -> str:
    """Return the path of a URL, empty where it is none (which is told when the endpoint is opened)."""
    try:
        return urlsplit(url).path
    except ValueError:
        return ""


def _form_of(address: str, model: str | None) -> Form:
    if _path(address).endswith("/text-rerank"):
        return "dashscope"
    return "jina" if model else "tei"  # a server of the first form mostly wants a model
