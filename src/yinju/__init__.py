"""Yinju (引据): documents in, evidence out. Start at `Library`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from yinju.errors import YinjuError
    from yinju.library import Library
    from yinju.principal import Principal
    from yinju.types import Answer, Chunk, Citation, Context, Document, Hit, Mark, Query, Span, SyncReport

# onnxruntime reports its use to its maker (1.29 and later, also on Linux) unless this is set before its first session. We promise to be offline.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

__version__ = "0.1.0"
__all__ = [
    "Answer", "Chunk", "Citation", "Context", "Document", "Hit", "Library", "Mark", "Principal", "Query", "Span", "SyncReport", "YinjuError",
]  # fmt: skip
_homes = {"Library": "yinju.library", "Principal": "yinju.principal", "YinjuError": "yinju.errors"}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used, so that `import yinju` stays quick."""
    if name not in __all__:
        raise AttributeError(f"module 'yinju' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_homes.get(name, "yinju.types")), name)
