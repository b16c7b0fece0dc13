"""The tools of an agent over a library: search, read, outline, grep, list_sources, verify. Each shows passages with their true places.

What comes in was checked for kind and size by the room `answer`; names of sources are looked up in the library and never on disk, and
the filters of the question hold for every tool.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from yinju.answer.tools import Found, Parameter, Tool
from yinju.answer.verify import verify_quote
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
        """Return the tools by name."""
        source = Parameter("text", "name of a source, as results show it", required=True, most=400)
        made = (
            Tool("search", "Find passages by meaning and by words. Returns numbered passages.", {
                "query": Parameter("text", "what to look for, in words of the documents", required=True),
                "limit": Parameter("number", "how many passages", most=MOST_HITS),
                "source": Parameter("text", "only in sources like this, such as faq/*", most=400),
            }, self._search),
            Tool("read", "Read a source, whole or some lines of it. Returns numbered passages.", {
                "source": source,
                "first": Parameter("number", "first line, from 1", most=10_000_000),
                "last": Parameter("number", "last line", most=10_000_000),
            }, self._read),
            Tool("outline", "List the headings of a source.", {"source": source}, self._outline),
            Tool("grep", "Find a text exactly as it is written (case and width set aside). Returns numbered passages.", {
                "text": Parameter("text", "the text", required=True, most=200),
                "source": Parameter("text", "only in sources like this", most=400),
            }, self._grep),
            Tool("list_sources", "List the documents that there are.", {
                "like": Parameter("text", "only names or titles that contain this", most=200),
            }, self._list),
            Tool("verify", "Is this quotation really there? Returns the passage that holds it.", {
                "text": Parameter("text", "the quotation", required=True, most=2_000),
                "source": Parameter("text", "only in this source", most=400),
            }, self._verify),
        )  # fmt: skip
        return {tool.name: tool for tool in made}

    def _narrowed(self, values: Mapping[str, Any]) -> Where:
        return filters.joined(self.where, {"source": values["source"]}) if "source" in values else self.where

    def _search(self, values: Mapping[str, Any]) -> Found:
        result = self.search(values["query"], values.get("limit", 5), self._narrowed(values))
        unknown = f"nowhere in the documents: {', '.join(result.unknown)}" if result.unknown else ""
        return Found(result.hits, unknown, result.evidence)

    def _source(self, name: str) -> str:
        """Return a source that the question may see. Raises SourceMissing."""
        allowed = reading.matching_sources(self.store, self.where)
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
        chunks = self.store.chunks_of(source)
        fitting = [
            one for one in chunks if one.chunk.lines is None or (one.chunk.lines[0] <= last and first <= one.chunk.lines[1])
        ]  # fmt: skip
        hits = tuple(as_hit(one) for one in fitting[:MOST_HITS])
        left = len(fitting) - len(hits)
        more = f"{left} more passages follow; ask for lines further down" if left else ""
        return Found(hits, more if hits else f"{source} has no such lines")

    def _outline(self, values: Mapping[str, Any]) -> Found:
        source = self._source(values["source"])
        document = self.store.document(source)
        entries = reading.outline(document) if document is not None else []
        lines = [f"{'  ' * max(0, entry.level - 1)}{entry.text}{_where(entry)}" for entry in entries[:MOST_HEADINGS]]
        return Found(text="\n".join((f"outline of {source}:", *lines)))

    def _grep(self, values: Mapping[str, Any]) -> Found:
        sources = reading.matching_sources(self.store, self._narrowed(values))
        documents = (document for name in sources if (document := self.store.document(name)) is not None)
        matches = reading.grep(documents, values["text"], regex=False, limit=50)
        wanted = fold(values["text"])
        hits: dict[str, Hit] = {}
        for source in dict.fromkeys(match.source for match in matches):
            for chunk in self.store.chunks_of(source):
                if wanted in fold(chunk.chunk.text) and len(hits) < MOST_HITS:
                    hits.setdefault(chunk.id, as_hit(chunk))
        found = "at least 50" if len(matches) == 50 else str(len(matches))
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


def _where(entry: reading.Heading) -> str:
    if entry.line is not None:
        return f" (line {entry.line})"
    return f" (page {entry.page})" if entry.page is not None else ""
