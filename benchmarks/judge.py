"""Twenty fixed replies of a judge, good and broken JSON, in both languages: `python -m benchmarks.judge`.

A scripted model gives each reply (where it takes two, the second after the first could not be read); counted is for how many of the 60 scores
the value is the one that a person reads in the reply, or no value where a person reads none. A wrong value is worse than none and is
listed apart. Nothing is loaded and nothing leaves the machine.
"""
# ruff: noqa: E501  the replies stand as a model would send them

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from yinju.errors import ModelError
from yinju.evaluate import Judge, Judgement
from yinju.evaluate.scores import CRITERIA
from yinju.protocols import ChatPart
from yinju.testing import ScriptedChatModel

Wanted = tuple[float | None, float | None, float | None]


@dataclass(frozen=True, slots=True)
class Fixed:
    """A question with what the judge replies, one text for each attempt, and the scores that a person reads in it."""

    name: str
    question: str
    replies: tuple[str | BaseException | Sequence[ChatPart], ...]
    wanted: Wanted


EN, ZH = "How much is the yearly plan?", "年费多少钱？"
ANSWERS = {EN: "The yearly plan costs 168 yuan [1].", ZH: "年费方案每年 168 元 [1]。"}
PASSAGES = {
    EN: ("Yearly plan: 168 yuan a year.", "Refunds take five days."),
    ZH: ("年费方案每年 168 元。", "退款需要五天。"),
}

CASES = (
    Fixed(
        "plain JSON", EN,
        ('{"faithfulness": {"reason": "stated", "score": 5}, "relevance": {"reason": "direct", "score": 4}, "context_precision": {"reason": "half", "score": 3}}',),
        (5, 4, 3),
    ),
    Fixed(
        "plain JSON, zh", ZH,
        ('{"faithfulness": {"reason": "有据", "score": 5}, "relevance": {"reason": "切题", "score": 5}, "context_precision": {"reason": "一半", "score": 3}}',),
        (5, 5, 3),
    ),
    Fixed(
        "fence and commas at the end", EN,
        ('Here you are:\n```json\n{"faithfulness": {"reason": "a", "score": 2,}, "relevance": {"reason": "b", "score": 3,},\n'
         '"context_precision": {"reason": "c", "score": 1,},}\n```\nTell me if you need more.',),
        (2, 3, 1),
    ),
    Fixed(
        "single quotes, an apostrophe inside", EN,
        ("{'faithfulness': {'reason': 'it's all there', 'score': 5}, 'relevance': {'reason': 'ok', 'score': 4}, 'context_precision': {'reason': 'ok', 'score': 4}}",),
        (5, 4, 4),
    ),
    Fixed(
        "full-width punctuation and Chinese names", ZH,
        ("｛“忠实”：｛“理由”：“句句有据”，“分数”：５｝，“切题”：｛“理由”：“完整”，“分数”：４｝，“资料精度”：｛“理由”：“一半”，“分数”：３｝｝",),
        (5, 4, 3),
    ),
    Fixed(
        "numbers as words", EN,
        ('{"faithfulness": {"reason": "x", "score": "four"}, "relevance": {"reason": "x", "score": "Five"}, "context_precision": {"reason": "x", "score": "3/5"}}',),
        (4, 5, 3),
    ),
    Fixed(
        "numbers as words, zh", ZH,
        ('{"faithfulness": {"reason": "有据", "score": "四分"}, "relevance": {"reason": "切题", "score": "五"}, "context_precision": {"reason": "一半", "score": "3 分"}}',),
        (4, 5, 3),
    ),
    Fixed(
        "quotation marks inside a reason", EN,
        ('{"faithfulness": {"reason": "it says "168 yuan", as passage 1", "score": 5}, "relevance": {"reason": "y", "score": 5}, "context_precision": {"reason": "z", "score": 2}}',),
        (5, 5, 2),
    ),
    Fixed(
        "thinking aloud with a draft", EN,
        ('<think>perhaps {"faithfulness": 1, "relevance": 1, "context_precision": 1}?</think>{"faithfulness": 4, "relevance": 4, "context_precision": 4, "reason": "fine"}',),
        (4, 4, 4),
    ),
    Fixed(
        "a draft before the verdict, zh", ZH,
        ('先看格式 {"faithfulness": {"reason": "…", "score": 整数}}。结论：{"faithfulness": 3, "relevance": 4, "context_precision": 5}',),
        (3, 4, 5),
    ),
    Fixed(
        "a list", EN,
        ('[{"name": "Faithfulness", "score": 5, "reason": "a"}, {"name": "Answer relevance", "score": 4, "reason": "b"}, {"name": "Context precision", "score": 2, "reason": "c"}]',),
        (5, 4, 2),
    ),
    Fixed("no JSON at all, twice", EN, ("I would give it a four.", "As I said: four!"), (None, None, None)),
    Fixed(
        "no JSON, then JSON, zh", ZH,
        ("我认为这个回答很好，可以打五分。", '{"faithfulness": 5, "relevance": 5, "context_precision": 4}'),
        (5, 5, 4),
    ),
    Fixed(
        "off the scale", EN,
        ('{"faithfulness": {"reason": "a", "score": 9}, "relevance": {"reason": "b", "score": 0}, "context_precision": {"reason": "c", "score": -1}}',),
        (None, None, None),
    ),
    Fixed(
        "another scale, a range, a boolean", EN,
        ('{"faithfulness": {"reason": "a", "score": "8/10"}, "relevance": {"reason": "b", "score": "3-4"}, "context_precision": {"reason": "c", "score": true}}',),
        (None, None, None),
    ),
    Fixed(
        "cut off in the middle of a reason", EN,
        ('{"faithfulness": {"reason": "supported", "score": 5}, "relevance": {"reason": "direct", "score": 4}, "context_precision": {"reason": "the second pass',),
        (5, 4, None),
    ),
    Fixed("cut off in the middle of a number", ZH, ('{"faithfulness": 5, "relevance": 4, "context_precision": 4',), (5, 4, None)),
    Fixed("one is left out", EN, ('{"faithfulness": {"reason": "a", "score": 5}, "relevance": {"reason": "b", "score": 5}}',), (5, 5, None)),
    Fixed("the endpoint fails", ZH, (ModelError("无法连接", code="llm-unreachable"),), (None, None, None)),
    Fixed("nothing is said", EN, ((ChatPart(finish_reason="stop"),),), (None, None, None)),
)  # fmt: skip


def judged(case: Fixed) -> Judgement:
    """Return what comes of a case."""
    judge = Judge(ScriptedChatModel(*case.replies))
    return judge(case.question, ANSWERS[case.question], PASSAGES[case.question])


def values(judgement: Judgement) -> Wanted:
    one, two, three = (getattr(judgement, name).value for name in CRITERIA)
    return one, two, three


def main() -> int:
    right = wrong = lost = silent = 0
    for case in CASES:
        found = judged(case)
        for name, value, wanted in zip(CRITERIA, values(found), case.wanted, strict=True):
            right += value == wanted
            wrong += value is not None and value != wanted
            lost += value is None and wanted is not None
            silent += value is None and not getattr(found, name).failure
            if value != wanted:
                print(f"{case.name}, {name}: {value}, wanted {wanted}")
    total = len(CASES) * len(CRITERIA)
    print(
        f"{len(CASES)} replies: {right} of {total} scores as a person reads them, {wrong} wrong, {lost} lost, {silent} failed without a reason"
    )
    return 0 if right == total and not silent else 1


if __name__ == "__main__":
    raise SystemExit(main())
