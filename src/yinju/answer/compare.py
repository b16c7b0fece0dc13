"""The sides of a comparison as questions of their own: "A or B, which is cheaper?" is searched as a question about A and one about B.

Rules only, and only for the plain forms; a model with tools can ask for more.
"""

from __future__ import annotations

import re

_MOST = 4
_SIDE = r"[^,，。？?；;]{1,60}?"
_ZH = (
    re.compile(
        rf"^(?P<before>.*?(?:比较(?:一下)?|对比(?:一下)?))\s*(?P<a>{_SIDE})\s*(?:和|与|跟|同|及)\s*(?P<b>{_SIDE})(?P<after>(?:的|在).*|[，,。？?].*|)$"
    ),
    re.compile(
        rf"^(?P<before>)(?P<a>{_SIDE})\s*(?:和|与|跟|同)\s*(?P<b>{_SIDE})(?P<after>(?:的|之间|相比|有什么|有何|有哪些|哪个|哪一|谁|各|分别|都|一样|相同|有没有|是否|在).*)$"
    ),
    re.compile(
        rf"^(?P<before>)(?P<a>{_SIDE})\s*(?:比|相比|对比|相较于|较)\s*(?P<b>{_SIDE})(?P<after>(?:贵|便宜|多|少|大|小|长|短|高|低|快|慢|好|差|早|晚|的|更|要|重|轻).*)$"
    ),
    re.compile(
        rf"^(?P<before>.{{0,20}}?)(?P<a>{_SIDE})\s*(?:还是|或者?)\s*(?P<b>{_SIDE})(?P<after>(?:哪|更|比较|的|谁|，|,).*|)$"
    ),
)
_EN = (
    re.compile(rf"^(?P<before>.*?\b(?:compare|comparing|differences?(?:\s+in\s+[\w ]{{1,40}}?)?\s+between|differ\s+between|comparison\s+(?:of"
        rf"|between)))\s+(?P<a>{_SIDE})\s+(?:and|with|to|versus|vs\.?)\s+(?P<b>{_SIDE})(?P<after>[?.,].*|\s+(?:in|for|with|regarding"
            rf"|when|by|on)\b.*|)$", re.I),
    re.compile(rf"^(?P<before>(?:how|in what way|where)\s+(?:do|does|did)\s+)(?P<a>{_SIDE})\s+(?:and|differ"
        rf" from)\s+(?P<b>{_SIDE})(?P<after>\s+(?:differ|compare)\b.*|[?.]?)$", re.I),
    re.compile(rf"^(?P<before>.*?\b(?:which|what|who)\b.*?[,:]\s*)(?P<a>{_SIDE})\s+or\s+(?P<b>{_SIDE})(?P<after>[?.]?)$", re.I),
    re.compile(rf"^(?P<before>(?:is|are|does|do|has|have)\s+)(?P<a>{_SIDE})(?P<mid>\s+(?:\w+er|more|less|better|worse)\s.*?than\s+"
        rf"|\s+\w+er\s+than\s+)(?P<b>{_SIDE})(?P<after>[?.]?)$", re.I),
    re.compile(rf"^(?P<before>.*?)(?P<a>{_SIDE})\s+(?:versus|vs\.?)\s+(?P<b>{_SIDE})(?P<after>[?.]?|[,:].*)$", re.I),
)  # fmt: skip
_ARTICLE = re.compile(r"^(?:the|a|an|both|between)\s+", re.IGNORECASE)


def sides(question: str) -> tuple[str, ...]:
    """Return the questions about each side of a comparison, nothing where it is none."""
    text = " ".join(question.split())
    if len(text) > 300:
        return ()
    for pattern in (*_ZH, *_EN):
        found = pattern.match(text)
        if found is None:
            continue
        names = [_ARTICLE.sub("", part.strip()) for part in re.split(r"、|,\s*|，", found["a"])] + [
            _ARTICLE.sub("", found["b"].strip())
        ]
        if all(len(name) > 1 for name in names):
            rest = _rest(found)
            return tuple(dict.fromkeys(f"{name}{rest}".strip() for name in names[:_MOST]))
    return ()


def _rest(found: re.Match[str]) -> str:
    """Return what is asked of each side: the words around them, without those that compare."""
    before = re.sub(
        r"\b(?:please|compare|comparing|the|differences?|between|how|do|does|what|is|are|which|comparison|of|in)\b|比较(?:一下)?"
        r"|对比(?:一下)?|请",
        " ",
        found["before"],
        flags=re.I,
    )
    middle = found.groupdict().get("mid") or ""
    after = re.sub(
        r"^之间|有什么|有何|有哪些|区别|不同|差别|差异|哪个|哪一[个种]|谁|相比|[？?。.]|\b(?:differ|compare|than|in|for|regarding)\b"
        r"|分别",
        " ",
        found["after"],
        flags=re.I,
    )
    rest = " ".join(f"{before} {middle} {after}".replace("than", " ").split()).strip(" ,:，")
    chinese = re.search(r"[\u4e00-\u9fff]", rest) is not None
    return (rest if chinese else f" {rest}") if rest else ""
