"""The metrics of `yinju.evaluate`: the benchmarks and `yinju eval` count with the same functions."""

from yinju.evaluate.metrics import (
    RESAMPLES,
    SEED,
    Comparison,
    Interval,
    area_under_curve,
    compare,
    hit,
    interval,
    ndcg,
    recall,
    reciprocal_rank,
)

__all__ = [
    "RESAMPLES", "SEED", "Comparison", "Interval", "area_under_curve", "compare", "hit", "interval", "ndcg", "recall", "reciprocal_rank",
]  # fmt: skip
