"""Bytes to documents: one file per format behind a table of types, in worker processes with limits.

Whatever a file holds, it ends as a `Document` whose receipt balances or as a `DocumentError` with a reason and a hint.
"""

from __future__ import annotations

from yinju.load.parsed import Limits, Loaded, Parsed

__all__ = ["Limits", "Loaded", "Parsed"]
