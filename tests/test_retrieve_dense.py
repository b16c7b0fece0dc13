"""Both languages on one scale, with vectors made by hand."""

import numpy as np
import pytest

from yinju import Document, Library
from yinju.text.language import is_chinese, speaks

CHINESE_PAGES = [f"第{number}页讲的是别的事情，例如天气和交通。" for number in range(12)]
ENGLISH_PAGES = [f"Page {number} is about other things such as weather and traffic." for number in range(12)]
ANSWER = "Tokens expire after ninety days."
BILINGUAL = "价格表 Price list 令牌 token"


class ByLanguage:
    """Texts of one language lie near each other; what answers is a little nearer than the rest of its language."""

    fingerprint = "by-language/3"
    dimension = 3

    def _vector(self, text):
        cosine = 0.85 if is_chinese(text) else 0.70 + 0.1 * ("expire" in text)
        cosine = 0.86 if text.endswith(BILINGUAL) else cosine
        return [cosine, np.sqrt(1 - cosine**2), 0]

    def embed_passages(self, texts):
        return np.array([self._vector(text) for text in texts], dtype="f4").reshape(-1, 3)

    def embed_queries(self, texts):
        return np.array([[1, 0, 0]] * len(texts), dtype="f4")


@pytest.fixture
def library():
    pages = [*CHINESE_PAGES, *ENGLISH_PAGES, ANSWER, BILINGUAL]
    with Library.open(embedder=ByLanguage()) as opened:
        opened.add([Document.from_text(text, source=f"{number}.txt") for number, text in enumerate(pages)])
        yield opened


def test_the_answer_in_the_other_language_is_among_the_first(library):
    """Baselines differ by 0.15, of which 0.8 is taken out: 0.80 + 0.12 = 0.92 > 0.85.

    To this model all questions are one, so half of each value is what a passage has in common with every question.
    """
    first, second = library.search("接口密钥多久失效", 2, "dense")
    assert first.text == ANSWER
    assert first.votes[0].value == pytest.approx((0.80 + 0.8 * 0.15) / 2, abs=0.01)
    assert second.text == BILINGUAL


def test_a_filter_on_the_language_adds_nothing(library):
    (first,) = library.search("接口密钥多久失效", 1, "dense", where={"language": "en"})
    assert first.text == ANSWER
    assert first.votes[0].value == pytest.approx(0.80 / 2, abs=1e-4)


@pytest.mark.parametrize(
    ("text", "zh", "en"),
    [
        ("接口密钥多久失效", True, False),
        ("How long is a token valid?", False, True),
        (BILINGUAL, True, True),
        ("在 App 里打开“设备”页面，然后点“添加”按钮", True, False),
        ("The sign at the end of the corridor says 出口 in red.", False, True),
    ],
)
def test_which_language_a_text_can_be_read_in(text, zh, en):
    assert speaks(text, chinese=True) is zh
    assert speaks(text, chinese=False) is en


def test_the_floor_is_kept_and_not_measured_by_each_search(monkeypatch):
    """A library that has vectors but no floor, such as an older one, gets it at its next sync."""
    from yinju.retrieve import evidence, floor

    monkeypatch.setattr(evidence, "knows", lambda _fingerprint: True)
    pages = [
        Document.from_text(text, source=f"{number}.txt") for number, text in enumerate([*CHINESE_PAGES, *ENGLISH_PAGES])
    ]
    with Library.open(embedder=ByLanguage()) as library:
        library.add(pages)
        kept = floor.kept_or_measured(library.store, library.embedder)
        assert kept["zh"].own == pytest.approx(0.85 / 2, abs=1e-3)
        assert kept["zh"].across == pytest.approx(0.70 / 2, abs=1e-3)
        with library.store.writer() as writer:
            writer.set_value(f"floor:{floor.VERSION}:{ByLanguage.fingerprint}", None)
        library.add(pages[:1])
        monkeypatch.setattr(floor, "measure", lambda *_given: pytest.fail("measured by a search"))
        assert library.search("天气和交通", 1)
