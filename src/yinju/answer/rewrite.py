"""Make a follow-up question stand alone, by rules: 那挡风玻璃呢 after 轮胎更换多少钱 asks 挡风玻璃更换多少钱.

Only questions that show that they lean on the one before are changed, so that a new subject is never dragged to the old one. Where no
rule fits, the question is searched as it is: many follow-ups show nothing (`Is labour included?`). Either way it is searched once more, in
its own words behind those of the question before (see `Reading`), in case the rule was wrong or there was none. No number, code or name of
a question is ever lost.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from yinju.answer.alone import names_its_own_subject
from yinju.answer.small_talk import is_small_talk
from yinju.answer.steps import step_asked, step_told
from yinju.answer.subject import ENGLISH_QUESTION, content_words, has_han, kept, subject
from yinju.answer.things import stands_for, thing
from yinju.answer.topics import about, with_code
from yinju.protocols import Message

Rewrite = Literal["model", "rules", "off"]
REWRITES: tuple[Rewrite, ...] = ("model", "rules", "off")
__all__ = ["REWRITES", "Reading", "Rewrite", "asked_before", "content_words", "read", "standalone", "subject"]

_TURNS = 3  # earlier questions that a follow-up may lean on, one on the other
_LONGEST = 500  # characters; such a question stands alone
_SHORT = 80  # characters of a request to say it again
_CHINESE_ELLIPSIS = re.compile(
    r"^(?:那么?)?\s*[，,]?\s*(?P<condition>如果是?|要是|假如是?)?(?:换成|至于|关于)?\s*[，,]?\s*(?P<topic>[^，。？?]{1,24}?)\s*(?:的话)?\s*呢\s*[?？]?\s*$"
)
_CHINESE_BARE = re.compile(r"^(?P<topic>[^，。？?！!吗呢吧么怎什哪几多谁何是有能会可要该\s]{1,8})\s*[?？]\s*$")
_ENGLISH_ELLIPSIS = re.compile(
    r"^(?:and|but|so|ok(?:ay)?)?[,\s]*(?:what about|how about|and)\s+(?P<for>for\s+)?(?P<topic>(?:[^?.]|\.(?=\w)){1,60}?)\s*[?.]?\s*$",
    re.IGNORECASE,
)
_ENGLISH_BARE = re.compile(
    r"^(?P<topic>(?:(?:a|an|the|my|for|in|on|with)\s+)?[\w.-]+(?:\s+[\w.-]+)?)\s*\?\s*$", re.IGNORECASE
)
_ENGLISH_IF = re.compile(
    r"^(?:and|but|so)?[,\s]*what\s+(?P<condition>(?:if|when)\s[^?]{1,200}?)\s*[?.]?\s*$", re.IGNORECASE
)
_MORE = re.compile(
    r"还有|其他的?|别的|另外|然后|接着|接下来|剩下的?|(?:anything |something |what )?(?:else|more)", re.IGNORECASE
)
# A place in a list of which the last question asked: only the passages behind it can say what stands there.
_PLACE = re.compile(
    r"(?:下|上|前|后|另|最后|倒数)一?(?:个|项|种|条|级|层|行|类|款|步|位)|(?:第[一二三四五六七八九十两]+|后面|前面|上面|下面|其余)的?(?:那|这)?(?:个|项|种|条|级|层|行|类|款|步|位)?的?"
    r"|(?:for )?(?:the )?(?:next|following|previous|last|first|second|third|fourth|fifth|other|one|ones|level|item|type|category|row|entry|step)s?"
    r"(?: (?:one|ones|level|item|type|category|row|entry|step|listed|up|down|above|below|before|after|that|this|it|the|in|list)s?)*",
    re.IGNORECASE,
)
_FORWARD = re.compile(r"下|(?<!最)后|\b(?:next|following|after|below|down)\b", re.IGNORECASE)
_BACK = re.compile(r"上|前|\b(?:previous|above|before|up)\b", re.IGNORECASE)
_PRONOUN = re.compile(
    r"(?:它|他|她|这|那|此)(?:们|个|些|样|种)?|前者|后者|it|this|that|them|they|these|those|the former|the latter",
    re.IGNORECASE,
)
_NO_TOPICS = (_MORE, _PLACE, _PRONOUN)
_ENGLISH_CONDITION = re.compile(r"(?:for|on|in|at|with|without|during|after|before|if|when|from|by)\b", re.IGNORECASE)
_CHINESE_PRONOUN = re.compile(
    r"^(?:那|那么|而)?[，,]?\s*(?P<pronoun>它们|他们|她们|它|他|她|这个|那个|这些|那些|此|该(?!怎|如何|不该))(?P<of>的)?|(?<=[，,。；])(?P<later>它们|它|这个|那个)(?!月|星期|周|人)"
)
_ENGLISH_PRONOUN = re.compile(
    r"\b(?:it|its|they|them|their|he|him|his|she|her|this one|that one|those|these)\b", re.IGNORECASE
)
_ENGLISH_LEANING = re.compile(
    r"\b(?:it|its|they|them|their|he|him|his|she|her|this one|that one|those|these)\b"
    r"|\b(?:this|that)(?=\s*[?.]?\s*$|\s+(?:is|was|on|in|for|work|mean)\b)",
    re.IGNORECASE,
)
_AND = re.compile(r"(?:and|but|so|ok(?:ay)?)\b[,\s]*(?P<rest>.+)$", re.IGNORECASE | re.DOTALL)
_OWN_SUBJECT = re.compile(
    r"(?:\w+\s+){0,2}(?:is|are|was|were|do|does|did|can|could|will|would|should)\s+(?:the|a|an|your|our)\s",
    re.IGNORECASE,
)
# Said before a question, or instead of one; nothing to search for.
_POLITE = re.compile(
    r"^(?:(?:好的?|嗯+|哦+|噢|行|可以|明白了?|知道了?|了解了?|懂了|收到|谢谢(?:你|您)?(?:了|啦)?|多谢|感谢|请问|麻烦(?:你|您)?|不好意思|抱歉)[吧啊呀了]?"
    r"|(?:ok(?:ay)?|thanks?(?: you)?(?: (?:very|so) much| a lot)?|great|cool|nice|perfect|got it|i see|alright|understood"
    r"|sorry|please|hm+|right)(?![\w'’]))[\s，,。.！!；;~～]*",
    re.IGNORECASE,
)
# Asks for the last answer once more, in other words or with its reasons: words of both lists and no others, one of the first at least.
_again_zh = (
    "详细 具体 展开 解释 说明 介绍 再说 再讲 换个说法 换种说法 换个方式 换种方式 换一种 举例 例子 看懂 听懂 看不懂 听不懂 不懂 读懂 没懂 "
    "明白 不清楚 没理解 不理解 什么意思 为什么 为何 真的 确定 继续 重新 重复 再来 仔细 通俗 总结 概括 简单"
)
_around_zh = (
    "请 你 您 能 不能 可以 麻烦 帮 给 再 更 还 是 我 都 有 点 稍微 完全 一下 一遍 一次 一点 一些 多 说 讲 得 的 地 些 一 种 个 换 举 说法 方式 没 "
    "不 太 大 很 吗 呢 吧 么 啊 嘛 好 行 这 那 了 来 下 回答"
)
_again_en = (
    "explain elaborate clarify rephrase reword repeat summarize summarise expand continue understand again detail details detailed why really "
    "sure example examples more mean"
)
_around_en = (
    "and but so can could will would you please i we just me do did does don't dont didn't didnt not still that this it to a an the get is was "
    "in on about with bit little some further once other another different differently simpler simple plain word words term terms way better "
    "say tell give show us how come go ahead what are of your be one"
)
_CORE = re.compile(
    "|".join((*sorted(_again_zh.split(), key=len, reverse=True), rf"\b(?:{'|'.join(_again_en.split())})\b")),
    re.IGNORECASE,
)
_AROUND = re.compile(
    "|".join((*sorted(_around_zh.split(), key=len, reverse=True), rf"\b(?:{'|'.join(_around_en.split())})(?![\w'’])")),
    re.IGNORECASE,
)
_WHY = re.compile(r"为什么|为何|\bwhy\b", re.IGNORECASE)
_REASON = re.compile(r"为什么|为何|原因|\bwhy\b|\breasons?\b", re.IGNORECASE)
# `How long does it take?` is asked of what was to be done; `it is possible to` names nothing.
_TAKES = re.compile(
    r"(?P<front>how long (?:does|will|did|would|can|might) )it(?P<takes> (?:\w+ )?take)\s*\??$", re.IGNORECASE
)
_ACTION = re.compile(
    r"how (?:do|can|could|should|would|shall|must|may|to)\s+(?:(?:i|we|you|one|they|people)\s+)?(?P<action>[^?]{3,200}?)\s*\??$",
    re.IGNORECASE,
)
_WHO = re.compile(r"who(?:m|se)?\b", re.IGNORECASE)
_EXPLETIVE = re.compile(
    r"\bit\s+(?:(?:is|be|was)\s+)?(?:also\s+)?(?:possible|allowed|necessary|required|permitted|mandatory|safe|true|ok|okay|better|enough)\s+(?:to|that|for|if)\b",
    re.IGNORECASE,
)
_CORRECTION = re.compile(
    r"^(?:(?:不是?|不对|错了|no|nope|not that|actually|sorry)[\s，,。.！!]+)*"
    r"(?:我(?:的意思|想问的|问的|说的|指的|要问的)(?:其实|就)?是"
    r"|i\s*(?:meant?\b|was (?:asking|talking) about|am (?:asking|talking) about)|i'm (?:asking|talking) about)"
    r"[\s，,：:]*(?P<rest>.{1,300})$",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Reading:
    """How a question of a conversation is searched: `text` stands alone, `beside` is searched with it and weighs less.

    `behind`: what is beside it is the question behind those before it, a meaning that it may as well have. `step`: it asks for what
    stands after (1) or before (-1) the last answer in a list, so what is found is looked at together with what follows it there.
    """

    text: str
    beside: str | None = None
    behind: bool = False
    step: int = 0
    notices: tuple[str, ...] = ()


def standalone(question: str, history: Sequence[Message] = ()) -> str:
    """Return the question as it should be searched, given the earlier turns (oldest first). No content word of it is lost."""
    return _after(question, asked_before(history))


def read(question: str, history: Sequence[Message] = ()) -> Reading:
    """Return how the question is searched after the earlier turns, by rules."""
    before = asked_before(history)
    if not before:
        return Reading(question)
    if (number := step_asked(bare(question))) is not None and (step := step_told(number, _last_answer(history))):
        return Reading(step, before[-1])
    text = _after(question, before)
    if text not in (question, bare(question)):
        if not says_something(question):
            return Reading(text)
        found = _topic(bare(question))
        if found is not None and any(shape.fullmatch(found["topic"].strip()) for shape in _NO_TOPICS):
            return Reading(text, question, step=_step(question))
        return Reading(text, f"{before[-1]} {question}")
    if names_its_own_subject(text, before):
        return Reading(text)
    behind = " ".join((*before[-2:], text))
    return Reading(text, behind, behind=True) if len(behind) <= 2 * _LONGEST else Reading(text)


def _last_answer(history: Sequence[Message]) -> str:
    return next((turn.content for turn in reversed(history) if turn.role == "assistant"), "")


def _step(question: str) -> int:
    """Return 1 for `the next one`, -1 for `the one above`, 0 for what names no neighbour in a list."""
    found = _topic(bare(question))
    if found is None or not _PLACE.fullmatch(found["topic"].strip()):
        return 0
    return bool(_FORWARD.search(found["topic"])) - bool(_BACK.search(found["topic"]))


def _topic(asked: str) -> re.Match[str] | None:
    """Return the match of a question that only names a topic: `那挡风玻璃呢`, `and the next one?`, `Japanese?`."""
    found = _CHINESE_ELLIPSIS.match(asked) or _ENGLISH_ELLIPSIS.match(asked)
    return found or _CHINESE_BARE.match(asked) or _ENGLISH_BARE.match(asked)


def asked_before(history: Sequence[Message]) -> list[str]:
    """Return the last questions of the user, oldest first, each as it stands alone after those before it."""
    turns: list[str] = []
    for turn in reversed(history):
        if turn.role == "user" and turn.content.strip() and not is_small_talk(turn.content):
            turns.append(turn.content.strip())
            if len(turns) == _TURNS:
                break
    asked: list[str] = []
    for question in reversed(turns):
        asked.append(_after(question, asked))
    return asked


def says_something(question: str) -> bool:
    """False where nothing in the question could be searched for: thanks, a request to say it again."""
    asked = bare(question)
    return not is_again(asked) and bool(content_words(asked))


def bare(question: str) -> str:
    """Return the question without what is said in front of it out of politeness."""
    asked = question.strip()
    while (polite := _POLITE.match(asked)) and polite.end():
        asked = asked[polite.end() :]
    return asked


def is_again(asked: str) -> bool:
    if len(asked) > _SHORT or not _CORE.search(asked):
        return False
    return not re.search(r"\w", _AROUND.sub(" ", _CORE.sub(" ", asked.replace("’", "'"))))


def _after(question: str, before: Sequence[str]) -> str:
    if not before or not question.strip() or max(len(before[-1]), len(question)) > _LONGEST:
        return question
    worded = _worded(question.strip(), before)
    return worded if kept(bare(question), worded) or step_asked(bare(question)) else question


def _worded(whole: str, earlier: Sequence[str]) -> str:
    asked, before = bare(whole), earlier[-1]
    if not asked or step_asked(asked):
        return before
    if is_again(asked):
        return _why(before) if _WHY.search(asked) else before
    if correction := _CORRECTION.match(asked):
        return _corrected(correction["rest"].strip(), before)
    if condition := _ENGLISH_IF.match(asked):
        return f"{before.rstrip('?？. ')} {condition['condition']}?"
    ellipsis = _topic(asked)
    if ellipsis and not ENGLISH_QUESTION.match(ellipsis["topic"]):
        topic = re.sub(r"^(?:那|那么|the other)\s*", "", ellipsis["topic"]).strip()
        if any(shape.fullmatch(topic) for shape in _NO_TOPICS):  # the same subject, more of it
            return before
        if ellipsis.groupdict().get("condition"):
            return f"{topic}，{before}"
        for_it = bool(ellipsis.groupdict().get("for")) or topic.lower().startswith("for ")
        if _ENGLISH_CONDITION.match(topic) and not for_it:
            return f"{before.rstrip('?？. ')} {topic}?"
        return about(before, topic, for_it=for_it)
    if _TAKES.search(asked) and _WHO.match(before):  # what would take so long is not said
        return asked
    return _with_name(asked, earlier) or _leaning(asked, before) or asked


def _why(before: str) -> str:
    """Return the last question with the question for its reason behind it."""
    if _REASON.search(before):
        return before
    return f"{before} 原因是什么？" if has_han(before) else f"{before} What is the reason?"


def _corrected(rest: str, before: str) -> str:
    """Return the last question with what was meant: side by side, since what was wrong in it is not known."""
    rest = re.sub(r"\s+ones?[.!]?$", "", rest, flags=re.IGNORECASE)
    if ENGLISH_QUESTION.match(rest) or re.search(r"[吗呢？?]\s*$", rest):
        return rest
    return with_code(before, rest) or f"{before} {rest}"


def _leaning(asked: str, before: str) -> str | None:
    """Return the question behind the topic of the last one, where it shows that it goes on from there: `And how long before …`, `it`."""
    found = _AND.match(asked)
    pronoun = None if has_han(asked) or _EXPLETIVE.search(asked) else _ENGLISH_LEANING.search(asked)
    if not pronoun and (not found or _OWN_SUBJECT.match(found["rest"]) or not ENGLISH_QUESTION.match(found["rest"])):
        return None
    its = pronoun is not None and pronoun.group().lower() == "it"  # no person
    named = subject(before) or " ".join(content_words(before))
    topic = thing([before]) or (None if subject(before) else named) if its else named
    rest = found["rest"] if found else asked
    return f"{topic}: {rest}" if topic and topic.lower() not in asked.lower() else None


def _with_name(asked: str, before: Sequence[str]) -> str | None:
    """Return the question with its pronoun replaced by what it stands for: the last thing named, `it` of a way what was to be done."""
    asked = re.sub(r"^(?:and|but|so)\b[,\s]+(?=\w+)", "", asked, flags=re.IGNORECASE)
    if takes := _TAKES.match(asked):
        action = _ACTION.match(before[-1])
        if action:
            return f"{takes['front']}it{takes['takes']} to {action['action']}?"
        before = before[-1:]
    match = _CHINESE_PRONOUN.search(asked)
    if match:
        start, end = match.span("later") if match["later"] else match.span("pronoun")
    elif not has_han(asked) and not _EXPLETIVE.search(asked) and (english := _ENGLISH_PRONOUN.search(asked)):
        start, end = english.span()
    else:
        return None
    said = asked[start:end]
    name = stands_for(said, before)
    if not name or name in asked:
        return None
    owner = "'s" if said.lower() in ("its", "their", "his", "her") else ""
    return asked[:start] + name + owner + asked[end:]
