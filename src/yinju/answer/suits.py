"""Which pieces are content at all, and which sentences suit a question beyond its words: a definition, a value line, an opening.

Links, tables of contents, pictures and markup lead to answers and are none. What begins with yes or no answers the question above it.
"""

from __future__ import annotations

import re

from yinju.answer import leads
from yinju.answer.pieces import Piece
from yinju.answer.plain import LINK, REMOVED, plain
from yinju.answer.support import View, letters, view
from yinju.text.normalize import fold
from yinju.text.words import FILLERS

BARE = 0.5  # share of a passage's lines that are bare links, from which it is a table of contents
MATCHED = 0.5  # share of the asked words that the heading of a value must hold
SAME = 0.7  # share of words that the question above a yes or no must have in common with the one asked
ASIDE = 0.6  # what an example, an exception or an extra is worth against the rule, where it was not asked for

_address = re.compile(r"<?(?:https?|ftp|mailto):[^\s<>，。；）]+>?")
_bold_only = re.compile(r"^(?:\*\*|__)[^*_]+(?:\*\*|__)$")
_heading = re.compile(r"^[\s>]*#{1,6}\s")
_pointing = re.compile(
    r"(?:另?请?(?:详细信息|更多信息|详情)?[，,]?(?:可以?)?(?:详?见|参[见考阅]|查看|阅读|了解)|更多|详情|详细|相关|文档|链接|内容|信息|以下|下面|返回|跳转|至|和|或|与"
    r"|see(?: also)?|read(?: more)?|more|refer to|visit|back to|go to|learn|about|details?|here|the|and|or|page|docs?|documentation|link|for|on|in)+",
    re.IGNORECASE,
)
_reply = re.compile(
    r"^(?:会|不会|是|不是|可以|不可以|不行|能|不能|需要|不需要|有|没有|支持|不支持|对|不对|yes|no|yep|nope|absolutely|of course|certainly)"
    r"(?:的|$|(?=[\s，,。.！!；;：:—-]))",
    re.IGNORECASE,
)
_half_reply = re.compile(r"^(?:会|不会|是|不是|可以|不可以|能|不能|不行|需要|不需要|没有)")
_example = re.compile(
    r"^(?:例如|比如|譬如|举例|假设|假如|for (?:example|instance)\b|e\.g\.|suppose\b|imagine\b)", re.IGNORECASE
)
_refers = re.compile(
    r"(?:详见|参[见考阅]|请?查看|了解更多)[^。]{0,4}\[|\b(?:see|refer to|read more|learn more)\b[^.]{0,24}\[",
    re.IGNORECASE,
)
_asks_example = re.compile(r"例|比如|example|instance", re.IGNORECASE)
_asides = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"例外|除外|除非|\bexcept\w*|\bunless\b",
        r"延长|延保|延期|续期|\bexten[ds]\w*",
        r"翻新|二手|\brefurbish\w*|\bused device|\bsecond.hand",
        r"额外|加购|补差|另付|\bextra\b|\badditional(?:ly)?\b|\bsurcharge",
        r"重新计算|更换的?零件|零件|\banew\b|\bparts? that were replaced|\breplacement parts?",
    )
)
_value = re.compile(
    r"^\s*[*_`]*(?P<label>[^：:。，,\n`*]{1,24}?)[*_`]*\s*[：:]\s*[*_]*\s*(?P<value>\S.{0,160})$", re.DOTALL
)
_no_value = re.compile(r"^[^：:\n]{1,40}[：:]\W*$")  # 范围：`` names a value and gives none
_mail = re.compile(
    r"^[\s>*_]*(?:from|to|cc|bcc|reply-to|date|sent|subject|attachments?|发件人|寄件人|收件人|抄送|密送|日期|发送时间|时间|主题|附件)[*_\s]*[：:]",
    re.IGNORECASE,
)
_asks_mail = re.compile(
    r"谁|哪位|何人|发件|寄件|收件|抄送|邮箱|邮件|主题|附件|日期|何时|什么时候|几时|几点|几号|哪天|哪日"
    r"|\b(?:who|whom|when|sen(?:d|ds|t|der)|recipients?|from|cc|e-?mails?|address|subject|attach\w*|date|day|time)\b",
    re.IGNORECASE,
)
_asks_title = re.compile(
    r"谁|哪位|何人|作者|编者|何时|什么时候|几时|哪[一]?年|哪天|日期|标题|题目|题为|书名|名称|叫什么|哪家|哪份|什么(?:报告|文件|文档|书)"
    r"|\b(?:who|whom|author\w*|when|date\w*|title\w*|called|named?|which (?:company|report|document|book|file)|what (?:is|was) this)\b"
)
_LABELS = (
    ("默认值", "缺省值", "预设值", "默认", "default value", "defaults", "default"),
    ("作用域", "scope"),
    ("类型", "type"),
    ("取值范围", "可选值", "范围", "value range", "possible values", "range"),
    ("单位", "unit"),
)
_PARTICLES = frozenset("零一二三四五六七八九十百千万两不也没无才只被把所并之多少怎么什谁哪几钱")
_GRAMMAR = frozenset("的了是在有和与为什么哪个多少谁何时吗呢")
_what = re.compile(
    r"^(?:请问|那么?)?什么(?:是|叫做?)(?P<a>.{1,40}?)$|^(?P<b>.{1,40}?)(?:到底|究竟)?(?:是(?:什么|啥|什么东西|指什么|什么意思)|指的?是?什么|的(?:定义|含义|意思)是什么)$"
    r"|^what(?:'s| is| are| does)\s+(?:(?:a|an|the)\s+)?(?P<c>.{1,60}?)(?:\s+mean)?$",
    re.IGNORECASE,
)  # fmt: skip
_copula = re.compile(r"(?:是指|指的是|是|指|为|：)|\s(?:is|are|means?|refers? to|stands? for)\s", re.IGNORECASE)


