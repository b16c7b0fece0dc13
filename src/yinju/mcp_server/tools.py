"""What an agent can ask: nine tools, all read-only, each with a budget of tokens and places that a person can check.

Answers are plain text, made for a model to read: one block a passage, headed by its place. Text of documents is told from ours by a
fence that no document can foresee; a line that looks like one of ours inside a document proves nothing.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from yinju.errors import YinjuError
from yinju.text.tokens import estimate

if TYPE_CHECKING:
    from yinju.library import Library
    from yinju.types import Citation, Hit

DEFAULT_TOKENS = 4_000  # of one answer
MOST_SOURCES = 200

Query = Annotated[str, Field(min_length=1, max_length=2_000, description="what to look for, in words of the documents")]
Question = Annotated[str, Field(min_length=1, max_length=2_000)]
Source = Annotated[str, Field(min_length=1, max_length=1_000, description="a source as results name it")]
Only = Annotated[str | None, Field(max_length=400, description="only in sources like this glob, such as faq/*")]
Limit = Annotated[int, Field(ge=1, le=20)]
Tokens = Annotated[int, Field(ge=100, le=20_000, description="size of the answer")]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: its name, the function behind it (its docstring is the description) and whether it may call a language model."""

    name: str
    function: Callable[..., str]
    open_world: bool = False


def tools(opened: Callable[[], Library]) -> list[Tool]:
    """Return the tools over the library that `opened` gives when the first of them is called."""
    box = Toolbox(opened)
    return [
        Tool("search", box.search),
        Tool("context", box.context),
        Tool("read", box.read),
        Tool("outline", box.outline),
        Tool("grep", box.grep),
        Tool("list_sources", box.list_sources),
        Tool("verify_quote", box.verify_quote),
        Tool("status", box.status),
        Tool("ask", box.ask, open_world=True),
    ]


class Toolbox:
    """The functions. Errors of the library become words: an agent can act on them."""

    def __init__(self, opened: Callable[[], Library]) -> None:
        self._opened = opened

    def search(self, query: Query, limit: Limit = 5, only: Only = None, tokens: Tokens = DEFAULT_TOKENS) -> str:
        """Find passages in the user's documents (Chinese and English, by meaning and by words). Returns passages with source, lines and id."""
        found = self._library.find(query, limit, where=_where(only))
        head = f"evidence that these answer the question: {found.evidence:.2f}"
        if found.unknown:
            head += f"; words that are nowhere in the documents: {', '.join(found.unknown)}"
        return _fenced([head], [_passage(hit) for hit in found.hits], tokens) if found.hits else "no passage found"

    def context(self, question: Question, tokens: Tokens = 2_000, only: Only = None) -> str:
        """Get one block of numbered passages for a question, ready to be quoted and cited as [1], [2]."""
        return self._library.context(question, tokens, where=_where(only)).text or "no passage found"

    def read(
        self,
        source: Source,
        first: Annotated[int, Field(ge=1, description="first line")] = 1,
        last: Annotated[int | None, Field(ge=1, description="last line")] = None,
        tokens: Tokens = DEFAULT_TOKENS,
    ) -> str:
        """Read a source by its lines, with line numbers. Long ones are cut at the budget: go on from the line that is named."""
        excerpt = self._library.read(source, (first, last or 1_000_000_000))
        rows = [f"{number}\t{line}" for number, line in zip(excerpt.numbers, excerpt.text.split("\n"), strict=False)]
        return _fenced([source], rows, tokens, "\n") if rows else f"{source} has no such lines"

    def outline(self, source: Source, tokens: Tokens = DEFAULT_TOKENS) -> str:
        """List the headings of a source (pages, tables or definitions where it has none), each with its line or page."""
        rows = [
            f"{'  ' * max(entry.level - 1, 0)}{entry.text} ({_at(entry.line, entry.page)})" for entry in self._library.outline(source)
        ]  # fmt: skip
        return _fenced([source], rows, tokens, "\n")

    def grep(
        self,
        pattern: Annotated[str, Field(min_length=1, max_length=400)],
        only: Only = None,
        regex: bool = False,
        limit: Annotated[int, Field(ge=1, le=200)] = 50,
        tokens: Tokens = DEFAULT_TOKENS,
    ) -> str:
        """Find lines that contain a text exactly (case, width and traditional characters folded), or match a regular expression."""
        found = self._library.grep(pattern, where=_where(only), regex=regex, limit=limit)
        rows = [f"{match.source}:{_at(match.line, match.page)}: {match.text}" for match in found]
        return _fenced([f"{len(found)} lines"], rows, tokens, "\n") if rows else "no line matches"

    def list_sources(
        self,
        like: Annotated[str, Field(max_length=200, description="only names or titles that contain this")] = "",
        tokens: Tokens = DEFAULT_TOKENS,
    ) -> str:
        """List the documents, with title, type and state; also those that could not be read."""
        every = self._library.sources()
        fitting = [one for one in every if like.lower() in f"{one.source} {one.title or ''}".lower()]
        rows = [f"{one.source}\t{one.title or ''}\t{one.type}\t{one.state}" for one in fitting[:MOST_SOURCES]]
        return _fenced([f"{len(fitting)} of {len(every)} documents"], rows, tokens, "\n")

    def verify_quote(
        self,
        text: Annotated[str, Field(min_length=1, max_length=4_000, description="the quotation")],
        source: Annotated[str | None, Field(max_length=1_000)] = None,
    ) -> str:
        """Check whether a quotation is really in the documents, and where. Use it before you quote."""
        proof = self._library.verify(text, source)
        if proof.status == "verified":
            return _fenced([f"verified: {_place(proof)}"], [proof.quote], DEFAULT_TOKENS)
        nearest = [f"nearest text: {_place(proof)}"] if proof.quote else []
        return _fenced(["not there word for word", *nearest], [proof.quote] if proof.quote else [], DEFAULT_TOKENS)

    def status(self) -> str:
        """Tell how many documents and passages the library holds, and which models it uses."""
        return "\n".join(f"{name}: {value}" for name, value in self._library.status().items())

    def ask(self, question: Question, only: Only = None) -> str:
        """Answer a question from the documents; every sentence is checked against its source, and what they do not say is refused."""
        answer = self._library.ask(question, where=_where(only))
        if answer.refused:
            near = [_passage(hit) for hit in answer.nearest]
            return _fenced([f"refused: {answer.reason or answer.text}"], near, DEFAULT_TOKENS)
        cited = [f"[{one.marker}] {_place(one)} ({one.status}): {one.quote}" for one in answer.citations]
        return _fenced([f"evidence: {answer.evidence:.2f}"], [answer.text, *cited], DEFAULT_TOKENS)

    @property
    def _library(self) -> Library:
        return self._opened()


