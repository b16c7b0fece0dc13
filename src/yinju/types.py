"""The nouns of Yinju: frozen values, one per stage of the pipeline. Only plain data and what can be computed from it alone."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, Literal, NamedTuple

Mode = Literal["hybrid", "lexical", "dense", "rank-fusion"]
ContextFormat = Literal["tagged", "numbered", "sections", "fragments"]
Outcome = Literal["indexed", "unchanged", "renamed", "removed", "skipped", "kept", "ignored"]
Status = Literal["verified", "moved", "translated", "unsupported"]
Lines = tuple[int, int]  # 1-based, both included
Where = Mapping[str, str | tuple[str, ...]]  # key -> glob or globs, all must match; a key that ends in "!" excludes

REFUSE_BELOW = 0.22  # weaker evidence is refused, unless the user says otherwise; chosen as benchmarks/README.md tells


class Span(NamedTuple):
    """A half-open range of code points in a document's text."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """Return the text that this span covers."""
        return text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file as a scan found it. `source` is its name in the library, `path` where it lies on disk: in `folder`, wherever links lead by then."""

    source: str
    path: str
    size: int  # bytes
    modified_ns: int
    digest: str | None = None  # "sha256:..." once it was read
    folder: str | None = field(default=None, compare=False, repr=False)


MarkKind = Literal["heading", "page", "table", "header", "row", "code", "list", "definition"]


@dataclass(frozen=True, slots=True)
class Mark:
    """Structure beside the text. What each kind means:

    heading     the heading's line; `level` from 1, `label` is its plain text
    page        the whole page; `level` is its number from 1
    table       the whole table with its header
    header      the header row(s) inside a table, repeated in front of each part of it
    row         one row inside a table, never cut
    code        a fenced or indented code block with its fences; `label` is its language
    list        one top-level list
    definition  a function, class or method of source code; `label` is its path, such as `Store.open`
    """

    kind: MarkKind
    span: Span
    level: int = 0
    label: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """One immutable text and its structure.

    `text` is what is shown and cited: the file's own characters, line ends as `\\n`. In tables of formats without text of their own
    (DOCX, XLSX, CSV, HTML, PDF) a row is one line, cells separated by tabs.
    `anchors` are pairs (offset in text, line number in the file) in rising order: from each anchor on, a `\\n` counts one line. Empty: no lines.
    For sheets the line is the row number. `type` is a short name such as `markdown`, `text`, `html`, `pdf`, `docx`, `xlsx`, `csv`, `json`, `python`.
    `preset` is the chunker's preset, if the document or its type asks for one. `marks` are sorted by start, then by falling end.
    """

    text: str
    source: str
    title: str | None = None
    type: str = "markdown"
    language: str = "und"  # "zh", "en", another ISO 639-1 code, or "und"
    metadata: Mapping[str, Any] = field(
        default_factory=dict
    )  # JSON values; from front matter and properties: author, created, modified ...
    marks: tuple[Mark, ...] = ()
    anchors: tuple[tuple[int, int], ...] = ()
    preset: str | None = None
    boxes: bytes = b""  # where each word stands on its page, see `boxes`; the store hands them out on their own

    @classmethod
    def from_text(
        cls, text: str, *, source: str, title: str | None = None, metadata: Mapping[str, Any] | None = None
    ) -> Document:
        """Return a document without a file. Its structure is read when it is added: by the suffix of `source`, else as Markdown."""
        return cls(text=text, source=source, title=title, metadata=dict(metadata or {}), type="")

    @property
    def id(self) -> str:
        """Stable id, derived from the source."""
        return document_id(self.source)

    def lines(self, span: Span) -> Lines | None:
        """Return first and last line of the span in the file, or None where the format has no lines."""
        first = self.line_at(span.start)
        last = self.line_at(max(span.start, span.end - 1))
        return None if first is None or last is None else (first, last)

    def line_at(self, offset: int) -> int | None:
        """Return the line number in the file of the character at `offset`."""
        place = bisect_right(self.anchors, offset, key=lambda anchor: anchor[0]) - 1
        if place < 0:
            return None
        start, line = self.anchors[place]
        return line + self.text.count("\n", start, offset)

    def page(self, offset: int) -> int | None:
        """Return the page number of the character at `offset`, or None where the format has no pages."""
        return next((m.level for m in self.marks if m.kind == "page" and m.span.start <= offset < m.span.end), None)

    def headings(self, offset: int) -> tuple[str, ...]:
        """Return the headings above `offset`, outermost first. A heading stands above itself."""
        stack: list[Mark] = []
        for mark in self.marks:
            if mark.span.start > offset:
                break
            if mark.kind == "heading":
                stack = [above for above in stack if above.level < mark.level] + [mark]
        return tuple(mark.label for mark in stack)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage: `document.text[span] == text`. `header` is the table header above it, if its rows would not be understood without."""

    source: str
    index: int  # number in the document, from 0
    span: Span
    text: str
    headings: tuple[str, ...] = ()
    header: str = ""
    lines: Lines | None = None
    page: int | None = None
    tokens: int = 0  # estimated by text.tokens


