"""Read all that a library holds, to count or to list: an answer about a whole collection cannot come from the best few passages.

One document is in memory at a time. Everything that fits is counted; the first `SHOWN` finds are kept with the passage that holds them.
A file that could not be read is part of the denominator and is told.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from yinju.retrieve import filters, scan_meta, scan_rows
from yinju.retrieve.reading import matching_sources
from yinju.retrieve.search import as_hit
from yinju.tally import Row, Tally, Wanted
from yinju.text.mentions import Mention
from yinju.text.normalize import fold
from yinju.text.words import FILLERS, terms
from yinju.types import Document, Span, Where

if TYPE_CHECKING:
    from yinju.store import Store
    from yinju.store.records import SourceSummary, StoredChunk

SHOWN = 200
LONGEST_SHOWN = 240  # characters of what is shown of one find
_BAD_PAGES = ("scanned", "garbled", "unreadable")
_SUFFIXES = {"md": "markdown", "htm": "html", "txt": "text", "log": "text"}


@dataclass(slots=True)
class _Scope:
    """The files that a scan looks at."""

    read: list[SourceSummary]
    unread: list[SourceSummary]

    @property
    def files(self) -> int:
        return len(self.read) + len(self.unread)


@dataclass(slots=True)
class _Finds:
    """What was found so far: all are counted, the first are kept."""

    found: int = 0
    times: int = 0
    rows: list[Row] = field(default_factory=list)

    def add(self, row: Row) -> None:
        self.found += 1
        self.times += row.times
        if len(self.rows) < SHOWN:
            self.rows.append(row)


def scan(store: Store, wanted: Wanted, where: Where) -> Tally | None:
    """Return what a scan of the whole library found; None where the question turns out not to be about the collection.

    That is where it names a file that is not there, a table that nothing has, or a condition that cannot be understood. Raises UsageError
    for filters that cannot be used.
    """
    scope = _scope(store, wanted, where)
    if wanted.names and not scope.files:
        return None
    if wanted.kind == "documents":
        tally = _documents(store, wanted, scope)
    elif wanted.kind == "mentions":
        tally = _mentions(store, wanted, scope)
    elif wanted.kind == "headings":
        tally = _headings(store, wanted, scope)
    else:
        tally = _rows(store, wanted, scope)
    return None if tally is None else _placed(store, tally)


def _scope(store: Store, wanted: Wanted, where: Where) -> _Scope:
    allowed = set(matching_sources(store, where))
    read, unread = [], []
    for summary in store.sources():
        if wanted.names and not any(_named(summary.source, name) for name in wanted.names):
            continue
        if summary.state != "skipped":
            if summary.source in allowed:
                read.append(summary)
        elif _may_be(summary.source, where):
            unread.append(summary)
    return _Scope(read, unread)


def _named(source: str, name: str) -> bool:
    source, name = fold(source), fold(name)
    if name.endswith("/"):
        return source.startswith(name) or f"/{name}" in source
    own = source.rpartition("/")[2]
    joined = (
        name.endswith(own) and "\u4e00" <= name[: -len(own)][-1:] <= "\u9fff"
    )  # 在plans.md: no space tells where the name begins
    return source == name or source.endswith(f"/{name}") or joined


def _may_be(source: str, where: Where) -> bool:
    """Return whether the filters let a file through of which only the name is known."""
    for key, pattern in filters.patterns(where):
        name = key.removesuffix(filters.NOT)
        if name != "source":
            return False
        if fnmatch.fnmatchcase(fold(source), fold(pattern)) == key.endswith(filters.NOT):
            return False
    return True


def _tally(wanted: Wanted, scope: _Scope, finds: _Finds, **more: object) -> Tally:
    partly = sum(any(state in one.receipt.page_states for state in _BAD_PAGES) for one in scope.read)
    base = Tally(
        wanted, finds.found, tuple(finds.rows), scope.files, unread=len(scope.unread), partly=partly, times=finds.times
    )  # fmt: skip
    return replace(base, **more)  # type: ignore[arg-type]


# documents


def _documents(store: Store, wanted: Wanted, scope: _Scope) -> Tally | None:
    if wanted.unread:
        finds = _Finds()
        for one in scope.unread:
            if _of_type(one, wanted):
                finds.add(Row(one.source, "; ".join(one.warnings), quoted=False))
        return _tally(wanted, scope, finds)
    told: dict[str, str] = {}
    test = scan_meta.test(wanted, scope.read, told)
    if test is None:
        return None
    candidates = [one for one in scope.read if _of_type(one, wanted) and _in_language(one, wanted) and test(one)]
    if not wanted.texts and wanted.structure is None:
        finds = _Finds()
        for one in candidates:
            finds.add(Row(one.source, told.get(f"value {one.source}", one.title or ""), quoted=False))
        read = finds.found
        if not wanted.language and wanted.dated is None and not wanted.condition:  # how many files, how many PDF files
            for one in scope.unread:
                if _of_type(one, wanted):
                    finds.add(Row(one.source, "; ".join(one.warnings), quoted=False))
        return _tally(wanted, scope, finds, told=_rules(told), found_unread=finds.found - read)
    looks = [_Look([Mention(sought.text, exact=sought.exact) for sought in wanted.texts], wanted.any_of)]
    loose = [_Near(sought.text) for sought in wanted.texts]
    if (
        not wanted.without
        and not any(sought.exact for sought in wanted.texts)
        and any(len(near.words) > 1 for near in loose)
    ):
        looks.append(_Look(loose, wanted.any_of))
    for number, look in enumerate(looks):
        finds = _look_through(store, wanted, candidates, look)
        if finds.found or wanted.structure is not None or number == len(looks) - 1:
            rules = {**_rules(told), **({"near": "1"} if number and finds.found else {})}
            return _tally(wanted, scope, finds, told=rules)
    return None


def _look_through(store: Store, wanted: Wanted, candidates: Sequence[SourceSummary], look: _Look) -> _Finds:
    finds = _Finds()
    for one in candidates:
        document = store.document(one.source)
        if document is None:
            continue
        if wanted.structure is not None:
            marks = [mark for mark in document.marks if mark.kind == wanted.structure]
            first, times = (_first_line(document.text, marks[0].span), len(marks)) if marks else (None, 0)
        else:
            first, times = look.at(document.text, place=len(finds.rows) < SHOWN)
        if (times == 0) == wanted.without:
            finds.add(_row(document, first, times))
    return finds


def _row(document: Document, place: Span | None, times: int) -> Row:
    if place is None:
        return Row(document.source, document.title or "", times=max(1, times), quoted=False)
    line = line_around(document.text, place)
    return Row(document.source, line.of(document.text), within=line, times=times)


class _Look:
    """All or one of several texts, in one document."""

    def __init__(self, texts: Sequence[Mention | _Near], any_of: bool) -> None:
        self._texts, self._any = texts, any_of

    def at(self, text: str, *, place: bool) -> tuple[Span | None, int]:
        """Return where the first of them stands (only with `place`) and how often they do, 0 where not all that are needed stand there."""
        folded = fold(text)
        counts = [one.times_in(folded) for one in self._texts]
        if not counts or not (any(counts) if self._any else all(counts)):
            return None, 0
        first = next(one for one, count in zip(self._texts, counts, strict=True) if count)
        return next(first.places(text), None) if place else None, sum(counts)


class _Near:
    """All words of a text on one line, in any order."""

    def __init__(self, text: str) -> None:
        said = [word for word in terms(text).words if word not in FILLERS]
        self.words = [Mention(word) for word in dict.fromkeys(said)]

    def times_in(self, folded: str) -> int:
        if not self.words or not all(word.stands_in(folded) for word in self.words):
            return 0
        return sum(all(word.stands_in(line) for word in self.words) for line in folded.split("\n"))

    def places(self, text: str) -> Iterator[Span]:
        start = 0
        for line in text.split("\n"):
            folded = fold(line)
            if all(word.stands_in(folded) for word in self.words):
                yield Span(start, start + len(line))
            start += len(line) + 1


def _of_type(one: SourceSummary, wanted: Wanted) -> bool:
    if not wanted.types:
        return True
    suffix = PurePosixPath(one.source).suffix.lstrip(".").casefold()
    return (one.type or _SUFFIXES.get(suffix, suffix)) in wanted.types


def _in_language(one: SourceSummary, wanted: Wanted) -> bool:
    return not wanted.language or one.language == wanted.language


def _rules(told: dict[str, str]) -> dict[str, str]:
    return {key: value for key, value in told.items() if not key.startswith("value ")}


# places, headings, rows


def _mentions(store: Store, wanted: Wanted, scope: _Scope) -> Tally:
    texts = [Mention(sought.text, exact=sought.exact) for sought in wanted.texts]
    finds, files = _Finds(), 0
    for one in scope.read:
        document = store.document(one.source)
        if document is None:
            continue
        folded = fold(document.text)
        if not any(text.stands_in(folded) for text in texts):
            continue
        files += 1
        lines: dict[Span, int] = {}
        for place in sorted(place for text in texts for place in text.places(document.text)):
            line = line_around(document.text, place)
            lines[line] = lines.get(line, 0) + 1
        for line, times in lines.items():
            finds.add(Row(document.source, line.of(document.text), within=line, times=times))
    return _tally(wanted, scope, finds, among=files)


def _headings(store: Store, wanted: Wanted, scope: _Scope) -> Tally | None:
    finds = _Finds()
    for one in scope.read:
        document = store.document(one.source)
        for mark in document.marks if document else ():
            if document is not None and mark.kind == (wanted.structure or "heading"):
                span = _first_line(document.text, mark.span)
                finds.add(Row(document.source, mark.label if mark.kind == "heading" else "", within=span))
    return _tally(wanted, scope, finds) if finds.found else None


def _rows(store: Store, wanted: Wanted, scope: _Scope) -> Tally | None:
    finds = _Finds()
    best: scan_rows.Found | None = None
    for one in scope.read:
        document = store.document(one.source)
        if document is not None:
            found = scan_rows.rows(document, wanted)
            best = found if best is None else best.joined(found)
    if best is not None and (tables := best.decided()) is not None:
        for source, span, text in tables.rows:
            finds.add(Row(source, text, within=span))
        return _tally(wanted, scope, finds, among=tables.among, tables=tables.names, told=tables.told)
    if wanted.noun and not wanted.strict and not wanted.condition and re.search("[0-9A-Z]", wanted.noun[1:]):  # a code
        return _lines_instead(store, wanted, scope)
    return None


def _lines_instead(store: Store, wanted: Wanted, scope: _Scope) -> Tally | None:
    """`List all E-4031` where no table or list is called so: the places where the code stands."""
    from yinju.tally import Sought

    tally = _mentions(store, replace(wanted, texts=(Sought(wanted.noun),)), scope)
    return (
        replace(tally, wanted=replace(wanted, kind="mentions", texts=(Sought(wanted.noun),))) if tally.found else None
    )


def line_around(text: str, place: Span) -> Span:
    """Return the lines that hold the place without white space around; of a long line what stands around the place."""
    start = text.rfind("\n", 0, place.start) + 1
    end = text.find("\n", max(place.start, place.end - 1))
    end = len(text) if end < 0 else end
    if end - start > LONGEST_SHOWN:
        start = max(start, place.start - LONGEST_SHOWN // 3)
        end = min(end, max(place.end, start + LONGEST_SHOWN))
    return _trimmed(text, Span(start, end))


def _first_line(text: str, span: Span) -> Span:
    end = text.find("\n", span.start, span.end)
    return _trimmed(text, Span(span.start, min(span.end if end < 0 else end, span.start + LONGEST_SHOWN)))


def _trimmed(text: str, span: Span) -> Span:
    said = span.of(text)
    start = span.start + len(said) - len(said.lstrip())
    return Span(start, max(start, span.start + len(said.rstrip())))


# passages


def _placed(store: Store, tally: Tally) -> Tally:
    """Return the tally with the passage of each shown find. Passages are read document by document."""
    rows: list[Row] = []
    source, chunks, document = "", list["StoredChunk"](), None
    for row in tally.rows:
        if row.source != source:
            source, chunks, document = row.source, store.chunks_of(row.source), store.document(row.source)
        rows.append(_with_hit(row, chunks, document))
    return replace(tally, rows=tuple(rows))


def _with_hit(row: Row, chunks: Sequence[StoredChunk], document: Document | None) -> Row:
    if document is None or not chunks:
        return row
    span = row.within or _first_said(document.text)
    chunk = next((one for one in chunks if one.chunk.span.start <= span.start < one.chunk.span.end), None)
    if chunk is None:
        return row
    own = chunk.chunk.span
    within = Span(span.start - own.start, min(span.end, own.end) - own.start)
    return replace(row, hit=as_hit(chunk), within=within, text=row.text or within.of(chunk.chunk.text))


def _first_said(text: str) -> Span:
    start = len(text) - len(text.lstrip())
    return _first_line(text, Span(start, len(text)))
