"""What a pronoun of a follow-up stands for: the last thing named before it. A person is no `it`, and a step or a place in a list no subject."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from yinju.answer.subject import subjects

_PERSON = re.compile(
    r"(?:.*\s)?(?:ceo|cto|cfo|coo|cmo|cio|president|chair(?:man|woman|person)?|director|manager|founder|author|employee|owner|boss|head|leader|engineer"
    r"|teacher|doctor|lawyer|customer|user|member|person|people|colleague|secretary|minister|who)s?"
    r"|.*(?:首席.{1,3}官|总裁|总经理|经理|董事长?|主任|主管|老板|负责人|创始人|作者|员工|同事|总监|校长|院长|老师|医生|律师|客户|用户|秘书|部长)",
    re.IGNORECASE,
)
_WHO = re.compile(r"^who(?:'s| is| was| are| were)\s+", re.IGNORECASE)
_WHO_ZH = re.compile(r"(?P<who>[^？?，。]{1,30}?)\s*是谁|谁是\s*(?P<whom>[^？?，。]{1,30})")
_STEP = re.compile(
    r"第\s*[一二三四五六七八九十\d]+\s*[步个项条种章节]骤?.*|[上下前后]一?[步个项]|(?:(?:first|second|third|fourth|fifth|last|next|previous) )?"
    r"(?:step|one|item|entry|example|question|answer|way|time|documents?|first|second|third|last|next)s?",
    re.IGNORECASE,
)
_PERSONAL = frozenset(("he", "him", "his", "she", "her", "他", "她"))
_MANY = frozenset(("they", "them", "their", "他们", "她们", "它们", "those", "these", "这些", "那些"))


def stands_for(pronoun: str, before: Sequence[str]) -> str | None:
    """Return what a pronoun stands for after these questions, oldest first."""
    said = pronoun.lower()
    if said in _PERSONAL and (found := _WHO_ZH.match(before[-1])):
        return (found["who"] or found["whom"]).strip()
    if said in _PERSONAL and (person := _last(before, _is_person)):
        return person
    if said in _PERSONAL or said in _MANY:
        return _last(before, lambda name, _: not _STEP.fullmatch(name))
    return thing(before)


def thing(before: Sequence[str]) -> str | None:
    """Return the last thing that these questions name, oldest first: no person, no step."""
    return _last(before, lambda name, question: not _is_person(name, question) and not _STEP.fullmatch(name))


def _last(before: Sequence[str], fits: Callable[[str, str], bool]) -> str | None:
    return next((name for question in reversed(before) for name in subjects(question) if fits(name, question)), None)


def _is_person(name: str, question: str) -> bool:
    if _PERSON.fullmatch(name):
        return True
    place = question.find(name)
    if found := _WHO_ZH.match(question):  # of GitLab 的 CEO 是谁 the CEO is the person
        return place > question.rfind("的", 0, found.end())
    opened = _WHO.match(question)
    return opened is not None and opened.end() == place