def worded(error: YinjuError) -> str:
    """Return an error as an agent reads it."""
    return f"{error.message} {error.hint or ''}".strip()


def _where(only: str | None) -> dict[str, Any]:
    return {"source": only} if only else {}


def _passage(hit: Hit) -> str:
    heading = " › ".join(hit.headings)
    also = f" (also in {', '.join(hit.also)})" if hit.also else ""
    return f"{_place(hit)} {hit.id}{' ' + heading if heading else ''}{also}\n{hit.header}{hit.text}"


def _place(found: Hit | Citation) -> str:
    if found.lines is not None:
        first, last = found.lines
        return f"{found.source}:{first}" + (f"-{last}" if last != first else "")
    return f"{found.source} p.{found.page}" if found.page is not None else found.source


def _at(line: int | None, page: int | None) -> str:
    return str(line) if line is not None else f"p.{page}" if page is not None else "?"


def _fenced(head: Sequence[str], parts: Sequence[str], tokens: int, between: str = "\n\n") -> str:
    """Return our words, then as many of the parts as fit, between two fences; say how many are left out."""
    fence = f"====={secrets.token_hex(6)}====="
    left = tokens - sum(map(estimate, head))
    kept: list[str] = []
    for part in parts:
        size = estimate(part) + 1
        if size > left:
            if not kept:
                kept.append(_beginning(part, left))
            break
        kept.append(part)
        left -= size
    more = [f"{len(parts) - len(kept)} more left out: ask for more tokens, or less"] if len(kept) < len(parts) else []
    return "\n".join((*head, fence, between.join(kept), fence, *more)) if parts else "\n".join(head)


def _beginning(text: str, tokens: int) -> str:
    """Return a beginning of the text of about so many tokens."""
    size = len(text)
    while size > 1 and estimate(text[:size]) > max(tokens, 1):
        size = size * 3 // 4
    return text[:size] + "…"
