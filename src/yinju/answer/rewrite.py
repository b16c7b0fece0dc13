"""Make a follow-up question stand alone, by rules: 那挡风玻璃呢 after 轮胎更换多少钱 asks 挡风玻璃更换多少钱.

Only questions that show that they lean on the one before are changed, so that a new subject is never dragged to the old one. Where no
rule fits, the question is searched as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from yinju.protocols import Message
from yinju.text.words import FILLERS, terms

_TURNS = 3  # earlier questions that a follow-up may lean on, one on the other
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
_no_topic = frozenset(("long", "much", "many", "often", "take", "last", "cost", "need", "work", "happen", "mean"))
_ENGLISH_QUESTION = re.compile(
    r"(?:how|what|when|where|who|whom|whose|which|why|is|are|was|were|do|does|did|can|could|will|would|should|must|may|has|have)\b(?!\s+about\b)",
    re.IGNORECASE,
)
_AND = re.compile(r"(?:and|but|so|ok(?:ay)?)\b[,\s]*(?P<rest>.+)$", re.IGNORECASE | re.DOTALL)
_OWN_SUBJECT = re.compile(
    r"(?:\w+\s+){0,2}(?:is|are|was|were|do|does|did|can|could|will|would|should)\s+(?:the|a|an|your|our)\s",
    re.IGNORECASE,
)
_NOT_NAMES = frozenset(_no_names.split())


def standalone(question: str, history: Sequence[Message] = ()) -> str:
    """Return the question as it should be searched, given the earlier turns (oldest first). No content word of it is lost."""
    turns = [turn.content.strip() for turn in history if turn.role == "user" and turn.content.strip()][-_TURNS:]
    before = ""
    for turn in turns:
        before = _after(turn, before)
    return _after(question, before)


def _after(question: str, before: str) -> str:
    asked = question.strip()
    if not before or not asked or max(len(before), len(asked)) > _LONGEST:
        return question
    ellipsis = _CHINESE_ELLIPSIS.match(asked) or _ENGLISH_ELLIPSIS.match(asked)
    if ellipsis and not _ENGLISH_QUESTION.match(ellipsis["topic"]):
        topic = re.sub(r"^(?:那|那么|the other)\s*", "", ellipsis["topic"]).strip()
        if _MORE.fullmatch(topic):  # the same subject, more of it
            return before
        if ellipsis.groupdict().get("condition"):
            return f"{topic}，{before}"
        if _ENGLISH_CONDITION.match(topic):
            return f"{before.rstrip('?？. ')} {topic}?"
        return _with_topic(before, topic)
    return _with_name(asked, before) or _leaning(asked, before) or question


def _with_topic(before: str, topic: str) -> str:
    """Return the last question about another topic; both beside each other where one cannot stand in the other's place."""
    old = subject(before)
    if not topic or topic.lower() in before.lower():
        return before
    if not old or _has_han(old) != _has_han(topic) or not content_words(before.replace(old, " ", 1), frozenset()):
        return f"{before} {topic}"
    place = before.find(old)
    head = re.sub(r"\b(?:a|an|the|my|your|our|this|that|any)\s+$", "", before[:place], flags=re.IGNORECASE)
    return head + topic + before[place + len(old) :]


def _leaning(asked: str, before: str) -> str | None:
    """Return the question behind the topic of the last one, where it shows that it goes on from there: `And how long before …`, `it`."""
    found = _AND.match(asked)
    pronoun = not _has_han(asked) and _ENGLISH_PRONOUN.search(asked)
    if not pronoun and (not found or _OWN_SUBJECT.match(found["rest"]) or not _ENGLISH_QUESTION.match(found["rest"])):
        return None
    topic = subject(before) or " ".join(content_words(before))
    rest = found["rest"] if found else asked
    return f"{topic}: {rest}" if topic and topic.lower() not in asked.lower() else None


def content_words(text: str, generic: frozenset[str] = _no_topic) -> list[str]:
    """Return the words of a text, as it spells them, that say what it is about; generic ones are left out."""
    return [
        word
        for word in re.findall(r"[\u3400-\u9fff]+|[^\W\u3400-\u9fff]+(?:[-'’.][^\W\u3400-\u9fff]+)*", text)
        if word.lower() not in generic and any(term not in FILLERS for term in terms(word).words)
    ]


def _has_han(text: str) -> bool:
    return bool(re.search(r"[\u4e00-\u9fff]", text))


def _with_name(asked: str, before: str) -> str | None:
    """Return the question with its pronoun replaced by what the last question was about."""
    old = subject(before)
    if not old or old in asked:
        return None
    asked = re.sub(r"^(?:and|but|so)\b[,\s]+(?=\w+)", "", asked, flags=re.IGNORECASE)
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
    if _has_han(question) and not _ENGLISH_QUESTION.match(question):
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