_remark = re.compile(r"[（(][^（()）]{1,30}[)）][。.]?")  # stands in brackets, all of it


def says_nothing(piece: Piece) -> bool:
    """True where a piece only leads somewhere or is markup: a bare link, `see …`, a picture, a tag, a heading."""
    text = piece.text.strip()
    said = plain(text)
    if not letters(said) or _heading.match(text) or _no_value.match(said) or _remark.fullmatch(said):
        return True
    if _bold_only.match(text) and not said.endswith(("。", ".", "！", "!")) and not view(said).facts.quantities:
        return True
    linked = bool(LINK.search(text) or _address.search(text))
    return linked and is_bare(text)


def is_bare(text: str) -> bool:
    """True where nothing but links and words that point to them stands in a text."""
    rest = _address.sub("", LINK.sub("", REMOVED.sub("", text)))
    return not letters(_pointing.sub("", rest)) and not re.search(r"\d{2}", rest)


def is_contents(text: str) -> bool:
    """True where a passage is a table of contents or navigation: at least half of its lines are bare links."""
    lines = [line for line in text.splitlines() if letters(line)]
    bare = sum(bool(LINK.search(line)) and is_bare(line) for line in lines)
    return bare >= 3 and bare >= BARE * len(lines)


def is_letterhead(text: str) -> bool:
    """True where a text is the head of a mail: at least two lines of sender, recipient, date, subject or attachments, and nothing else."""
    lines = text.strip().split("\n")
    return len(lines) > 1 and all(_mail.match(line) for line in lines)


def asks_letterhead(question: str) -> bool:
    """True where the head of a mail may answer: who wrote it to whom, when, about what."""
    return _asks_mail.search(fold(question)) is not None


def asks_title(question: str) -> bool:
    """True where the title page of a document may answer: what it is called, who made it, when it is from."""
    return _asks_title.search(fold(question)) is not None


def replies(text: str, question_above: bool) -> bool:
    """True where a sentence is a reply: it begins with yes or no, or (below a question) with its verb alone."""
    return bool(_reply.match(text)) or (question_above and bool(_half_reply.match(text)))


