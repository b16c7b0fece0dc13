"""A question for a step of the last answer: 第二步做什么, `what is step 2?`. The answer told the steps, so the step's own words are searched."""

from __future__ import annotations

import re

from yinju.answer.markers import MARKER

_HAN_NUMBERS = "一二三四五六七八九十"
_ENGLISH_NUMBERS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_COUNTED = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_LONGEST = 200  # characters of a step that are searched
# The step, and around it nothing but what asks for it.
_ASKED_ZH = re.compile(
    rf"(?:那么?|请问|具体|我|在)*第\s*(?P<number>[{_HAN_NUMBERS}]|\d{{1,2}})\s*步骤?"
    r"(?:的|我|具体|应该|应|该|需要|需|要|是|做|干|怎么|怎样|如何|什么|些|哪些|内容|操作|进行|完成|呢|吗|啊|嘛|[\s，,：:])*[?？。]?"
)
_ASKED_EN = re.compile(
    r"(?:(?:and|so|then|ok|what|which|how|about|is|does|do|happens|should|must|i|we|you|in|at|with|the|explain|describe)[\s,]+)*"
    rf"(?:(?P<nth>{'|'.join(_ENGLISH_NUMBERS)}|\d{{1,2}}(?:st|nd|rd|th)) step|step (?P<number>\d{{1,2}}|{'|'.join(_COUNTED)}))"
    r"(?:\s+(?:about|is|do|does|say|mean|involve|in|detail|exactly|i|we|need|to))*\s*[?.]?",
    re.IGNORECASE,
)
# A step of a list, in a list over several files behind the name of its file.
_STEP = re.compile(
    rf"[ \t]*(?:[-*•][ \t]*(?:[^:：\n]{{1,150}}[:：][ \t]*)?)?"
    rf"(?:第(?P<han>[{_HAN_NUMBERS}]|\d{{1,2}})步|(?:Step|步骤)[ \t]*(?P<word>\d{{1,2}}|[{_HAN_NUMBERS}])"
    r"|(?P<number>\d{1,2})[.、)）])"
    r"[ \t]*[:：，,.、]?[ \t]*(?P<text>\S.*)",
    re.IGNORECASE,
)


def step_asked(asked: str) -> int | None:
    """Return the number of the step that a question asks for and says nothing else of, or None."""
    if len(asked) > 60:
        return None
    if found := _ASKED_ZH.fullmatch(asked):
        return _number(found["number"])
    if found := _ASKED_EN.fullmatch(asked):
        return _number((found["nth"] or found["number"]).lower())
    return None


def step_told(number: int, answer: str) -> str | None:
    """Return what an answer says of its step of this number, or None where it tells no such step."""
    for line in answer.splitlines():
        found = _STEP.match(line)
        if found and _number(found["han"] or found["word"] or found["number"]) == number:
            return MARKER.sub("", found["text"]).strip()[:_LONGEST]
    return None


def _number(said: str) -> int:
    if said in _HAN_NUMBERS:
        return _HAN_NUMBERS.index(said) + 1
    for names in (_ENGLISH_NUMBERS, _COUNTED):
        if said in names:
            return names.index(said) + 1
    return int(re.sub(r"\D", "", said))
