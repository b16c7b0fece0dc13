"""The shape of results: copies once, no document alone, filters before every cut, passages widened with exact spans."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yinju import Document, Library
from yinju.embed import HashingEmbedder
from yinju.errors import UsageError
from yinju.retrieve.shape import _Passage, capped
from yinju.store.records import StoredChunk
from yinju.testing import FakeEmbedder
from yinju.types import Chunk, Hit, Span

MODES = ("lexical", "dense", "hybrid", "rank-fusion")
CLAUSE = "付款后十四天内，客户可以申请全额退款；申请时请提供订单号，并说明退款的原因。退款将在三个工作日内退回原支付账户，节假日顺延。"
RULE = (
    "Customers may ask for a full refund within 14 days of payment. Please give the order number and the reason for it. "
    "The amount goes back to the account it came from."
)


def sources(library: Library, question: str, **more: object) -> list[tuple[str, ...]]:
    return [(hit.source, *hit.also) for hit in library.search(question, **more)]  # type: ignore[arg-type]


def shown_once(first: str, second: str, *, titles: tuple[str, str] = ("规则", "规则")) -> bool:
    with Library.open() as library:
        library.embedder = None
        library.add(
            [
                Document.from_text(text, source=f"{number}.txt", title=title)
                for number, (text, title) in enumerate(zip((first, second), titles, strict=True))
            ]
        )
        found = sources(library, "退款 refund 订单 order", mode="lexical", limit=10)
        assert {name for names in found for name in names} == {"0.txt", "1.txt"}
        return len(found) == 1


@pytest.mark.parametrize(
    "other",
    [
        CLAUSE.replace("，", " , ").replace("。", "．\n"),
        CLAUSE.replace("申请", "申請").replace("订单号", "訂單號"),
        CLAUSE.replace("请提供", "需提供"),
        CLAUSE.replace("可以申请", "可申请"),
        CLAUSE + "本规则自发布之日起执行。",
    ],
)
def test_what_says_the_same_is_one_hit(other: str) -> None:
    assert shown_once(CLAUSE + "。" * (other == CLAUSE), other) or other.startswith(CLAUSE)


@pytest.mark.parametrize(
    "other", [RULE.upper(), RULE.replace(". ", ".\n\n"), RULE.replace("of payment", "of the payment"), RULE.replace(",", " -")]
)  # fmt: skip
def test_what_says_the_same_is_one_hit_in_english(other: str) -> None:
    assert shown_once(RULE, other)


@pytest.mark.parametrize(
    "other",
    [
        CLAUSE.replace("十四", "十五"), CLAUSE.replace("可以", "不可以"), CLAUSE.replace("客户", "商户"), CLAUSE.replace("全额", "半额"),
        CLAUSE.replace("天内", "天后"), RULE.replace("14", "15"), RULE.replace("may", "may not"), RULE.replace("refund", "voucher"),
        RULE.replace("Customers", "Alice Miller"), RULE.replace("account", "card"),
    ],
)  # fmt: skip
def test_what_differs_in_a_fact_stays_apart(other: str) -> None:
    assert not shown_once(CLAUSE if "退" in other else RULE, other)


def test_a_passage_whose_sentences_all_stand_in_a_better_one_is_not_shown_again() -> None:
    part = CLAUSE[CLAUSE.index("退款将") :]
    assert shown_once(CLAUSE, part)
    assert not shown_once(CLAUSE.replace("退款将", "退款不将"), part)


@pytest.mark.parametrize(("sign", "little"), [("哈", ("的", "了")), ("ha ", ("the ", "of "))])
def test_a_run_of_thousands_of_one_word_is_compared_in_bounded_time(sign: str, little: tuple[str, str]) -> None:
    letters = "bcdfghjklm"
    varied = [f"{a}o{b}i{c}a " for a in letters for b in letters for c in letters[:6]]
    text = "".join(chr(0x4E00 + 7 * number) for number in range(600)) if sign == "哈" else "".join(varied)
    first, second = (
        _Passage(
            StoredChunk(
                1, "c", "own.txt", "d", None, "text", "zh", {}, Chunk("own.txt", 0, Span(0, len(each)), each), ""
            )
        )
        for each in (little[0] + text + sign * 4000 + little[1], text + little[1] + sign * 4000)
    )
    started = time.process_time()
    assert first._is_near(second)
    assert second._is_near(first)
    assert time.process_time() - started < 2.0


def test_near_passages_under_other_names_are_other_facts() -> None:
    near = CLAUSE.replace("请提供", "需提供")
    assert shown_once(CLAUSE, near, titles=("MX-500", "MX-500"))
    assert not shown_once(CLAUSE, near, titles=("MX-500", "MX-700"))


@pytest.mark.parametrize("mode", MODES)
def test_copies_leave_room_for_the_others(mode: str) -> None:
    with Library.open(embedder=FakeEmbedder()) as library:
        library.add(
            [Document.from_text("版权声明：本手册仅供内部使用。", source=f"copy/{n}.txt") for n in range(120)]
            + [Document.from_text(f"另一份手册 {text}", source=f"{text}.txt") for text in ("甲", "乙")]
        )
        found = sources(library, "手册的版权声明", limit=5, mode=mode)
        assert sorted(len(names) for names in found) == [1, 1, 120]
        assert len(sources(library, "手册的版权声明", limit=50, mode=mode, collapse=False)) == 50


@pytest.fixture(scope="module")
def shelf() -> Iterator[Library]:
    long = "# 保修\n\n" + "\n\n".join(
        f"## 第{n}节\n\n" + f"保修的第{n}项说明：保修期、范围和例外。" * 12 for n in range(1, 8)
    )
    with Library.open(embedder=FakeEmbedder()) as library:
        library.add(
            [Document.from_text(long, source="long.md")]
            + [Document.from_text(f"合同{n}：保修期见附件{n}。", source=f"short{n}.md") for n in range(4)]
        )
        yield library


@pytest.mark.parametrize("mode", MODES)
def test_at_most_two_passages_of_a_document_unless_asked(shelf: Library, mode: str) -> None:
    def of_long(**more: object) -> int:
        return sum(hit.source == "long.md" for hit in shelf.search("保修期的说明和范围", mode=mode, **more))  # type: ignore[arg-type]

    assert of_long(limit=5) <= 2
    assert of_long(limit=5, per_document=1) <= 1
    assert of_long(limit=9) == 5  # four others are all there are
    assert of_long(limit=20, per_document=0) == of_long(limit=20, collapse=False) == 7
    assert of_long(limit=5, where={"source": "long.md"}) == 5
    scores = [hit.score for hit in shelf.search("保修期的说明和范围", 9, mode)]
    assert scores == sorted(scores, reverse=True)


def hit(place: int, source: str) -> Hit:
    return Hit(f"c{place}", source, "d", None, (), None, None, place, 1, Span(place, place + 1), "x", score=-place)


@given(st.lists(st.sampled_from("abc"), max_size=12), st.integers(1, 12), st.integers(1, 3))
def test_capped_keeps_the_order_and_fills_up(names: list[str], limit: int, most: int) -> None:
    hits = [hit(place, name) for place, name in enumerate(names)]
    found = capped(hits, limit, most)
    assert len(found) == min(limit, len(hits))
    assert [one.index for one in found] == sorted(one.index for one in found)
    rest = [one for one in hits if one not in found]
    crowded = {name for name in names if sum(one.source == name for one in found) > most}
    assert not crowded or all(sum(one.source == other.source for one in found) >= most for other in rest)
    assert capped(hits, limit, None) == hits[:limit]


def test_the_cap_holds_after_a_reranker() -> None:
    class Likes:
        fingerprint = "test:likes"

        def score(self, query: str, texts: list[str]) -> list[float]:
            return [float(len(text)) for text in texts]

    with Library.open(embedder=FakeEmbedder(), reranker=Likes()) as library:
        long = "\n\n".join(f"## {n}\n\n" + f"保修说明{n}。" * 80 for n in range(1, 6))
        library.add([Document.from_text(long, source="long.md"), *(Document.from_text(f"保修 {n}", source=f"{n}.md") for n in range(4))])  # fmt: skip
        assert [one.source for one in library.search("保修说明", 4)].count("long.md") == 2


# Filters before the cut


COUNT, EVERY = 20_000, 1_000


@pytest.fixture(scope="module")
def large() -> Iterator[Library]:
    with Library.open(embedder=HashingEmbedder()) as library:
        library.add(
            [
                Document.from_text(
                    f"阀门压力设定 {n} valve pressure"
                    if n % EVERY
                    else f"一条备注 {n}：其中也提到压力 pressure，离题很远",
                    source=f"b/{n}.txt" if n % EVERY else f"a/{n}.txt",
                    metadata={} if n % EVERY else {"team": "Ops"},
                )
                for n in range(COUNT)
            ]
        )
        yield library


@pytest.mark.slow
@pytest.mark.parametrize("where", [{"source": "a/*"}, {"team": "ops"}, {"source!": "b/*"}])
@pytest.mark.parametrize("mode", MODES)
def test_one_in_a_thousand_is_found_whole(large: Library, mode: str, where: dict[str, str]) -> None:
    started = time.perf_counter()
    hits = large.search("阀门压力设定 valve pressure", 20, mode, where, collapse=False)
    assert time.perf_counter() - started < 2
    assert len(hits) == COUNT // EVERY
    assert all(hit.source.startswith("a/") for hit in hits)


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_a_phrase_of_few_passages_is_found_whole(large: Library, mode: str) -> None:
    hits = large.search("“其中也提到压力” 阀门 valve", 20, mode, collapse=False)
    assert len(hits) == COUNT // EVERY
    assert all(hit.source.startswith("a/") for hit in hits)
    assert not any(hit.source.startswith("b/") for hit in large.search("压力 pressure -阀门", 20, mode, collapse=False))


@pytest.mark.parametrize(
    ("where", "count"),
    [
        ({"source": "*.md"}, 2), ({"source": "wiki/*"}, 1), ({"source": "WIKI/退款.MD"}, 1), ({"source": "wiki/退款.md"}, 1),
        ({"source": "[!w]*"}, 1),
        ({"language": "zh"}, 1), ({"language": "e?"}, 1), ({"headings": "退款*"}, 1), ({"headings": "*> days"}, 1), ({"modified": ">=2026-01-01"}, 1),
        ({"modified": "2025-*"}, 1), ({"team": "ops"}, 1), ({"TEAM": "Ops"}, 1), ({"tags": "b"}, 1), ({"level": "3"}, 1), ({"nothing": "*"}, 0),
        ({"source": "*[*"}, 0), ({"source": "["}, 0), ({"source": "*" * 900 + "x"}, 0), ({"source": "?" * 999}, 0), ({"source": "\\"}, 0),
        ({"source": "(a+)+$"}, 0), ({"source": "\x00"}, 0), ({"team": "[a-"}, 0),
    ],
)  # fmt: skip
@pytest.mark.parametrize("mode", MODES)
def test_globs(mode: str, where: dict[str, str], count: int) -> None:
    pages = [
        Document.from_text("---\nteam: Ops\ntags: [a, b]\nmodified: 2026-03-01\n---\n# 退款\n\n退款要 14 天。", source="wiki/退款.md"),
        Document.from_text("---\nlevel: 3\nmodified: 2025-03-01\n---\n# Refunds\n\n## days\n\nA refund takes 14 days.", source="en.md"),
    ]  # fmt: skip
    with Library.open(embedder=FakeEmbedder()) as library:
        library.add(pages)
        assert len({hit.source for hit in library.search("退款 14 refund days", 10, mode, where)}) == count


def test_a_glob_that_is_too_long_is_refused_with_a_hint() -> None:
    with Library.open() as library:
        with pytest.raises(UsageError) as caught:
            library.search("x", where={"source": "*" * 1_001})
        assert caught.value.hint


# Widening


STEPS = range(1, 5)
ZH = "\n\n".join(f"付款第{n}步：按提示操作并核对金额。" * 20 for n in STEPS)
EN = "\n\n".join(f"Payment step {n}: follow the prompts and check the amount. " * 20 for n in STEPS)
GUIDE = {
    "指南.md": f"# 指南\n\n本指南讲付款和退款。\n\n## 付款\n\n{ZH}\n\n## 退款\n\n退款找客服。\n",
    "guide.md": f"# Guide\n\nAbout payment.\n\n## Payment\n\n{EN}\n\n## Refunds\n\nAsk the service.\n",
}


@pytest.fixture(scope="module")
def guides() -> Iterator[Library]:
    with Library.open(embedder=FakeEmbedder()) as library:
        library.add([Document.from_text(text, source=source) for source, text in GUIDE.items()])
        yield library


@pytest.mark.parametrize("question", ["付款第3步怎么操作", "payment step 3"])
@pytest.mark.parametrize("widen", ["neighbours", "section"])
@pytest.mark.parametrize("tokens", [50, 300, 600, 1200, 4000])
def test_widened_passages_are_exact_spans_and_none_lies_in_another(
    guides: Library, question: str, widen: str, tokens: int
) -> None:
    context = guides.context(question, tokens, widen=widen)  # type: ignore[arg-type]
    assert context.tokens <= tokens
    found = [passage.hit for passage in context.passages]
    for one in found:
        document = guides.document(one.source)
        assert one.text == one.span.of(document.text)
        assert one.lines == document.lines(one.span)
    for one in found:
        others = [other for other in found if other is not one and other.source == one.source]
        assert not any(one.span.start <= other.span.start and other.span.end <= one.span.end for other in others)


def test_a_section_is_shown_whole_where_it_fits_and_no_more_than_it(guides: Library) -> None:
    best = guides.search("付款第3步怎么操作", 1)[0]
    (passage,) = guides.context("付款第3步怎么操作", 4_000, limit=1, widen="section").passages
    assert best.text in passage.hit.text
    assert "付款第1步" in passage.hit.text
    assert "付款第4步" in passage.hit.text
    assert "退款找客服" not in passage.hit.text
    assert passage.hit.id == best.id
    (alone,) = guides.context("付款第3步怎么操作", 4_000, limit=1).passages
    assert replace(alone.hit, score=0, votes=()) == replace(best, score=0, votes=())


def test_an_unknown_width_is_refused_with_the_choices(guides: Library) -> None:
    with pytest.raises(UsageError) as caught:
        guides.context("付款", widen="page")  # type: ignore[arg-type]
    assert "section" in str(caught.value.hint)


@pytest.mark.parametrize("widen", ["neighbours", "section"])
def test_citations_of_widened_passages_are_exact(guides: Library, widen: str) -> None:
    answer = guides.ask("付款第3步怎么操作？", widen=widen, refuse_below=0)
    for citation in answer.citations:
        assert citation.quote == citation.span.of(guides.document(citation.source).text)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("copy", "original"),
    [("backup/cg.txt", "合同/采购合同.txt"), ("合同(1).txt", "合同.txt"), ("a copy.txt", "plans/b.txt")],
)
@pytest.mark.parametrize("turned", [False, True])
def test_of_the_same_text_the_original_is_shown(mode: str, copy: str, original: str, turned: bool) -> None:
    with Library.open() as library:
        library.embedder = HashingEmbedder()
        names = [original, copy] if turned else [copy, original]
        library.add([Document.from_text(CLAUSE, source=name, title="退款") for name in names])
        (hit,) = library.search("退款 订单", mode=mode)  # type: ignore[arg-type]
        assert (hit.source, hit.also) == (original, (copy,))
        assert hit.document == library.document(original).id
        assert hit.score == pytest.approx(sum(vote.share for vote in hit.votes))
        assert library.document(hit.source).text[slice(*hit.span)] == hit.text


def test_a_link_is_not_shown_in_place_of_its_target(tmp_path: Path) -> None:
    (tmp_path / "wiki").mkdir()
    (tmp_path / "wiki" / "refund.md").write_text(RULE, encoding="utf-8")
    (tmp_path / "wiki" / "退款.md").write_text(CLAUSE, encoding="utf-8")
    try:
        (tmp_path / "link.md").symlink_to(tmp_path / "wiki" / "refund.md")
        (tmp_path / "a.md").symlink_to(tmp_path / "wiki" / "退款.md")
    except OSError:
        pytest.skip("no links here")
    with Library.open() as library:
        library.embedder = None
        library.sync(tmp_path)
        assert sources(library, "refund order", mode="lexical") == [("wiki/refund.md", "link.md")]
        assert sources(library, "退款 订单", mode="lexical") == [("wiki/退款.md", "a.md")]


def test_an_original_in_the_place_of_copies_does_not_crowd_out_others() -> None:
    parts = ("退款要在十四天内申请。", "退款退回原支付账户。", "退款需要订单号。", "退款节假日顺延处理。")
    with Library.open() as library:
        library.embedder = None
        documents = [
            Document.from_text("".join(f"# 第{n}节\n\n{part * 9}\n\n" for n, part in enumerate(parts)), source=name)
            for name in ("old/a.md", "b.md")
        ]
        library.add(
            [*documents, *(Document.from_text(f"{word}的退款规定另行通知。", source=f"{word}.md") for word in "甲乙丙")]
        )
        found = sources(library, "退款", mode="lexical", limit=5)
        assert sum("b.md" in names for names in found) == 2
        assert not any(names[0] == "old/a.md" for names in found)
        assert len(found) == 5
