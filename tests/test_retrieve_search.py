"""Search over a real store in memory: votes sum, filters hold in every leg, same texts collapse, failures are visible."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from yinju import Document, Library
from yinju.errors import ModelError, UsageError
from yinju.messages import set_language
from yinju.retrieve import lexical, search
from yinju.testing import FakeEmbedder
from yinju.types import Query

PAGES = {
    "zh/plans.md": "# 订阅方案\n\n## 年费\n\n年费方案每年 168 元。\n\n## 在校生\n\n在校生上传学生证后按七折结算。\n",
    "zh/refunds.md": "---\naudience: user\n---\n# 退款\n\n付款后 14 天内可以全额退款，错误码 E-4031 除外。\n",
    "en/plans.md": "# Plans\n\n## Annual\n\nThe annual plan costs 168 yuan a year.\n",
    "en/refunds.md": "# Refunds\n\nRefunds are possible within 14 days, except for error E-4031.\n",
    "copy/refunds.md": "# Refunds\n\nRefunds are possible within 14 days, except for error E-4031.\n",
}


@pytest.fixture(scope="module")
def library():
    with Library.open(embedder=FakeEmbedder()) as opened:
        opened.add([Document.from_text(text, source=source) for source, text in PAGES.items()])
        yield opened


@pytest.mark.parametrize(
    ("question", "source"),
    [
        ("一年的年费要多少元", "zh/plans.md"),
        ("what does the annual plan cost", "en/plans.md"),
        ("退款要几天", "zh/refunds.md"),
    ],
)
@pytest.mark.parametrize("mode", ["lexical", "hybrid", "rank-fusion"])
def test_the_page_that_says_it_is_first(library, question, source, mode):
    assert library.search(question, mode=mode)[0].source == source


@pytest.mark.parametrize("question", ["E-4031", "e4031", "Ｅ－４０３１"])
def test_a_code_is_found_however_it_is_written(library, question):
    assert {hit.source for hit in library.search(question, mode="lexical")} >= {"zh/refunds.md", "en/refunds.md"}


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    question=st.text(st.sampled_from("年费退款在校生多少 annual plan E-4031 的"), min_size=1, max_size=30).filter(
        str.strip
    ),
    mode=st.sampled_from(["lexical", "dense", "hybrid", "rank-fusion"]),
)
def test_votes_sum_to_the_score_and_scores_fall(library, question, mode):
    hits = library.search(question, limit=20, mode=mode)
    for hit in hits:
        assert hit.score == pytest.approx(sum(vote.share for vote in hit.votes))
        document = library.document(hit.source)
        assert hit.span.of(document.text) == hit.text
        assert document.lines(hit.span) == hit.lines
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


@pytest.mark.parametrize("mode", ["lexical", "dense", "hybrid"])
@pytest.mark.parametrize(
    ("where", "sources"),
    [
        ({"source": "zh/*"}, {"zh/plans.md", "zh/refunds.md"}),
        ({"language": "en"}, {"en/plans.md", "en/refunds.md", "copy/refunds.md"}),
        ({"audience": "user"}, {"zh/refunds.md"}),
        ({"headings": "*年费*"}, {"zh/plans.md"}),
        ({"source": "nowhere/*"}, set()),
    ],
)
def test_filters_hold_in_every_leg(library, mode, where, sources):
    found = {hit.source for hit in library.search("退款 refund 168 年费 plan", 20, mode, where, collapse=False)}
    assert found == sources if mode == "dense" or not sources else found <= sources


def test_the_same_text_is_shown_once_and_names_all_its_sources(library):
    hits = library.search("refunds within 14 days", 10, "lexical")
    first = hits[0]
    assert {first.source, *first.also} == {"en/refunds.md", "copy/refunds.md"}
    apart = library.search("refunds within 14 days", 10, "lexical", collapse=False)
    assert {"en/refunds.md", "copy/refunds.md"} <= {hit.source for hit in apart}


def test_words_that_stand_nowhere_are_named(library):
    assert "航天飞机" in library.find("航天飞机", mode="lexical").unknown
    assert library.find("年费", mode="lexical").unknown == ()


class Broken(FakeEmbedder):
    """An endpoint that has gone away."""

    def embed_queries(self, texts):
        raise ModelError("gone")


def test_a_model_that_fails_leaves_the_words_and_says_so(library):
    result = search(library.store, Query("年费"), Broken())
    assert result.hits[0].source == "zh/plans.md"
    assert "gone" in result.notices[0]
    with pytest.raises(ModelError):
        search(library.store, Query("年费", mode="dense"), Broken())


def test_without_a_model_dense_is_refused_with_a_hint(library):
    with pytest.raises(UsageError) as caught:
        search(library.store, Query("年费", mode="dense"), None)
    assert caught.value.hint


@pytest.mark.parametrize("query", [Query(" "), Query("x", limit=0), Query("x" * 30_000), Query("x", mode="best")])
def test_impossible_queries_are_refused(library, query):
    with pytest.raises(UsageError):
        search(library.store, query, None)


@pytest.mark.parametrize(
    "question", ['"', "NEAR(", "a AND NOT b", "x' OR 1=1 --", "{}", "\x00", "*", "🙂", "𠮷", "\u200b"]
)
def test_no_text_is_a_syntax_error(library, question):
    assert isinstance(library.search(question + "年费"), list)


class Backwards:
    """A reranker that turns the order round."""

    fingerprint = "backwards"

    def score(self, query, texts):
        return list(range(len(texts)))


class BrokenReranker(Backwards):
    def score(self, query, texts):
        raise ModelError("no reranker")


def test_a_reranker_orders_and_a_broken_one_is_visible(library):
    plain = search(library.store, Query("退款 年费", limit=3, mode="lexical"), None)
    turned = search(library.store, Query("退款 年费", limit=3, mode="lexical"), None, reranker=Backwards())
    assert turned.hits[0].votes[0].leg == "rerank"
    assert turned.hits[-1].score < turned.hits[0].score
    broken = search(library.store, Query("退款 年费", limit=3, mode="lexical"), None, reranker=BrokenReranker())
    assert [hit.id for hit in broken.hits] == [hit.id for hit in plain.hits]
    assert "no reranker" in broken.notices[-1]


def test_evidence_is_higher_where_the_answer_is(library):
    there = library.find("年费方案每年多少元", mode="lexical").evidence
    absent = library.find("火星基地的食堂几点开门", mode="lexical").evidence
    assert there > 0.5 > absent


@pytest.mark.parametrize("question", ["怎么", "为什么？", "what is it", "The", "？！"])
@pytest.mark.parametrize("mode", ["hybrid", "dense", "lexical"])
def test_nothing_proves_an_answer_to_no_question(library, question, mode):
    assert search(library.store, Query(question, mode=mode), library.embedder).evidence == 0


@pytest.mark.parametrize(
    ("question", "asks"),
    [("WHO 是什么", True), ("what is IT", True), ("多少钱", True), ("who", False), ("什么", False)],
)
def test_a_name_in_capitals_is_a_question_though_it_looks_like_a_filler(question, asks):
    assert lexical.asks_something(question) is asks


@pytest.mark.parametrize("question", ["水的沸点是多少度？", "At what temperature does water boil?"])
@pytest.mark.parametrize("mode", ["hybrid", "dense", "lexical"])
def test_two_passages_about_something_else_are_no_evidence(question, mode):
    """However few the passages, the nearest of them is no answer because it is nearer than the other."""
    with Library.open(embedder=FakeEmbedder()) as library:
        library.add(
            [
                Document.from_text("这台泵的流量是每小时三吨。", source="a.md"),
                Document.from_text("The pump needs no oil.", source="b.md"),
            ]
        )
        answer = library.ask(question, mode=mode)
    assert answer.refused
    assert answer.citations == ()


def test_a_passage_without_a_vector_yet_stands_where_its_words_put_it():
    class Slow(FakeEmbedder):
        """Has embedded the first page only."""

    pages = [Document.from_text(f"第 {number} 章讲别的。", source=f"{number}.md") for number in range(12)]
    with Library.open(embedder=Slow()) as library:
        library.add(pages)
        library.add([Document.from_text("温度限值是八十度。", source="new.md")], embed=False)
        first, *rest = library.search("温度限值是多少", 5)
        assert first.source == "new.md"
        assert first.score == pytest.approx(sum(vote.share for vote in first.votes))
        assert all(hit.score < first.score for hit in rest)
        assert library.find("温度限值").coverage["dense"] < 1


def test_vectors_of_another_model_are_not_mixed_and_it_says_so():
    with Library.open(embedder=FakeEmbedder(seed=1)) as library:
        library.add([Document.from_text(text, source=source) for source, text in PAGES.items()])
        result = search(library.store, Query("年费"), FakeEmbedder(seed=2))
        assert result.coverage["dense"] == 0
        assert result.hits[0].source == "zh/plans.md"
        assert "another model" in result.notices[0]


class Reads(Backwards):
    """A slow reranker, which asks for few, and remembers what it was given."""

    candidates = 2

    def __init__(self):
        self.given = []

    def score(self, query, texts):
        self.given += texts
        return [1.0] * len(texts)


@pytest.mark.parametrize(
    ("text", "question", "read"),
    [
        ("# 订阅方案\n\n## 年费\n\n每年 168 元。", "年费", "订阅方案 > 年费"),
        ("# Plans\n\n## Yearly\n\n168 yuan a year.", "yearly", "Plans > Yearly"),
    ],
)
def test_a_reranker_reads_headings_and_gets_as_many_as_it_asks_for(text, question, read):
    reader = Reads()
    with Library.open(embedder=FakeEmbedder(), reranker=reader) as library:
        library.add([Document.from_text(text, source="a.md")])
        library.add([Document.from_text(f"{question} {n}：备注", source=f"{n}.md") for n in range(9)])
        assert len(library.search(question, limit=1)) == 1
        assert len(reader.given) == 2
        reader.given.clear()
        library.search(question, limit=20)  # never fewer than are to be shown
        assert len(reader.given) == 10
        assert any(given.startswith(read) for given in reader.given)


@pytest.mark.parametrize(
    ("lang", "says"), [("en", "No passage fits the filter source=no/*."), ("zh", "没有段落符合筛选条件 source=no/*。")]
)
def test_a_filter_that_lets_nothing_through_is_told(library, lang, says):
    set_language(lang)
    found = search(library.store, Query("年费", where={"source": "no/*"}, mode="lexical"), None)
    assert found.hits == ()
    assert found.notices[-1] == says


def test_an_empty_library_says_so():
    with Library.open(embedder=FakeEmbedder()) as library:
        found = search(library.store, Query("年费 fee"), library.embedder)
        assert "holds no text yet: `yinju sync FOLDER`" in " ".join(found.notices)
        assert found.unknown == ()


def test_a_least_score_that_is_no_number_is_refused(library):
    with pytest.raises(UsageError):
        library.search("年费", min_score=float("nan"))
