"""Read what an embedding endpoint answered. Everything in it may be wrong: each way to be wrong is an error with a name, never a vector."""

from __future__ import annotations

import base64
import binascii
import json
from typing import TYPE_CHECKING, Any

from yinju.errors import ModelError
from yinju.messages import say

if TYPE_CHECKING:
    from yinju.protocols import Vectors

_LARGEST_DIMENSION = 65_536


def vectors(answer: bytes, count: int, dimension: int | None) -> Vectors:
    """Return the rows of an answer, float32 (count, dimension), unit length, in the order of the texts (by `index`).

    Raises ModelError: `bad-response` (no JSON, no list, a wrong count or index), `bad-vector` (a wrong dimension, NaN, infinite, all zero).
    """
    import numpy as np

    items = _items(answer)
    if len(items) != count:
        raise _bad_response(
            say("{got} vectors for {count} texts", "{count} 条文本只返回了 {got} 个向量", got=len(items), count=count)
        )
    rows = [_numbers(item["embedding"]) for item in _in_order(items)]
    expected = dimension if dimension is not None else len(rows[0])
    if any(len(row) != expected for row in rows) or not 0 < expected <= _LARGEST_DIMENSION:
        lengths = ", ".join(sorted({str(len(row)) for row in rows})[:5])
        raise _bad_vector(
            say(
                "{lengths} numbers instead of {expected}",
                "维数为 {lengths}，应为 {expected}",
                lengths=lengths,
                expected=expected,
            )
        )
    matrix = np.stack(rows)
    if not np.isfinite(matrix).all():
        raise _bad_vector(say("NaN or infinite numbers", "含有 NaN 或无穷大"))
    lengths_of_rows = np.linalg.norm(matrix, axis=1, keepdims=True)
    if not (lengths_of_rows > 0).all() or not np.isfinite(lengths_of_rows).all():
        raise _bad_vector(say("a vector of zeros", "有全零向量"))
    unit: Vectors = (matrix / lengths_of_rows).astype(np.float32)
    return unit


def _items(answer: bytes) -> list[dict[str, Any]]:
    try:
        body: Any = json.loads(answer)
    except (ValueError, RecursionError):
        raise _bad_response(say("it is no JSON", "不是 JSON")) from None
    items = body.get("data") if isinstance(body, dict) else None
    if not isinstance(items, list) or not all(isinstance(item, dict) and "embedding" in item for item in items):
        raise _bad_response(say("it holds no list of vectors", "没有向量列表"))
    return items


def _in_order(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the items by `index`; servers that give none keep the order of the texts."""
    places = [item.get("index") for item in items]
    if all(place is None for place in places):
        return items
    numbers = sorted(place for place in places if type(place) is int)
    if numbers != list(range(len(items))):
        raise _bad_response(say("its indexes are not 0 to {last}", "index 不是 0 到 {last}", last=len(items) - 1))
    return sorted(items, key=lambda item: int(item["index"]))


def _numbers(value: Any) -> Any:
    """Return a vector as float64: a list of numbers, or base64 of little-endian float32."""
    import numpy as np

    try:
        if isinstance(value, str):
            return np.frombuffer(base64.b64decode(value, validate=True), "<f4").astype(np.float64)
        if isinstance(value, list) and all(type(number) in (float, int) for number in value):
            return np.array(value, np.float64)
    except (binascii.Error, ValueError, OverflowError):
        pass
    raise _bad_vector(say("something that is no list of numbers", "不是数字列表"))


def _bad_response(what: str) -> ModelError:
    message = say(
        "The answer of the embedding endpoint is not usable: {what}", "向量接口的应答不可用：{what}", what=what
    )
    hint = say(
        "Check that YINJU_EMBED_URL ends in /v1 and that the server speaks the OpenAI protocol.",
        "请确认 YINJU_EMBED_URL 以 /v1 结尾，且服务器使用 OpenAI 协议。",
    )
    return ModelError(message, hint, code="bad-response")


def _bad_vector(what: str) -> ModelError:
    message = say(
        "The embedding endpoint gave a vector that cannot be used: {what}",
        "向量接口返回了不可用的向量：{what}",
        what=what,
    )
    hint = say("Nothing was stored. Check the model and its dimensions.", "未保存任何内容。请检查模型及其维数。")
    return ModelError(message, hint, code="bad-vector")
