"""The tools of our own agent over a library: search, read, outline, grep, list_sources, verify_quote. Each shows passages with their true places.

What comes in was checked for kind and size by the room `answer`; names of sources are looked up in the library and never on disk, and
the filters of the question hold for every tool.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from yinju.answer.tools import Found, Tool
from yinju.answer.verify import verify_quote
from yinju.calling import TABLE
from yinju.retrieve import filters, reading
from yinju.retrieve.search import as_hit
from yinju.text.normalize import fold
from yinju.types import Hit, SearchResult, Span, Where

if TYPE_CHECKING:
    from yinju.store import Store

MOST_HITS = 8
MOST_SOURCES = 60
MOST_HEADINGS = 120
MOST_CANDIDATES = 10  # documents in which a quotation without a source is looked for


@dataclass(frozen=True, slots=True)
class Toolbox:
    """Where the tools look. `search` is given a question, a number of passages and a filter."""

    store: Store
    search: Callable[[str, int, Where], SearchResult]
    where: Where

    def tools(self) -> dict[str, Tool]:
        """Return the tools by name: those of the table that look further, less what the loop decides itself (how much is shown)."""
        runs = {
            "search": self._search, "read": self._read, "outline": self._outline,
            "grep": self._grep, "list_sources": self._list, "verify_quote": self._verify,
        }  # fmt: skip
        return {
            name: Tool(name, TABLE[name].says, TABLE[name].without("tokens"), run) for name, run in runs.items()
        }  # fmt: skip

    def _narrowed(self, values: Mapping[str, Any]) -> Where:
        return filters.joined(self.where, {"source": values["only"]}) if "only" in values else self.where

    def _search(self, values: Mapping[str, Any]) -> Found:
        result = self.search(values["query"], min(values.get("limit", 5), MOST_HITS), self._narrowed(values))
        unknown = f"nowhere in the documents: {', '.join(result.unknown)}" if result.unknown else ""
        return Found(result.hits, unknown, result.evidence)

    def _source(self, name: str) -> str:
        """Return a source that the question may see, also by its name with a page. Raises SourceMissing."""
        allowed = reading.matching_sources(self.store, self.where)
        if name in allowed:
            return name
        name, _page = reading.split_page(name)
        if name in allowed:
            return name
        ends = [other for other in allowed if fold(other).rpartition("/")[2] == fold(name).rpartition("/")[2]]
        if len(ends) == 1:
            return ends[0]
        raise reading.missing(self.store, name)

    def _read(self, values: Mapping[str, Any]) -> Found:
        source = self._source(values["source"])
        first, last = values.get("first", 1), values.get("last", 10_000_000)
        if last < first:
            first, last = last, first
        named = None if source == values["source"] else reading.split_page(values["source"])[1]
        page = values.get("page", named)
        chunks = self.store.chunks_of(source)
        fitting = [
            one for one in chunks if one.chunk.lines is None or (one.chunk.lines[0] <= last and first <= one.chunk.lines[1])
        ]  # fmt: skip
        if page is not None:
            spans = self._page(source, page)
            fitting = [one for one in fitting if any(_overlap(one.chunk.span, span) for span in spans)]
        hits = tuple(as_hit(one) for one in fitting[:MOST_HITS])
        left = len(fitting) - len(hits)
        more = f"{left} more passages follow; ask for lines or pages further down" if left else ""
        return Found(hits, more if hits else f"{source} has no such {'lines' if page is None else 'page'}")

    def _page(self, source: str, page: int) -> list[Span]:
        document = self.store.document(source)
        marks = () if document is None else document.marks
        return [mark.span for mark in marks if mark.kind == "page" and mark.level == page]

    def _outline(self, values: Mapping[str, Any]) -> Found:
        source = self._source(values["source"])
        document = self.store.document(source)
        entries = reading.outline(document) if document is not None else []
        lines = [f"{'  ' * max(0, entry.level - 1)}{entry.text}{_where(entry)}" for entry in entries[:MOST_HEADINGS]]
        return Found(text="\n".join((f"outline of {source}:", *lines)))

    def _grep(self, values: Mapping[str, Any]) -> Found:
        sources = reading.matching_sources(self.store, self._narrowed(values))
        documents = (document for name in sources if (document := self.store.document(name)) is not None)
        pattern, most = values["pattern"], values.get("limit", 50)
        matches = reading.grep(documents, pattern, regex=values.get("regex", False), limit=most)
        there: dict[str, set[str]] = {}
        for match in matches:
            there.setdefault(match.source, set()).add(match.at.of(match.text))
        hits: dict[str, Hit] = {}
        for source, texts in there.items():
            for chunk in self.store.chunks_of(source):
                if len(hits) < MOST_HITS and any(text in chunk.chunk.text for text in texts):
                    hits.setdefault(chunk.id, as_hit(chunk))
        found = f"at least {most}" if len(matches) == most else str(len(matches))
        return Found(tuple(hits.values()), f"{found} lines in {len({match.source for match in matches})} documents")

    def _list(self, values: Mapping[str, Any]) -> Found:
        allowed = set(reading.matching_sources(self.store, self.where))
        like = fold(values.get("like", ""))
        rows = [one for one in self.store.sources() if one.source in allowed]
        fitting = [one for one in rows if like in fold(f"{one.source} {one.title or ''}")]
        lines = [f"{one.source}: {one.title or ''} ({one.type})" for one in fitting[:MOST_SOURCES]]
        more = [f"and {len(fitting) - MOST_SOURCES} more"] if len(fitting) > MOST_SOURCES else []
        return Found(text="\n".join((f"{len(fitting)} of {len(rows)} documents:", *lines, *more)))

    def _verify(self, values: Mapping[str, Any]) -> Found:
        text = values["text"]
        names = [self._source(values["source"])] if "source" in values else self._likely(text)
        for name in names:
            proof = verify_quote(text, self.store.document(name))
            if proof.status == "verified":
                return Found(self._around(name, proof.span), f"verified in {name}")
        return Found(text="not found word for word" + (f" in {names[0]}" if len(names) == 1 else ""))

    def _likely(self, text: str) -> list[str]:
        hits = self.search(text[:500], MOST_CANDIDATES, self.where).hits
        return list(dict.fromkeys(hit.source for hit in hits))

    def _around(self, source: str, span: Span) -> tuple[Hit, ...]:
        chunks: Sequence[Any] = self.store.chunks_of(source)
        return tuple(
            as_hit(one) for one in chunks if one.chunk.span.start < span.end and span.start < one.chunk.span.end
        )[:2]  # fmt: skip


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def _where(entry: reading.Heading) -> str:
    if entry.line is not None:
        return f" (line {entry.line})"
    return f" (page {entry.page})" if entry.page is not None else ""
