"""Several patterns for one key, keys that exclude, names with signs of globs; what grep and citations make of them."""

import pytest

from yinju import Document, Library
from yinju.retrieve.filters import allowed, below, joined, literal
from yinju.testing import FakeEmbedder
from yinju.types import Mark, Span

PAGES = {
    "faq/退款.md": "退款要 14 天。",
    "faq/old/退款.md": "退款要 30 天。",
    "faq/refunds.md": "Refunds take 14 days.",
    "faq/old/refunds.md": "Refunds take 30 days.",
    "a[1].md": "退款 refunds.",
    "a1.md": "退款 refunds.",
    "手册［一］.md": "退款 refunds.",
}


@pytest.fixture(scope="module")
def library():
    with Library.open(embedder=FakeEmbedder()) as opened:
        opened.add([Document.from_text(text, source=source) for source, text in PAGES.items()])
        yield opened


@pytest.mark.parametrize(
    ("where", "sources"),
    [
        ({"source": ("faq/*", "*退款.md")}, {"faq/退款.md", "faq/old/退款.md"}),
        ({"source": "faq/*", "source!": "faq/old/*"}, {"faq/退款.md", "faq/refunds.md"}),
        ({"source!": ("faq/*", "a*")}, {"手册［一］.md"}),
        ({"source": literal("a[1].md")}, {"a[1].md"}),
        ({"source": literal("手册［一］.md")}, {"手册［一］.md"}),
        ({"source": below("faq/old/")}, {"faq/old/退款.md", "faq/old/refunds.md"}),
        (joined({"source": "faq/*"}, {}, {"source": "*.md", "language": "zh"}), {"faq/退款.md", "faq/old/退款.md"}),
        ({"source": ("faq/*", "a*")}, set()),
    ],
)
@pytest.mark.parametrize("mode", ["lexical", "dense", "hybrid"])
def test_all_patterns_hold_in_every_leg(library, where, sources, mode):
    hits = library.search("退款 refunds", 20, mode, where, collapse=False)
    assert {hit.source for hit in hits} == sources


def test_no_pattern_is_no_filter(library):
    assert allowed(library.store, {}) is None


def test_grep_reads_only_the_documents_that_the_filter_lets_through(library, monkeypatch):
    read = []
    document = library.document
    monkeypatch.setattr(library, "document", lambda source: read.append(source) or document(source))
    monkeypatch.setattr(type(library.store), "chunks", lambda *_: pytest.fail("no passage is needed to name documents"))
    assert [match.text for match in library.grep("14", where={"source": "faq/*", "source!": "*/old/*"})] == [
        "Refunds take 14 days.",
        "退款要 14 天。",
    ]
    assert read == ["faq/refunds.md", "faq/退款.md"]


@pytest.mark.parametrize(
    ("pages", "question", "quote"),
    [
        (["电池保修说明在下一页。", "电池保修六个月，从收货那天算起。"], "电池保修几个月？", "电池保修六个月"),
        (["The warranty of the battery follows.", "The battery has a warranty of six months."],
         "How many months of warranty does the battery have?", "six months"),
    ],
)  # fmt: skip
def test_a_citation_names_the_page_of_its_quote(pages, question, quote):
    text = "\n\n".join(pages)
    second = len(pages[0]) + 2
    marks = (Mark("page", Span(0, second), 1), Mark("page", Span(second, len(text)), 2))
    with Library.open() as library:
        library.embedder = None
        library.add([Document(text, "card.pdf", type="pdf", marks=marks)])
        assert [hit.page for hit in library.search(question)] == [1]
        *_, answer = parts = list(library.ask_stream(question, mode="lexical", refuse_below=0))
    cited = next(one for one in answer.citations if quote in one.quote)
    assert cited.span.start >= second
    assert cited.page == 2
    assert cited in parts
