"""Question to hits: every leg proposes candidates, each candidate is scored by every leg, the votes are summed."""

from yinju.retrieve.floor import keep as keep_floor
from yinju.retrieve.search import RetrieveOptions, search

__all__ = ["RetrieveOptions", "keep_floor", "search"]
