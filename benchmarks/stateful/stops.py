"""Where a sync can end, for a process that goes on living: before or after one call of each thing that writes."""

from __future__ import annotations

from collections.abc import Callable
from pkgutil import resolve_name
from typing import Any
from unittest import mock

from benchmarks.stateful.world import Stop

# whole transactions, and the parts of one
POINTS = tuple(
    f"yinju.store.{name}"
    for name in (
        "writer.Writer.put", "writer.Writer.skip", "writer.Writer.rename", "writer.Writer.remove", "writer.Writer.touch",
        "writer.Writer.put_vectors", "writer.Writer.set_value", "writer.Writer.adopt",
        "documents.insert", "documents.delete", "documents.insert_skipped", "documents.touch",
        "words.insert", "words.delete", "vectors.delete_orphans", "vectors.put", "writer._move",
    )
)  # fmt: skip


def stop_at(point: str, call: int, *, after: bool) -> mock._patch[Any]:
    """Return the patch that raises Stop at this call of the point (from 1), before or after it did its work."""
    module, _, name = point.rpartition(".")
    owner: Any = resolve_name(module)
    return mock.patch.object(owner, name, _counting(getattr(owner, name), call, after=after))


def _counting(real: Callable[..., Any], call: int, *, after: bool) -> Callable[..., Any]:
    calls = [0]

    def counted(*arguments: Any, **named: Any) -> Any:
        calls[0] += 1
        if calls[0] == call and not after:
            raise Stop(real.__qualname__)
        result = real(*arguments, **named)
        if calls[0] == call:
            raise Stop(real.__qualname__)
        return result

    return counted
