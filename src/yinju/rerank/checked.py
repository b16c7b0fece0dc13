"""Someone else's reranker, held to its promise: one finite number for each text, or a ModelError, so that the search can go on without it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from yinju.errors import ModelError
from yinju.messages import say

if TYPE_CHECKING:
    from yinju.protocols import Reranker


class CheckedReranker:
    """The given reranker. Raises ModelError (`bad-score`) for a wrong count, and for what is no finite number."""

    def __init__(self, reranker: Reranker) -> None:
        self.unchecked = reranker

    @property
    def fingerprint(self) -> str:
        """The reranker's own."""
        return self.unchecked.fingerprint

    @property
    def candidates(self) -> int | None:
        """How many of the best passages it asks for, None where it does not say."""
        return getattr(self.unchecked, "candidates", None)

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return one finite score for each text."""
        given = list(self.unchecked.score(query, texts))
        if len(given) != len(texts):
            raise _bad(
                say(
                    "{got} scores for {count} texts",
                    "{count} 条文本返回了 {got} 个分数",
                    got=len(given),
                    count=len(texts),
                )
            )
        try:
            scores = [float(score) for score in given]
        except (TypeError, ValueError, OverflowError):
            raise _bad(say("a score is no number", "有分数不是数字")) from None
        if not all(math.isfinite(score) for score in scores):
            raise _bad(say("a score is NaN or infinite", "有分数为 NaN 或无穷大"))
        return scores

    def close(self) -> None:
        """Close the reranker, if it can be closed."""
        close = getattr(self.unchecked, "close", None)
        if close is not None:
            close()


def _bad(what: str) -> ModelError:
    return ModelError(
        say("The reranker's scores cannot be used: {what}", "重排模型的分数不可用：{what}", what=what),
        say("Choose another reranker, or search without.", "请更换重排模型，或不重排。"),
        code="bad-score",
    )
