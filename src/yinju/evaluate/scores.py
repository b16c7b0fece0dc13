"""What a judge said of one answer, and how it is read from a reply that should be JSON and often nearly is.

A score is taken only where it certainly is one on the scale from 1 to 5; anything else is a failure with its reason, never a low score.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from yinju.messages import say
from yinju.text.loose_json import objects
from yinju.text.normalize import fold

CRITERIA = ("faithfulness", "relevance", "context_precision")
LOWEST, HIGHEST = 1, 5
LONGEST_REASON = 600  # characters

_NAMES = {
    "faithfulness": "faithfulness faithful groundedness 忠实 忠实度 忠实性 忠诚度 可信度 有据",
    "relevance": "relevance relevancy answerrelevance answerrelevancy 切题 切题度 相关 相关性 相关度 答案相关性 回答相关性",
    "context_precision": "contextprecision precision 资料精度 上下文精度 上下文精确度 上下文精准度 资料精确度 精度",
}
_scores = "score scores rating value grade points 分数 得分 评分 打分 分"
_SCORES = frozenset(_scores.split())
_reasons = "reason reasons reasoning rationale explanation comment justification 理由 原因 说明 解释 依据"
_REASONS = frozenset(_reasons.split())
_labels = "name metric criterion dimension item 名称 指标 项目 维度"
_LABELS = frozenset(_labels.split())
_known = {spelling: name for name, spellings in _NAMES.items() for spelling in spellings.split()}
_numerals = ("one 一 壹", "two 二 两 贰", "three 三 叁", "four 四 肆", "five 五 伍")
_WORDS = {word: value for value, words in enumerate(_numerals, start=1) for word in words.split()}
_other_words = "zero|six|seven|eight|nine|ten|零|六|七|八|九|十"
_score = re.compile(
    rf"(?P<value>[+-]?\d+(?:\.\d+)?|{'|'.join(_WORDS)}|{_other_words})\s*"
    r"(?:(?:/|of|out of|分?[,，]?满分)\s*(?P<of>\d+)|分|星|stars?|points?|颗星)?\s*[.。]?"
)


@dataclass(frozen=True, slots=True)
class Score:
    """What the judge says of one criterion. `value` is 1 to 5; None where the judgement failed, and `failure` says why."""

    value: float | None
    reason: str = ""
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """The scores of one answer, and the model that gave them."""

    faithfulness: Score
    relevance: Score
    context_precision: Score
    model: str = ""

    @property
    def failures(self) -> int:
        """How many of the three failed."""
        return sum(getattr(self, name).value is None for name in CRITERIA)

    @classmethod
    def failed(cls, why: str, model: str = "") -> Judgement:
        """Return a judgement of which nothing came."""
        failed = Score(None, failure=why)
        return cls(failed, failed, failed, model)

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Judgement:
        """Return the judgement of which `as_plain` made this. Raises KeyError or TypeError for anything else."""
        one, two, three = (Score(**plain[name]) for name in CRITERIA)
        return cls(one, two, three, str(plain.get("model", "")))


def read(reply: str, model: str = "") -> Judgement:
    """Return the scores in a model's reply, as far as they can be read for certain; of several objects the last one counts."""
    found = [scores for one in objects(reply) if (scores := _scores_in(one))]
    scores = found[-1] if found else _as_list(objects(reply))
    if not scores:
        why = (
            say("the reply is empty", "回复为空")
            if not reply.strip()
            else say("the reply holds no scores as JSON", "回复中没有 JSON 形式的分数")
        )
        return Judgement.failed(why, model)
    missing = Score(None, failure=say("the reply leaves it out", "回复中缺少这一项"))
    one, two, three = (scores.get(name, missing) for name in CRITERIA)
    return Judgement(one, two, three, model)


def _as_list(found: Sequence[Mapping[str, Any]]) -> dict[str, Score]:
    """Return scores that were written as a list: one object each, with the name of its criterion."""
    scores: dict[str, Score] = {}
    for one in found:
        label = next((value for key, value in one.items() if _plain(key) in _LABELS and isinstance(value, str)), "")
        if name := _criterion(label):
            scores[name] = _score_of(one)
    return scores


def _scores_in(given: Mapping[str, Any], depth: int = 0) -> dict[str, Score]:
    """Return the scores of an object: by name, or one level further in (`{"scores": {...}}`)."""
    common = _text_in(given)
    scores = {name: _score_of(value, common) for key, value in given.items() if (name := _criterion(key))}
    if scores or depth > 1:
        return scores
    for value in given.values():
        inner: dict[str, Score] = {}
        if isinstance(value, dict):
            inner = _scores_in(value, depth + 1)
        elif isinstance(value, list):
            inner = _as_list([one for one in value if isinstance(one, dict)])
        if inner:
            return inner
    return {}


def _criterion(name: str) -> str | None:
    plain = _plain(name)
    return _known.get(plain) or _known.get(re.sub(r"(?:score|rating|分数|得分|评分)$", "", plain))


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", fold(str(name)))


def _score_of(given: Any, common: str = "") -> Score:
    if isinstance(given, dict):
        values = [value for key, value in given.items() if _plain(key) in _SCORES]
        reason = _text_in(given)
        if len(values) != 1:
            return Score(
                None,
                reason,
                say("it has no score", "没有分数") if not values else say("it has several scores", "有多个分数"),
            )
        return _checked(values[0], reason)
    return _checked(given, common)


def _text_in(given: Mapping[str, Any]) -> str:
    found = next((value for key, value in given.items() if _plain(key) in _REASONS and isinstance(value, str)), "")
    return " ".join(found.split())[:LONGEST_REASON]


def _checked(given: Any, reason: str) -> Score:
    """Return the score if it is certainly one on the scale: 4, 4.5, "4", "4/5", "four", 四分; not "4-5", 8 or true."""
    value = _number(given)
    if value is None:
        shown_as = " ".join(str(given).split())[:40]
        return Score(None, reason, say("{value!r} is no score", "{value!r} 不是分数", value=shown_as))
    if not LOWEST <= value <= HIGHEST:
        return Score(
            None, reason, say("{value:g} is not on the scale from 1 to 5", "{value:g} 不在 1 到 5 之间", value=value)
        )
    return Score(value, reason)


def _number(given: Any) -> float | None:
    if isinstance(given, bool) or given is None:
        return None
    if isinstance(given, (int, float)):
        return float(given) if abs(given) < 1e9 else None
    found = _score.fullmatch(fold(str(given)).strip()) if isinstance(given, str) and len(given) < 40 else None
    if found is None or (found["of"] and int(found["of"][:6]) != HIGHEST):
        return None
    word = found["value"]
    if word in _WORDS:
        return float(_WORDS[word])
    return float(word) if re.fullmatch(r"[+-]?[\d.]+", word) else None