def is_bare_reply(text: str) -> bool:
    """True where a sentence is yes or no and nothing else."""
    return bool(_reply.match(text)) and len(text.strip("。.！! ")) <= 4


def matches(asked: View, above: View) -> bool:
    """True where the question above a reply is the one asked."""
    own = asked.coverage(above)
    return bool((asked.words & above.words) or (asked.bigrams & above.bigrams)) and (
        max(own, above.coverage(asked)) >= SAME and (not asked.facts.codes or asked.facts.codes <= above.facts.codes)
    )


def value_of(question: str, text: str) -> str | None:
    """Return the label of a value line (`默认值：10m0s`) that the question asks for by this name or its other names; else None."""
    found = _value.match(text)
    if not found:
        return None
    label, asked = fold(found["label"]).strip(), fold(question)
    for names in _LABELS:
        if label in names:
            return label if any(_stands(name, asked) for name in names) else None
    return label if len(label) > 1 and _stands(label, asked) else None


def _stands(name: str, text: str) -> bool:
    edge = r"\b" if name.isascii() else ""
    return bool(re.search(f"{edge}{re.escape(name)}{edge}", text))


def without_label(question: str, label: str) -> str:
    """Return the question without the names of a value, so that what is left is the thing whose value is asked for."""
    rest = fold(question)
    for names in (*(names for names in _LABELS if label in names), (label,)):
        for name in names:
            rest = re.sub(rf"\b{re.escape(name)}\b" if name.isascii() else re.escape(name), " ", rest)
    return rest


def is_value(question: str, text: str, heading: str) -> bool:
    """True where a line states the asked value of the asked thing, which its heading names: `默认值：10m0s` under `tidb_gc_life_time`."""
    label = value_of(question, text)
    if label is None or not heading:
        return False
    rest, over = view(without_label(question, label)), view(heading)
    return bool(rest.words & over.words) and over.coverage(rest) >= MATCHED and rest.facts.codes <= over.facts.codes


def thing(question: str, heading: str) -> str:
    """Return how a heading names what is asked: the identifier that both hold, else the whole heading."""
    asked = fold(question)
    names = [name for name in re.findall(r"[A-Za-z][\w.-]*[_.\d-][\w.-]*\w", heading) if fold(name) in asked]
    return max(names, key=len) if names else heading


def aside(question: str, text: str) -> float:
    """Return the factor for a sentence that refers elsewhere, or gives an example, an exception or an extra nobody asked for; else 1."""
    if _example.match(text) and not _asks_example.search(question):
        return ASIDE
    if _refers.search(text):
        return ASIDE
    text = leads.itself(plain(text))
    return ASIDE if any(each.search(text) and not each.search(question) for each in _asides) else 1.0


def defines(question: str, text: str) -> float:
    """Return how clearly a sentence says what the asked thing is, 0 to 1: the shorter its subject beside the asked words, the clearer."""
    found = _what.match(question.strip().rstrip("?？。. "))
    copula = _copula.search(text)
    if not found or not copula:
        return 0.0
    wanted, subject = (
        view(found["a"] or found["b"] or found["c"]),
        view(re.sub(r"[（(][^（）()]*[)）]", "", text[: copula.start()])),
    )
    if copula.start() > 80 or not wanted.words or not wanted.words <= subject.words:
        return 0.0
    return len(wanted.words) / len(subject.words)


def characters(text: str) -> frozenset[str]:
    """Return the Chinese characters of a text that can carry a meaning alone: no fillers, numerals and particles."""
    return frozenset(c for c in re.findall(r"[\u3400-\u9fff]", fold(text)) if c not in FILLERS and c not in _PARTICLES)


def marks(text: str) -> frozenset[str]:
    """Return the Chinese characters, Latin words and numbers of a text that may carry its meaning."""
    found = re.findall(r"[\u3400-\u9fff]|[a-z0-9]{2,}", fold(text))
    return frozenset(found) - _GRAMMAR
