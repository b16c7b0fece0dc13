"""Question to hits: every leg proposes candidates, each candidate is scored by every leg, the votes are summed."""

from yinju.retrieve.explain import Explained, explain
from yinju.retrieve.floor import keep as keep_floor
from yinju.retrieve.legs import RetrieveOptions
from yinju.retrieve.search import search

__all__ = ["Explained", "RetrieveOptions", "explain", "keep_floor", "search"]
