"""Question to hits: every leg proposes candidates, each candidate is scored by every leg, the votes are summed."""

from yinju.retrieve.search import RetrieveOptions, search

__all__ = ["RetrieveOptions", "search"]
