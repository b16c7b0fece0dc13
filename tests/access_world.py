"""A small world for the tests of access lists: documents that carry words found nowhere else, and everything that a library tells of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from yinju import Library
from yinju.errors import YinjuError
from yinju.principal import Principal
from yinju.types import Document, Span

NAMES = ("甲", "ann", "hr", "法务", "*")
LETTERS = "bcdfghjklmnp"
RARE = "龘靐齉齾爩鱻麤龗灪籲"
SHARED = "The warranty lasts six months for every apple. 每个苹果保修六个月。"


@dataclass(frozen=True)
class Page:
    """One document: its number makes its canaries. A list is None (there is none), names, or something that is no list of names."""

    number: int
    stated: Any = None  # in its metadata
    rules: tuple[str, ...] | None = None
    owner: tuple[str, ...] | None = None
    copies: bool = False  # holds the same paragraph as the others that do

    def english(self, place: str) -> str:
        """A word for text, title, heading, metadata or name."""
        return f"zq{LETTERS[self.number]}{place}vx"

    @property
    def chinese(self) -> str:
        return RARE[self.number % 10] + RARE[(self.number // 10 + 3) % 10] + RARE[(self.number + 5) % 10] + "鑫"

    @property
    def source(self) -> str:
        return f"资料/{self.english('name')}.md"

    @property
    def canaries(self) -> tuple[str, ...]:
        return (*(self.english(place) for place in ("text", "title", "head", "meta", "name")), self.chinese)

    def document(self) -> Document:
        """Return it with its front matter as metadata."""
        head, text = self.english("head"), self.english("text")
        lines = [
            f"# {self.english('title')}", "", f"The handbook says {text} about fruit. 手册提到{self.chinese}与水果。", "",
            f"## {head}", "", f"Fee of {text}: {100 + self.number} yuan. {self.chinese}的费用是{100 + self.number}元。", "",
        ]  # fmt: skip
        lines += ["## Warranty", "", SHARED, ""] if self.copies else []
        metadata: dict[str, Any] = {"owner": self.english("meta"), "status": "draft"}
        if self.stated is not None:
            metadata["access"] = self.stated
        return Document.from_text("\n".join(lines), source=self.source, title=self.english("title"), metadata=metadata)

    def is_for(self, principal: Principal) -> bool:
        """What ought to be: on every list that there is; what is no list of names has nobody on it."""
        mine = {principal.name, *principal.groups, "*"}
        lists = [names for names in (self.stated, self.rules, self.owner) if names is not None]
        return all(not mine.isdisjoint(_understood(names)) for names in lists)


def _understood(names: object) -> list[str]:
    if isinstance(names, str):
        return [names]
    whole = isinstance(names, (list, tuple)) and all(isinstance(name, str) for name in names)
    return list(names) if whole else []


@dataclass
class World:
    """A library in memory and what it ought to hold."""

    embedder: Any
    pages: dict[int, Page] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.library = Library.open(embedder=self.embedder)

    def put(self, *pages: Page) -> None:
        """Add pages, or change them, with all their lists."""
        documents = [page.document() for page in pages]
        with self.library.store.writer() as writer:
            writer.set_access("rules", {page.source: page.rules for page in pages})
            writer.set_access("owner", {page.source: page.owner for page in pages})
        self.library.add(documents)
        self.pages |= {page.number: page for page in pages}

    def relist(self, page: Page) -> None:
        """Change the lists of a page that is there, as owner and rules do; what it states itself stays."""
        self.library.restrict(page.source, page.owner)
        with self.library.store.writer() as writer:
            writer.set_access("rules", {page.source: page.rules})
        self.pages[page.number] = page

    def remove(self, number: int) -> None:
        self.library.remove(self.pages.pop(number).source)

    def hidden(self, principal: Principal) -> list[Page]:
        return [page for page in self.pages.values() if not page.is_for(principal)]


Call = Callable[[Library, str, str], object]


def _first_hit(library: Library, question: str) -> Any:
    return next(iter(library.search(question)), None)


def _boxes(library: Library, question: str, source: str) -> object:
    hit = _first_hit(library, question)
    return None if hit is None else library.boxes(hit)


READS: dict[str, Call] = {
    "ask": lambda library, question, source: library.ask(question),
    "ask_stream": lambda library, question, source: list(
        library.ask_stream(question, prefer="newest", widen="section")
    ),
    "boxes": _boxes,
    "close": lambda library, question, source: library.close(),
    "context": lambda library, question, source: library.context(question, format="sections", widen="neighbours"),
    "document": lambda library, question, source: library.document(source),
    "explain": lambda library, question, source: library.explain(question, limit=20, collapse=False),
    "find": lambda library, question, source: library.find(question, limit=20, hops=True),
    "grep": lambda library, question, source: library.grep(question),
    "outline": lambda library, question, source: library.outline(source),
    "page_picture": lambda library, question, source: library.page_picture(source, 1),
    "prompt": lambda library, question, source: library.prompt(question),
    "read": lambda library, question, source: library.read(source),
    "receipt": lambda library, question, source: library.receipt(source),
    "search": lambda library, question, source: library.search(question, limit=20),
    "sources": lambda library, question, source: library.sources(),
    "status": lambda library, question, source: library.status(),
    "verify": lambda library, question, source: (library.verify(question), library.verify(question, source)),
    "view": lambda library, question, source: library.view(source, Span(0, 5)),
}
# Questions about everything: copies, counts, what there is, quoted words, words to leave out, words that stand nowhere.
QUESTIONS = (
    "How long is the warranty of an apple?", "苹果保修多久？", "有几份文档？", "Which documents are drafts?", "列出所有文档的费用",
    '"handbook says"', "水果 -手册", "zqqqq nowhere", "费用最高的是哪个？", "Summarise all documents", "鑫",
)  # fmt: skip


def told(
    library: Library, question: str, source: str, reads: Iterator[str] | list[str] | None = None
) -> dict[str, str]:
    """Return by method all that it says about this question and this source, without what was asked."""
    found = {}
    for name in reads or READS:
        try:
            said = repr(READS[name](library, question, source))
        except YinjuError as error:
            said = f"{error.code} {error.message} {error.hint}"
        found[name] = said.replace(source, "(source)").replace(question, "(question)")
    return found
