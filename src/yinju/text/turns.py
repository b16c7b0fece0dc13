"""Find the turns of a conversation in plain text: chats as programs export them, and transcripts of meetings and interviews.

A line that names a speaker proves nothing alone (`注意：`, `Price: 5`). It is a conversation where speakers come again and again, where most
of the text is theirs, and where what they say reads as speech or carries the time at which it was said. Anything else has no turns.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from yinju.types import Span

_WEEKDAY = "(?:星期|周)[一二三四五六日天]"
_DATE = (
    r"(?:\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}日?|\d{1,2}[-/.月]\d{1,2}(?:[-/.]\d{2,4}|日)?"
    rf"|昨天|今天|Yesterday|Today(?: at)?|{_WEEKDAY})"
)
_CLOCK = r"(?:(?:上午|下午|早上|中午|晚上|凌晨)[ ]?)?\d{1,2}[:：]\d{2}(?:[:：]\d{2})?(?:[.,]\d{1,3})?(?:[ \u202f]?[AaPp]\.?[Mm]\.?)?"
_WHEN = rf"(?<!\d)(?:(?:{_DATE}[,，]?[ \tT]{{0,2}}(?:{_WEEKDAY}[ ]?)?)?{_CLOCK})"
# A speaker: a short name, perhaps with a role or a number in brackets.
_LETTERS = r"[^\W\d_][^\n:：\t<>\[\]{}()（）|#*_=/\\，。！？；,;!?\"“”]"
_ROLE = r"(?:[ ]?[（(<][^\n()（）<>]{1,24}[)）>])?"
_NAME = rf"(?:{_LETTERS}{{0,23}}{_ROLE})"
_SIGNS = (
    # [10:00] Bob: hi
    ("timed", re.compile(rf"^[ \t]*[\[【(（]({_WHEN})[\]】)）][ \t]*(?:[-–—][ \t]*)?(?P<name>{_NAME})(?:[:：]|[ \t]*$)", re.MULTILINE)),
    # 2024/3/1, 10:00 - Bob: hi
    ("timed", re.compile(rf"^[ \t]*({_WHEN})[ \t]*(?:[-–—|][ \t]*)?(?P<name>{_NAME})(?:[:：]|[ \t]*$)", re.MULTILINE)),
    # 10:00 <bob> hi
    ("timed", re.compile(rf"^[ \t]*(?:[\[(]?{_WHEN}[\])]?[ \t]*)?<(?P<name>[^\W\d][^\n<>]{{0,23}})>[ \t]+(?=\S)", re.MULTILINE)),
    # 张三 2024-03-01 10:00
    (
        "timed",
        re.compile(
            rf"^[ \t]*+(?P<name>{_LETTERS}{{0,23}}?{_ROLE})[ \t]*+(?:[-–—·|,，][ \t]*+)?[\[(（]?[ \t]?{_WHEN}[ \t]?[\])）]?[ \t]*[:：]?[ \t]*$",
            re.MULTILINE,
        ),
    ),
    # Bob: hi
    ("named", re.compile(rf"^[ \t]*(?:\*\*)?(?P<name>{_NAME})(?:\*\*)?[:：](?:\*\*)?(?![/\\])", re.MULTILINE)),
)  # fmt: skip
# What stands before a colon and is nobody; question and answer belong together and are no conversation.
_nobody = (
    "注意 说明 例如 备注 提示 步骤 示例 问 答 问题 答案 回答 注 摘要 关键词 时间 地点 日期 标题 主题 作者 来源 链接 参考 总结 结论 目的 原因 背景 "
    "姓名 电话 地址 邮箱 性别 年龄 单位 部门 职务 编号 名称 型号 规格 价格 数量 参数 返回 类型 默认 默认值 格式 状态 描述 内容 "
    "note notes warning tip q a question answer example see source date time title author subject from to cc abstract keywords summary "
    "name phone address email http https ftp todo fixme info debug warn error fatal trace notice critical default type returns"
)
_NOBODY = frozenset(_nobody.split())
_SPEECH = re.compile(r"[，。！？；…~,.!?]|[吗吧呢啊呀哦嗯哈]")
_FEWEST = {"timed": 3, "named": 6}  # turns
_MOST_LINES_AHEAD = 0.3  # share of the text before the first turn


@dataclass(frozen=True, slots=True)
class Turn:
    """What one speaker says at a time: the whole of it, and the part that says who and when."""

    span: Span
    opening: Span
    speaker: str


def find_turns(text: str) -> list[Turn]:
    """Return the turns of a conversation in order; together they reach from the first to the end of the text. Empty where there is none."""
    best: list[re.Match[str]] = []
    for kind, sign in _SIGNS:
        found = [match for match in sign.finditer(text) if _is_somebody(match["name"])]
        if len(found) > len(best) and _is_conversation(text, found, kind):
            best = found
    return list(_turns(text, best))


def _turns(text: str, signs: list[re.Match[str]]) -> Iterator[Turn]:
    for place, sign in enumerate(signs):
        end = signs[place + 1].start() if place + 1 < len(signs) else len(text)
        start = sign.start()
        yield Turn(Span(start, start + len(text[start:end].rstrip())), Span(start, sign.end()), _bare(sign["name"]))


def _bare(name: str) -> str:
    return re.split("[（(<]", name.strip(), maxsplit=1)[0].strip() or name.strip()


def _is_somebody(name: str) -> bool:
    name = _bare(name)
    return bool(name) and name.casefold() not in _NOBODY and len(name.split()) <= 4


def _is_conversation(text: str, signs: list[re.Match[str]], kind: str) -> bool:
    if len(signs) < _FEWEST[kind]:
        return False
    if len(text[: signs[0].start()].strip()) > _MOST_LINES_AHEAD * len(text):
        return False
    speakers = Counter(_bare(sign["name"]) for sign in signs)
    again = sum(count for count in speakers.values() if count > 1)
    if len(speakers) < 2 or again < len(signs) * (0.5 if kind == "timed" else 0.8):
        return False
    said = [
        text[sign.end() : signs[place + 1].start() if place + 1 < len(signs) else len(text)]
        for place, sign in enumerate(signs)
    ]
    if kind == "timed":  # in a timetable nothing is said
        return sum(bool(part.strip()) for part in said) >= 0.5 * len(signs)
    speech = sum(bool(_SPEECH.search(part)) for part in said)
    lines = sum(1 for line in text[signs[0].start() :].split("\n") if line.strip())
    return speech >= 0.5 * len(signs) and len(signs) >= 0.25 * lines and not _is_record(signs, speakers)


def _is_record(signs: list[re.Match[str]], speakers: Counter[str]) -> bool:
    """Whether names come in one fixed order of more than two, as the fields of a record do."""
    width = len(speakers)
    names = [_bare(sign["name"]) for sign in signs]
    return width > 2 and len(names) >= 2 * width and all(a == b for a, b in zip(names, names[width:], strict=False))
