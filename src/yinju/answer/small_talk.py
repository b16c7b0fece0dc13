"""What people say to whoever answers, not to the documents: hello, thanks, ok, `what can you do?`. It gets a sentence of ours.

Only where the whole message is made of such forms; `thanks, and the battery?` is a question. Nothing is searched and no model is called,
so the answer has neither sentences nor citations nor evidence, and is no refusal.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from yinju.protocols import Message
from yinju.text.normalize import fold
from yinju.types import Answer

MODEL = "small-talk"  # the `model` of such an answer
_LONGEST, _MOST = 60, 3  # characters of a message, and forms in it

_en, _zh = 0, 1
# What is said -> its forms in either language, folded and without blanks or punctuation.
_FORMS: dict[str, tuple[str, str]] = {
    "hello": ("hello hi hey", "你好 您好 嗨"),
    "thanks": ("thanks thankyou thanksalot thankyouverymuch", "谢谢 谢谢你 谢谢您 多谢"),
    "ok": ("ok okay gotit", "好 好的 明白了"),
    "able": ("whatcanyoudo whoareyou", "你能做什么 你是谁"),
}
_ABLE_EN = "I am Yinju: I answer questions from your documents and show for each sentence where it stands there."
_ABLE_ZH = "我是引据：根据您的文档回答问题，并为每句话标明它在文档中的出处。"
_HOW_EN = "Ask in a whole sentence, for example: “What does the contract say about the period of notice?”"
_HOW_ZH = "请用完整的句子提问，例如：“合同里的通知期是多久？”"
_REPLIES: dict[str, tuple[str, str]] = {
    "hello": (f"Hello! {_ABLE_EN} {_HOW_EN}", f"您好！{_ABLE_ZH}{_HOW_ZH}"),
    "thanks": (
        "You are welcome. Ask me whatever else your documents may say.",
        "不客气。文档里的其他内容，也请随时提问。",
    ),
    "ok": ("All right. Ask me whatever else your documents may say.", "好的。文档里的其他内容，也请随时提问。"),
    "able": (f"{_ABLE_EN} {_HOW_EN}", f"{_ABLE_ZH}{_HOW_ZH}"),
}
_SAID = {
    form: (what, language)
    for what, both in _FORMS.items()
    for language, forms in enumerate(both)
    for form in forms.split()
}
_FORM = "|".join(sorted(map(re.escape, _SAID), key=len, reverse=True))
_ALL = re.compile(rf"(?:{_FORM}){{0,{_MOST - 1}}}(?P<last>{_FORM})")
_ASIDE = re.compile(r"[\W_]+|[啊呀啦哦]+$")
_HAN = re.compile(r"[\u4e00-\u9fff]")


def is_small_talk(message: str) -> bool:
    """True where the whole message is small talk."""
    return _last(message) is not None


def small_talk(message: str, history: Sequence[Message] = ()) -> Answer | None:
    """Return what is answered to small talk, in its language, or None for anything else. `ok` is said in both: then as the turn before."""
    last = _last(message)
    if last is None:
        return None
    what, language = _SAID[last]
    if last in ("ok", "okay"):
        before = next((turn.content for turn in reversed(history) if turn.role == "user"), "")
        language = _zh if _HAN.search(before) else _en
    return Answer(message, _REPLIES[what][language], message, model=MODEL)


def _last(message: str) -> str | None:
    """Return the last form of a message that is made of such forms only."""
    if len(message) > _LONGEST:
        return None
    found = _ALL.fullmatch(_ASIDE.sub("", _ASIDE.sub("", fold(message))))
    return found["last"] if found else None
