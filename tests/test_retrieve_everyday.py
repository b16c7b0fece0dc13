"""What is near to every question comes off a question's vector: hubs sink, and a model that fails on it costs no hit."""

import numpy as np
import pytest

from yinju import Document, Library
from yinju.errors import ModelError
from yinju.retrieve import everyday
from yinju.testing import FakeEmbedder

HUB, ANSWER = "hub", "answer"


class Hubbed:
    """Axis 0 is what all questions have in common, axis 1 what this one asks; the hub lies on the first, the answer between the two."""

    dimension = 3

    def __init__(self, name):
        self.fingerprint = f"hubbed/{name}"
        self.asked = []

    def embed_passages(self, texts):
        return np.array([[0.95, 0, np.sqrt(1 - 0.95**2)] if HUB in t else [0.6, 0.8, 0] for t in texts], dtype="f4")

    def embed_queries(self, texts):
        self.asked.append(list(texts))
        everyday_ones = {question for questions in everyday.QUESTIONS.values() for question in questions}
        rows = [[1, 0, 0] if text in everyday_ones else [0.9, np.sqrt(1 - 0.81), 0] for text in texts]
        return np.array(rows, dtype="f4").reshape(-1, 3)


def filled(embedder):
    library = Library.open(embedder=embedder)
    library.add([Document.from_text(text, source=f"{text}.txt") for text in (HUB, ANSWER)])
    return library


@pytest.mark.parametrize("question", ["how long is the token valid", "令牌多久失效"])
def test_a_passage_near_to_every_question_gives_way_to_the_one_that_answers(question):
    """By plain cosines 0.855 for the hub and 0.889 for the answer; without the common half 0.38 and 0.589."""
    with filled(Hubbed("gives-way")) as library:
        first, second = library.search(question, 2, "dense")
    assert (first.text, second.text) == (ANSWER, HUB)
    assert first.votes[0].value == pytest.approx(0.4 * 0.6 + 0.436 * 0.8, abs=1e-3)
    assert second.votes[0].value == pytest.approx(0.4 * 0.95, abs=1e-3)


def test_the_mean_is_kept_in_the_library_and_damage_is_noticed():
    embedder = Hubbed("kept")
    with filled(embedder) as library:
        everyday.keep(library.store, embedder)
        everyday._known.clear()
        embedder.asked.clear()
        kept = everyday.centre(library.store, embedder, "一年多少钱")
        assert kept == pytest.approx([1, 0, 0])
        assert embedder.asked == []
        for damaged in ("", "AAAA", "no base64 at all"):
            with library.store.writer() as writer:
                writer.set_value(f"everyday:zh:{everyday.VERSION}:{embedder.fingerprint}", damaged)
            everyday._known.clear()
            assert everyday.centre(library.store, embedder, "一年多少钱") == pytest.approx([1, 0, 0])
        assert len(embedder.asked) == 3


def test_once_per_process_and_language():
    embedder = Hubbed("once")
    with filled(embedder) as library:
        embedder.asked.clear()
        for _ in range(3):
            library.search("how long is the token valid", mode="dense")
        assert [len(texts) for texts in embedder.asked if len(texts) > 1] in ([], [len(everyday.QUESTIONS["en"])])


class FailsOnMany(FakeEmbedder):
    """An endpoint that takes one question at a time."""

    fingerprint = "fails-on-many/64"

    def embed_queries(self, texts):
        if len(texts) > 1:
            raise ModelError("too many")
        return super().embed_queries(texts)


@pytest.mark.parametrize("question", ["年费多少", "annual plan"])
def test_a_model_that_fails_on_them_leaves_plain_cosines(question):
    with Library.open(embedder=FailsOnMany()) as library:
        library.add([Document.from_text(text, source=text) for text in ("年费多少元", "the annual plan")])
        result = library.find(question, 1, "dense")
    assert question in result.hits[0].text
    assert result.notices == ()


def test_a_question_without_words_gets_no_direction():
    nothing = np.zeros(3, dtype="f4")
    assert not everyday.without(nothing, np.ones(3, dtype="f4")).any()


def test_each_language_has_thirty_different_questions():
    assert {name: len(set(questions)) for name, questions in everyday.QUESTIONS.items()} == {"zh": 30, "en": 30}
    assert all(everyday.language_of(q) == name for name, questions in everyday.QUESTIONS.items() for q in questions)


def test_nothing_is_taken_off_where_questions_are_not_alike():
    with Library.open(embedder=FakeEmbedder(seed=7)) as library:
        assert not everyday.centre(library.store, library.embedder, "annual plan").any()
