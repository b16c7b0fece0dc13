"""The last question asked of another topic: 那挡风玻璃呢, `and 403?`, `and for meals per day?`. Only what the topic stands for is exchanged."""

from __future__ import annotations

import re

from yinju.answer.subject import codes, content_words, has_han, subject

# What is measured of a thing: the hotel limit is the limit for hotels.
_MEASURES = (
    r"limit|price|cost|fee|rate|allowance|budget|cap|(?:maximum|minimum)(?=\s*(?:$|(?:per|for|of|on|in|a|each|every)\b))|deadline|period|size"
    r"|weight|quota|discount|premium|deductible|salary|charge|tax|amount|number"
)
_MEASURED = re.compile(
    rf"(?P<head>.*?\b(?:the|a|an|my|your|our)\s+)(?P<kind>(?:[\w-]+\s+){{0,2}}?)(?P<measure>(?:{_MEASURES})s?)\b(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_MEASURE = re.compile(rf"\b(?:{_MEASURES})s?\b", re.IGNORECASE)
# Of these the word before them says for what they are: the hotel limit, but not the notice period.
_FOR_A_THING = re.compile(
    r"(?:limit|price|cost|fee|rate|allowance|budget|cap|quota|discount|charge|tax)s?", re.IGNORECASE
)
# `does a change cost`: no cost of a change, but what it does
_DONE = re.compile(r"\b(?:does|do|did|will|would|can|could|should|might)\b", re.IGNORECASE)
_DOES = re.compile(r"cost|charge|rate|limit|cap|weigh", re.IGNORECASE)
_COUNT = re.compile(r"(?:number|amount)s?", re.IGNORECASE)
_NO_KIND = re.compile(
    r"(?:maximum|minimum|total|unit|average|normal|standard|usual|daily|weekly|monthly|annual|yearly|current|full|basic)\s+$",
    re.I,
)
_OF = re.compile(
    r"(?P<by>\b(?:for|of|on)\s+)(?P<of>(?:(?:the|a|an|my|your|our)\s+)?[\w.'-]+"
    r"(?:\s+(?!(?:per|in|at|on|for|of|during|with|without|from|by|if|when|is|are|to|each|every|a)\b)[\w.'-]+){0,3})",
    re.IGNORECASE,
)
_FOR = re.compile(_OF.pattern.replace("for|of|on", "for"), re.IGNORECASE)
# How often or for how many: of two such the one of the topic counts.
_PER = re.compile(
    r"\s*\b(?:per\s+\w+|(?:a|each|every)\s+(?:night|day|week|month|quarter|year|hour|minute|person|user|trip))\b"
    r"|每一?(?:小时|星期|季度|个月|天|日|晚|周|月|年|次|人|位|个)的?",
    re.IGNORECASE,
)
_ENGLISH_FOR = re.compile(r"for\s+", re.IGNORECASE)


def about(before: str, topic: str, *, for_it: bool = False) -> str:
    """Return the last question about another topic; both beside each other where one cannot stand in the other's place.

    `for_it`: the topic was named as that for which it is asked (`and for meals?`).
    """
    for_it, topic = for_it or bool(_ENGLISH_FOR.match(topic)), _ENGLISH_FOR.sub("", topic, count=1)
    if not topic or topic.lower() in before.lower():
        return before
    if exchanged := with_code(before, topic):
        return exchanged
    if _PER.fullmatch(topic):
        return _how_often(before, topic)
    if _PER.search(topic):
        before = _PER.sub("", before)
    if not has_han(topic) and not has_han(before) and (asked := _measured(before, topic, for_it)):
        return asked
    old = subject(before)
    if not old or has_han(old) != has_han(topic) or not content_words(before.replace(old, " ", 1), frozenset()):
        return f"{before} {topic}"
    place = before.find(old)
    head = re.sub(r"\b(?:a|an|the|my|your|our|this|that|any)\s+$", "", before[:place], flags=re.IGNORECASE)
    return head + topic + before[place + len(old) :]


def _how_often(before: str, topic: str) -> str:
    """Return the last question for another period: `How much is it per year?`."""
    if found := _PER.search(before):
        blank = " " if found.group()[0].isspace() else ""
        return before[: found.start()] + blank + topic + before[found.end() :]
    return f"{before.rstrip('?？. ')} {topic}?"


def _measured(before: str, topic: str, for_it: bool) -> str | None:
    """Return the question about what is measured of another thing, or asked for another one: `the limit for meals`."""
    end = before.rstrip("?？. ")
    found = _MEASURED.match(end)
    if found and _DONE.search(found["head"]) and _DOES.fullmatch(found["measure"]):
        found = None
    if found and not _MEASURE.search(topic):
        of = _OF.match(found["rest"].lstrip())
        if of and for_it and _COUNT.fullmatch(found["measure"]):
            return f"{end} for {topic}?"
        if of:
            rest = found["rest"].lstrip()[of.end() :]
            return f"{found['head']}{found['kind']}{found['measure']} {of['by']}{topic}{rest}?"
        keeps = _NO_KIND.search(found["kind"]) or not _FOR_A_THING.fullmatch(found["measure"])
        kind = found["kind"] if keeps else ""
        return f"{found['head']}{kind}{found['measure']} for {topic}{found['rest']}?"
    if not for_it or _same_head(subject(before), topic):
        return None
    others = list(_FOR.finditer(end))
    if others:
        return f"{end[: others[-1].start('of')]}{topic}{end[others[-1].end() :]}?"
    return f"{end} for {topic}?"


def _same_head(old: str | None, topic: str) -> bool:
    """True for the annual plan and the family plan: one stands in the other's place."""
    return old is not None and old.lower().split()[-1] == topic.lower().split()[-1]


def with_code(before: str, topic: str) -> str | None:
    """Return the last question with its code or number exchanged for one of the same make: E-4031 for E-4013, 401 for 403."""
    new = codes(topic)
    if len(new) != 1:
        return None
    front, _, unit = topic.strip().partition(new[0])
    same = [code for code in codes(before) if _make(code) == _make(new[0]) and f"{front}{code}{unit}" in before]
    return before.replace(f"{front}{same[0]}{unit}", topic.strip(), 1) if len(same) == 1 else None


def _make(code: str) -> str:
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d[\d.]*", "0", code))
