"""What every framework is told of a passage: where it stands, how it was found, and how likely the passages answer the question.

A framework carries these through its pipeline as metadata, so that an answer made far from here can still be cited to the line and checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from yinju.retrieve import filters
from yinju.types import Mode, Where

if TYPE_CHECKING:
    from yinju.library import Library
    from yinju.types import Hit, SearchResult

PLACES = ("title", "source", "headings", "lines", "page")  # what a model should see; the rest is for programs


@dataclass(frozen=True, slots=True)
class Searching:
    """How a retriever searches. `where` holds for every question; a question's own filter can only narrow it."""

    library: Library
    limit: int = 5
    mode: Mode = "hybrid"
    where: Where | None = None
    min_score: float | None = None
    least_evidence: float = 0.0

    def find(self, question: str, where: Where | None = None, limit: int | None = None) -> SearchResult:
        """Return the passages for a question. Raises the errors of a search."""
        joined = filters.joined(self.where or {}, where or {})
        return self.library.find(question, limit or self.limit, self.mode, joined, self.min_score)

    def hits(self, found: SearchResult) -> tuple[Hit, ...]:
        """Return its passages; none where the evidence that they answer is less than was asked for."""
        return found.hits if found.evidence >= self.least_evidence else ()


def metadata(hit: Hit, found: SearchResult) -> dict[str, Any]:
    """Return what is known of a passage as plain JSON data: the document's own keys, and ours, which win."""
    own: Mapping[str, Any] = hit.metadata
    return {
        **{str(key): value if isinstance(value, (str, int, float, bool)) else str(value) for key, value in own.items()},
        "id": hit.id,
        "source": hit.source,
        "document": hit.document,
        "title": hit.title,
        "headings": list(hit.headings),
        "lines": list(hit.lines) if hit.lines is not None else None,
        "page": hit.page,
        "index": hit.index,
        "span": [hit.span.start, hit.span.end],
        "also": list(hit.also),
        "score": hit.score,
        "evidence": found.evidence,
    }
