"""Make a follow-up question stand alone, by rules: 那挡风玻璃呢 after 轮胎更换多少钱 asks 挡风玻璃更换多少钱.

Only questions that show that they lean on the one before are changed, so that a new subject is never dragged to the old one. Where no
rule fits, the question is searched as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from yinju.protocols import Message
from yinju.text.words import FILLERS, terms

_LONGEST = 500  # characters; such a question stands alone
_CHINESE_ELLIPSIS = re.compile(
    r"^(?:那么?)?\s*[，,]?\s*(?P<condition>如果是?|要是|假如是?)?(?:换成|至于|关于)?\s*[，,]?\s*(?P<topic>[^，。？?]{1,24}?)\s*(?:的话)?\s*呢\s*[?？]?\s*$"
)
_ENGLISH_ELLIPSIS = re.compile(
    r"^(?:and|but|so|ok(?:ay)?)?[,\s]*(?:what about|how about|and for|and)\s+(?P<topic>[^?.]{1,60}?)\s*[?.]?\s*$",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"还有|其他的?|别的|另外|然后|接着|接下来|剩下的?|(?:anything |something |what )?(?:else|more)", re.IGNORECASE
)
_ENGLISH_CONDITION = re.compile(r"(?:on|in|at|with|without|during|after|before|if|when|from|by)\b", re.IGNORECASE)
_CHINESE_PRONOUN = re.compile(
    r"^(?:那|那么|而)?[，,]?\s*(?P<pronoun>它们|他们|她们|它|他|她|这个|那个|此|该(?!怎|如何|不该))(?P<of>的)?|(?<=[，,。；])(?P<later>它们|它|这个|那个)(?!月|星期|周|人)"
)
_ENGLISH_PRONOUN = re.compile(r"\b(?:it|its|they|them|their|this one|that one|those|these)\b", re.IGNORECASE)
_ENGLISH_TOPIC = re.compile(
    r"\b(?:a|an|the|my|your|our|this|that|any)\s+(?P<topic>[\w-]+(?:\s+(?!(?:cost|work|take|last|include|support|have|get|need|mean|come|do|go|cover|"
    r"is|are|was|were|in|on|at|for|of|to|with|from|by|per|after|before|when|if|and|or)\b)[\w-]+){0,3})",
    re.IGNORECASE,
)
_NAME = re.compile(r"[“「『《\"]([^”」』》\"]{2,30})[”」』》\"]|\b([A-Z][\w-]*(?:\s+[A-Z0-9][\w-]*)*)\b")
_no_names = (
    "how what when where who which why is are do does did can could will would should may i the a an and it tell please"
)
_NOT_NAMES = frozenset(_no_names.split())


def standalone(question: str, history: Sequence[Message] = ()) -> str:
    """Return the question as it should be searched, given the earlier turns (oldest first)."""
    before = next(
        (turn.content.strip() for turn in reversed(history) if turn.role == "user" and turn.content.strip()), ""
    )
    asked = question.strip()
    if not before or not asked or max(len(before), len(asked)) > _LONGEST:
        return question
    ellipsis = _CHINESE_ELLIPSIS.match(asked) or _ENGLISH_ELLIPSIS.match(asked)
    if ellipsis:
        topic = re.sub(r"^(?:那|那么|the other)\s*", "", ellipsis["topic"]).strip()
        if _MORE.fullmatch(topic):  # the same subject, more of it
            return before
        if ellipsis.groupdict().get("condition"):
            return f"{topic}，{before}"
        if _ENGLISH_CONDITION.match(topic):
            return f"{before.rstrip('?？. ')} {topic}?"
        return _with_topic(before, topic) or question
    return _with_name(asked, before) or question


def _with_topic(before: str, topic: str) -> str | None:
    """Return the last question about another topic."""
    old = subject(before)
    if not topic or not old:
        return None
    if topic.lower() in before.lower():
        return before
    place = before.find(old)
    head = re.sub(r"\b(?:a|an|the|my|your|our|this|that|any)\s+$", "", before[:place], flags=re.IGNORECASE)
    return head + topic + before[place + len(old) :]


def _with_name(asked: str, before: str) -> str | None:
    """Return the question with its pronoun replaced by what the last question was about."""
    old = subject(before)
    if not old or old in asked:
        return None
    match = _CHINESE_PRONOUN.search(asked)
    if match:
        start, end = match.span("later") if match["later"] else match.span("pronoun")
        return asked[:start] + old + asked[end:]
    if not re.search(r"[\u4e00-\u9fff]", asked) and (english := _ENGLISH_PRONOUN.search(asked)):
        owner = "'s" if english.group().lower() in ("its", "their") else ""
        return asked[: english.start()] + old + owner + asked[english.end() :]
    return None


def subject(question: str) -> str | None:
    """Return what a question is about, in its own words: a quoted or Latin name, the noun behind its article, its first content words."""
    for match in _NAME.finditer(question):
        name = match[1] or match[2]
        if name and name.lower().split()[0] not in _NOT_NAMES:
            return name
    if re.search(r"[\u4e00-\u9fff]", question):
        return _first_words(question)
    topic = _ENGLISH_TOPIC.search(question)
    return topic["topic"].strip() if topic else None


def _first_words(question: str) -> str | None:
    """The first content word of a Chinese question, with its neighbour where both are joined by 的."""
    start = 0
    for word in terms(question).words:
        place = question.lower().find(word, start)
        if place < 0:
            continue
        if word in FILLERS or len(word) < 2:
            start = place + len(word)
            continue
        longest = max(
            (w for w in terms(question).words if question.lower().startswith(w, place)), key=len, default=word
        )
        end = place + len(longest)
        joined = re.match(r"的[\u4e00-\u9fff]{2}", question[end:])
        following = next((w for w in terms(question[end + 1 :]).words if len(w) > 1), "") if joined else ""
        return (
            question[place : end + 1 + len(following)]
            if following and following not in FILLERS
            else question[place:end]
        )
    return None