@dataclass(frozen=True, slots=True)
class Query:
    """A question with everything that decides which passages may be hits, and how many."""

    text: str
    limit: int = 5
    mode: Mode = "hybrid"
    where: Where = field(default_factory=dict)
    min_score: float | None = None
    collapse: bool = True
    per_document: int | None = None  # passages of one document, 0: all; None: two, all without `collapse`
    hops: bool | None = None  # search again inside the documents that the question names; None: where it needs that


@dataclass(frozen=True, slots=True)
class Vote:
    """What one leg says of a hit: its rank there (None: not among its candidates), its own value, and its share of the score."""

    leg: str
    rank: int | None
    value: float
    share: float


@dataclass(frozen=True, slots=True)
class Hit:
    """A ranked passage. The shares of `votes` sum to `score`, which orders the hits of one question and is no probability."""

    id: str
    source: str
    document: str
    title: str | None
    headings: tuple[str, ...]
    lines: Lines | None
    page: int | None
    index: int
    tokens: int
    span: Span
    text: str
    header: str = ""
    type: str = ""
    language: str = "und"
    metadata: Mapping[str, Any] = field(default_factory=dict)
    also: tuple[str, ...] = ()
    score: float = 0.0
    votes: tuple[Vote, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits with what was measured on the way. `coverage` is the share of passages that each leg could see, 0 to 1.

    `evidence` is the probability that the passages answer the question; `unknown` are words of it that certainly stand nowhere in the library.
    """

    query: str
    mode: Mode
    hits: tuple[Hit, ...]
    coverage: Mapping[str, float] = field(default_factory=dict)
    took_ms: Mapping[str, float] = field(default_factory=dict)
    evidence: float = 0.0
    features: Mapping[str, float] = field(default_factory=dict)  # what the evidence is computed from
    unknown: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()  # quoted in the question: each hit holds them word for word
    without: tuple[str, ...] = ()  # words that the question left out: no hit holds one
    beside: str | None = None  # what else was searched: a second text, which weighs less


@dataclass(frozen=True, slots=True)
class Passage:
    """A hit with the number under which a context shows it."""

    marker: int
    hit: Hit

    @property
    def id(self) -> str:
        """The hit's id."""
        return self.hit.id


@dataclass(frozen=True, slots=True)
class Context:
    """The block that is put into a prompt: `text` exactly, `passages` in the order of their markers."""

    question: str
    format: ContextFormat
    text: str
    passages: tuple[Passage, ...]
    tokens: int
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Citation:
    """Proof of a sentence: `quote == document.text[span]`. `exact`: the sentence says it word for word (blanks, case, letter forms aside)."""

    marker: int
    id: str
    source: str
    document: str
    headings: tuple[str, ...]
    lines: Lines | None
    page: int | None
    span: Span
    quote: str
    status: Status
    exact: bool = False

    @property
    def told(self) -> str:
        """The status in words: a sentence in words of its own was compared less surely than one that is quoted."""
        return f"{self.status}, reworded" if self.status in ("verified", "moved") and not self.exact else self.status


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an answer, without its markers; without any, nothing is cited for it. `exact`: its passages say it word for word."""

    text: str
    markers: tuple[int, ...]
    status: Status
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """What an agent did: a tool with its arguments, what came of it in a few words, and the passages that it showed."""

    tool: str
    arguments: str
    outcome: str
    markers: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer or a refusal (`refused`, with the `reason` for people). `complete` is False where the model's text was cut off."""

    question: str
    text: str
    searched_as: str
    refused: bool = False
    reason: str | None = None
    complete: bool = True
    model: str = "extractive"
    evidence: float = 0.0
    sentences: tuple[Sentence, ...] = ()
    citations: tuple[Citation, ...] = ()
    context: Context | None = None
    nearest: tuple[Hit, ...] = ()  # for a refusal: the passages that came nearest
    notices: tuple[str, ...] = ()  # what went less than well, for people
    took_ms: Mapping[str, float] = field(default_factory=dict)
    failure: str | None = None  # code (`llm-timeout`) of why a model that was asked gave no or only a part of an answer
    steps: tuple[Step, ...] = ()  # of an agent
    searched_beside: str | None = None  # what was searched beside `searched_as`: the question behind those before it


@dataclass(frozen=True, slots=True)
class Dropped:
    """Characters of a file that were left out on purpose, or (negative count) that we added, such as list numbers."""

    what: str
    characters: int


@dataclass(frozen=True, slots=True)
class Receipt:
    """Proof that nothing was lost: `found == characters + sum(dropped)`, all counted without white space.

    `found` is counted from the file by other code than the loader's. `covered` counts what lies in chunks.
    """

    characters: int = 0
    covered: int = 0
    found: int = 0
    dropped: tuple[Dropped, ...] = ()
    pages: int | None = None
    chunks: int = 0
    warnings: tuple[str, ...] = ()
    # state -> page numbers as people write them, `1-3, 7`: text, ocr, blank (nothing on it), scanned (only pictures), garbled, unreadable
    page_states: Mapping[str, str] = field(default_factory=dict)
    tables: int = 0
    tables_without_header: int = 0
    images: int = 0  # pictures that were passed over
    parser: str = ""  # who read the file: `pdf (pypdfium2 5.1.0)`

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Receipt:
        """Return the receipt of which `as_plain` made this. Raises TypeError or KeyError for anything else.

        Libraries of the first form hold `dropped` as pairs.
        """
        dropped = tuple(Dropped(**one) if isinstance(one, Mapping) else Dropped(*one) for one in plain["dropped"])
        return cls(**{**plain, "dropped": dropped, "warnings": tuple(plain["warnings"])})

    @property
    def balanced(self) -> bool:
        """True where every character found is kept or accounted for, and every character kept is in a chunk."""
        return (
            self.found == self.characters + sum(d.characters for d in self.dropped) and self.covered == self.characters
        )


@dataclass(frozen=True, slots=True)
class FileReport:
    """What a sync did with one file."""

    source: str
    outcome: Outcome
    reason: str | None = None  # a stable code, `code: detail`
    hint: str | None = None
    receipt: Receipt = field(default_factory=Receipt)


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a sync did, or (`planned`) would do. `files` lists every file that was not simply unchanged."""

    added: int = 0
    updated: int = 0
    renamed: int = 0
    removed: int = 0
    unchanged: int = 0
    skipped: int = 0
    kept: int = 0
    chunks: int = 0
    embedded: int = 0
    took_s: float = 0.0
    files: tuple[FileReport, ...] = ()
    ignored: int = 0
    planned: bool = False
    notices: tuple[str, ...] = ()
    held: int = 0  # of those unchanged: what an undo holds back


def document_id(source: str) -> str:
    """Return the stable id of the document with this source."""
    return "d_" + hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def as_plain(value: Any) -> Any:
    """Return the value as JSON data: dataclasses as dicts by field name, tuples as lists, receipts flattened into their file's report."""
    if is_dataclass(value) and not isinstance(value, type):
        plain = {f.name: as_plain(getattr(value, f.name)) for f in fields(value)}
        return (
            {**{k: v for k, v in plain.items() if k != "receipt"}, **plain["receipt"]} if "receipt" in plain else plain
        )
    if isinstance(value, Mapping):
        return {str(key): as_plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_plain(item) for item in value]
    return value
