"""The evidence: more of a sign is never less of it, one probability in all modes that ask the vectors, words that meet in one sentence."""

import json
from importlib.resources import files

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yinju import Document, Library
from yinju.errors import ModelError
from yinju.retrieve import evidence, lexical
from yinju.testing import FakeEmbedder

SPACES = json.loads((files("yinju.retrieve") / "evidence.json").read_text(encoding="utf-8"))["spaces"]
SIGNS = ("coverage", "sentence", "ahead", "above_floor", "standing")
PAGES = {
    "together.md": "年费方案每年 168 元。付款后十四天内可以退款。The annual plan costs 168 yuan.",
    "apart.md": "年费另见价目表。方案有三种。每年检查一次。The plan is made. It is annual.",
    "other.md": "这台泵不需要润滑油。The pump needs no oil.",
}


class Known(FakeEmbedder):
    """Words only, but under the name of a space that has weights."""

    @property
    def fingerprint(self):
        return "e5-small/fake"


@pytest.mark.parametrize("name", [name for name in SPACES if not name.endswith(evidence.BY_WORDS)])
@given(st.data())
def test_more_of_a_sign_is_never_less_evidence(name, data):
    found = {sign: data.draw(st.floats(0, 1), sign) for sign in SIGNS} | {
        "chinese": data.draw(st.sampled_from([0.0, 1.0]))
    }
    sign = data.draw(st.sampled_from(SIGNS))
    more = {**found, sign: found[sign] + 0.2}
    assert 0 <= evidence.probability(found, name) <= evidence.probability(more, name) <= 1


@pytest.mark.parametrize(
    ("vectors", "words", "both"), [(0.0, 0.0, 0.0), (0.0, 1.0, 0.5), (1.0, 0.0, 1.0), (0.5, 0.8, 0.7)]
)
def test_one_opinion_is_enough_but_words_alone_convince_by_half(vectors, words, both):
    assert evidence.either(vectors, words) == pytest.approx(both)


def test_the_first_is_ahead_of_the_mean_of_the_next_four():
    assert evidence.ahead([0.9, 0.5, 0.3, 0.3, 0.1, 0.0]) == pytest.approx(0.9 - (0.5 + 0.3 + 0.3 + 0.1) / 4)
    assert evidence.ahead([0.9]) == evidence.ahead([]) == 0


def test_three_that_tell_the_same_stand_out_as_one_does():
    rest = [0.40, 0.39, 0.38, 0.37, 0.36, 0.35]
    assert evidence.standing([0.5, *rest]) == pytest.approx(0.5 - (0.40 + 0.39 + 0.38 + 0.37 + 0.36) / 5)
    assert evidence.standing([0.5, 0.5, 0.5, *rest]) == pytest.approx(0.5 - (0.40 + 0.39 + 0.38 + 0.37 + 0.36) / 5)
    assert evidence.standing([0.5]) == evidence.standing([0.9, 0.1]) == evidence.NOTHING_BEHIND


@given(st.lists(st.floats(-1, 1), min_size=3, max_size=30), st.floats(-1, 1))
def test_how_far_passages_stand_out_does_not_depend_on_how_high_heights_are(heights, shift):
    falling = sorted(heights, reverse=True)
    found = evidence.standing(falling)
    assert 0 <= found <= falling[0] - falling[-1] + 1e-9
    assert evidence.standing([height + shift for height in falling]) == pytest.approx(found)


@pytest.fixture(scope="module")
def known():
    with Library.open(embedder=Known()) as library:
        library.add([Document.from_text(text, source=source) for source, text in PAGES.items()])
        library.add(
            [Document.from_text(f"第{n}条说明，说的是别的事。Note {n}.", source=f"note{n}.md") for n in range(52)]
        )
        yield library


@pytest.mark.slow
@given(
    question=st.sampled_from(
        ["年费方案每年多少元？", "what does the annual plan cost", "月球基地的食堂", "退款", "oil"]
    ),
    mode=st.sampled_from(["lexical", "dense", "rank-fusion"]),
    limit=st.sampled_from([1, 5, 50, 51, 200]),
    collapse=st.booleans(),
    per_document=st.sampled_from([None, 0, 1]),
)
@settings(max_examples=30, deadline=None)
def test_a_question_has_one_evidence_in_all_modes_and_at_all_limits(
    known, question, mode, limit, collapse, per_document
):
    found = known.find(question, limit, mode, collapse=collapse, per_document=per_document)
    usual = known.find(question)
    assert found.features == usual.features
    assert found.evidence == (usual.evidence if found.hits else 0.0)


class Failing(Known):
    """A model that fails on questions."""

    def embed_queries(self, texts):
        raise ModelError("gone", "wait")


@pytest.mark.parametrize("question", ["年费方案每年多少元？", "what does the annual plan cost"])
def test_words_that_were_asked_for_need_no_vector(known, question):
    failing = Library(known.store, embedder=Failing())
    by_words = failing.find(question, mode="lexical")
    assert [hit.id for hit in by_words.hits] == [hit.id for hit in known.find(question, mode="lexical").hits]
    assert not by_words.notices
    assert by_words.evidence == Library(known.store).find(question).evidence


@pytest.mark.parametrize("question", ["年费方案每年多少", "is the annual plan dear"])
def test_words_that_meet_in_one_sentence_say_more_than_words_strewn_over_a_page(question):
    with Library.open() as library:
        library.add([Document.from_text(text, source=source) for source, text in PAGES.items()])
        asked = lexical.question_terms(library.store, question)
        together, apart, other = (evidence.best_sentence(text, asked) for text in PAGES.values())
    assert 1 >= together > apart > other == 0


def test_a_space_without_weights_is_judged_by_words():
    assert evidence.space("someones-model/768", across=False) == "words"
    assert evidence.space("e5-small/384/abc", across=False) == "e5-small"
    assert evidence.space("e5-small/384/abc", across=True) == "e5-small" + evidence.ACROSS
    assert evidence.space(None, across=True) == "words"


@pytest.mark.parametrize(
    ("page", "question"),
    [("The discount is 41 percent.", "鹈鹕计划的奖金是多少"), ("折扣为百分之四十一。", "What is the pelican bonus?")],
)
@pytest.mark.parametrize("pages", [1, 2, 3])
def test_where_too_few_passages_in_another_language_can_stand_out_the_own_one_is_heard_too(page, question, pages):
    with Library.open(embedder=Known()) as library:
        library.add([Document.from_text(f"{page} {number}", source=f"{number}.md") for number in range(pages)])
        found = library.find(question, collapse=False)
    across = "e5-small" + evidence.ACROSS
    name = across + evidence.AMONG_OWN if pages < evidence.FEWEST else across
    assert found.evidence == pytest.approx(evidence.probability(found.features, name), abs=1e-4)
    assert (found.evidence < evidence.probability(found.features, across) - 0.01) is (pages < evidence.FEWEST)
