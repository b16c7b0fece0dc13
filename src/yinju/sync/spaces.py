"""Vectors of models that are not used any more are removed, once nobody can have meant to come back.

Trying another model (`ask --model`, `eval --model`) leaves vectors of its own beside those of the usual one, and going back finds those in place:
computing them may have taken an hour, or money. So those of another model go a week after the last sync that used it, when the library is
complete in the one that is used now; what was freed is told. Spaces that had this model's own name and were another model behind it (guard.py)
stay: one that comes back finds its own again.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from yinju.messages import say

if TYPE_CHECKING:
    from yinju.store import Store, Writer

KEPT_DAYS = 7
_KEY = "spaces:used"  # fingerprint -> day of its last complete sync, counted from 1970; only where there are several


def is_due(store: Store, fingerprint: str) -> bool:
    """Whether `forget_unused` has anything to write: at most once a day, and only where the library has vectors of several models."""
    others, used, today = _others(store, fingerprint), _used(store), _today()
    return bool(others) and (used.get(fingerprint) != today or any(_is_over(used.get(one), today) for one in others))


def forget_unused(store: Store, writer: Writer, fingerprint: str) -> tuple[str, ...]:
    """Remove the vectors of models that no sync used for a week; return a notice of what that freed, if anything.

    To be called when all passages have a vector of this fingerprint.
    """
    if not is_due(store, fingerprint):
        return ()
    used, today = _used(store), _today()
    others = _others(store, fingerprint)
    count = size = 0
    for one in others:
        if _is_over(used.get(one), today):
            gone, freed = writer.forget_vectors(one)
            count, size = count + gone, size + freed
    left = [one for one in others if not _is_over(used.get(one), today)]
    kept = {one: min(used.get(one, today), today) for one in left} | {fingerprint: today}
    writer.set_value(_KEY, json.dumps(kept) if left else None)
    if not count:
        return ()
    text = say(
        "{n} vectors of another model, not used for a week, are removed: {mb} MB of the library are free for new text.",
        "删除了另一个模型的 {n} 个向量（一周未用），资料库中腾出 {mb} MB 供新内容使用。",
        n=count,
        mb=f"{size / 1e6:.1f}",
    )
    return (text,)


def _others(store: Store, fingerprint: str) -> list[str]:
    return [one for one in store.fingerprints() if _own_name(one) != _own_name(fingerprint)]


def _own_name(fingerprint: str) -> str:
    return fingerprint.partition("#")[0]


def _used(store: Store) -> dict[str, int]:
    try:
        kept: Any = json.loads(store.value(_KEY) or "{}")
        return {str(name): int(day) for name, day in kept.items()}
    except (ValueError, TypeError, AttributeError):
        return {}


def _is_over(day: int | None, today: int) -> bool:
    return day is not None and today - day >= KEPT_DAYS


def _today() -> int:
    return int(time.time() // 86_400)
