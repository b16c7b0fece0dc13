"""Read what a rerank endpoint answered. Everything in it may be wrong: each way to be wrong is an error with a name, never a score."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from yinju.errors import ModelError
from yinju.inference import wire
from yinju.messages import say


def scores(answer: bytes, count: int) -> list[float]:
    """Return one finite number for each text, in the order of the texts: answers come by falling score and are put right by `index`.

    Understood are `{"results": [{"index", "relevance_score"}]}` (Jina, Cohere, vLLM, Xinference), the same under `data` (Voyage) or
    `output.results` (DashScope), and a bare list of `{"index", "score"}` (TEI). Raises ModelError (`bad-response`).
    """
    items = _items(answer)
    if len(items) != count:
        raise _bad(
            say("{got} scores for {count} texts", "{count} 条文本只返回了 {got} 个分数", got=len(items), count=count)
        )
    found: dict[int, float] = {}
    for item in items:
        place = item.get("index")
        if type(place) is not int or not 0 <= place < count or place in found:
            raise _bad(
                say("its indexes are not 0 to {last}, each once", "index 不是 0 到 {last} 各一次", last=count - 1)
            )
        found[place] = _number(item)
    return [found[place] for place in range(count)]


def as_probabilities(values: Sequence[float]) -> list[float]:
    """Return logits on the scale 0 to 1, in the same order: the logistic function of each alone, in double precision.

    Never scaled by the others: a single good text must not become 0, nor the best of bad ones 1.
    """
    return [
        1 / (1 + math.exp(-value)) if value >= 0 else math.exp(max(value, -700)) / (1 + math.exp(max(value, -700)))
        for value in values
    ]


def _items(answer: bytes) -> list[dict[str, Any]]:
    try:
        body: Any = json.loads(answer)
    except (ValueError, RecursionError):
        if wire.is_page(answer):
            raise _bad(
                say("it is a web page, perhaps of a login or a proxy", "是一个网页，可能来自登录页或代理")
            ) from None
        raise _bad(say("it is no JSON", "不是 JSON")) from None
    if isinstance(body, dict):
        body = body.get("output", body)
    items = next((body[key] for key in ("results", "data") if key in body), None) if isinstance(body, dict) else body
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise _bad(say("it holds no list of scores", "没有分数列表"))
    return items


def _number(item: dict[str, Any]) -> float:
    value: Any = item.get("relevance_score", item.get("score"))
    if type(value) not in (int, float):
        raise _bad(say("a score is no number", "有分数不是数字"))
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise _bad(say("a score is NaN or infinite", "有分数为 NaN 或无穷大"))
    return number


def _bad(what: str) -> ModelError:
    return ModelError(
        say("The answer of the rerank endpoint is not usable: {what}", "重排接口的应答不可用：{what}", what=what),
        say(
            "Check YINJU_RERANK_URL and that YINJU_RERANK_MODEL is a reranker; --no-rerank searches without it.",
            "请检查 YINJU_RERANK_URL，并确认 YINJU_RERANK_MODEL 是重排模型；--no-rerank 可不重排。",
        ),
        code="bad-response",
    )
