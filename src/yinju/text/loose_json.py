"""JSON as language models write it, read without `eval` and without guessing: what is not certain is left out, never filled in.

Read are also code fences and text around the object, commas that are too many or missing, single and typographic quotes, full-width
punctuation, comments, names without quotes, Python's True, False and None, line ends inside texts, and a text that was cut off. Of a text
that was cut off only what is complete counts: a number at its very end may have had more digits.
"""

from __future__ import annotations

import json
import re
from typing import Any

LONGEST = 40_000  # characters of a reply that are looked at: its end, where the object stands
MOST_STARTS = 40  # places where an object may begin
DEEPEST = 12
_AHEAD = 120  # characters by which the end of a text is told

_CLOSING = {'"': '"', "'": "'", "“": "”", "‘": "’", "”": "”", "’": "’", "＂": "＂", "「": "」", "『": "』", "`": "`"}
_OPEN = {"{": "}", "｛": "｝", "[": "]", "［": "］", "【": "】"}
_OBJECT, _LIST = "{｛", "[［【"
_ENDS = "}｝]］】"
_COLONS, _COMMAS = ":：=", ",，、;；"
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_blank = re.compile(r"(?:[\s\ufeff\u200b]+|//[^\n]*|/\*.*?\*/)+", re.DOTALL)
_bare = re.compile(r"[^\s,，、;；:：=\[\]［］【】{}｛｝\"“”＂]+(?:[ \t]+[^\s,，、;；:：=\[\]［］【】{}｛｝\"“”＂]+)*")
_number = re.compile(r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_member = r"\s*[\"'“”‘’＂「`]?[\w ]{1,40}[\"'“”‘’＂」`]?\s*[:：=]"
_ends_text = re.compile(  # what may follow the last quote of a text: the end, a bracket, a comment, or the next member
    rf"[\s\ufeff]*(?:[}}｝\]］】]|$|//|/\*|[,，、;；][\s,，]*(?:$|[}}｝\]］】\[{{［｛]|/[/*]|{_member}))|[^\S\n]*\n{_member}"
)
_ends_item = re.compile(r"[\s\ufeff]*(?:[,，、;；}｝\]］】]|$|//|/\*)")
_WORDS = {"true": True, "false": False, "null": None, "none": None}


class _Broken(Exception):
    """No JSON, however loosely read."""


def objects(text: str) -> list[dict[str, Any]]:
    """Return the objects that stand in a text, outermost ones only, in their order. Lists of objects count as their objects."""
    text = text[-LONGEST:]
    found: list[dict[str, Any]] = []
    place = 0
    for _ in range(MOST_STARTS):
        place = next((at for at in range(place, len(text)) if text[at] in _OBJECT + _LIST), len(text))
        if place == len(text):
            break
        try:
            value, place = _strict(text, place) or _loose(text, place)
        except _Broken:
            place += 1
            continue
        values = value if isinstance(value, list) else [value]
        found += [one for one in values if isinstance(one, dict) and one]
    return found


def _strict(text: str, place: int) -> tuple[Any, int] | None:
    """Return the JSON that begins here and where it ends, None where it is none."""
    try:
        return _decoder.raw_decode(text, place)
    except (ValueError, RecursionError):
        return None


def _loose(text: str, place: int) -> tuple[Any, int]:
    reader = _Reader(text, place)
    return reader.value(0), max(reader.place, place + 1)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the members as an object; what is said twice and differently is nothing."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        found[name] = value if name not in found or found[name] == value else None
    return found


_decoder = json.JSONDecoder(object_pairs_hook=_once, strict=False)


class _Reader:
    """One reading of a text from a place on."""

    def __init__(self, text: str, place: int) -> None:
        self.text, self.place = text, place

    def value(self, depth: int, *, item: bool = False) -> Any:
        """Return the value that begins here. Raises _Broken."""
        self._skip()
        sign = self._sign()
        if not sign or depth > DEEPEST:
            raise _Broken
        if sign in _OBJECT:
            return self._object(depth)
        if sign in _LIST:
            return self._list(depth)
        return self._text(item=item) if sign in _CLOSING else self._word()

    def _object(self, depth: int) -> dict[str, Any]:
        self.place += 1
        pairs: list[tuple[str, Any]] = []
        while self._more():
            name = self._name()
            self._skip()
            if self._sign() not in _COLONS or not self._sign():
                if self._sign():
                    raise _Broken
                break  # cut off behind a name
            self.place += 1
            self._skip()
            if not self._sign():
                break
            pairs.append((name, self.value(depth + 1)))
        return _once(pairs)

    def _list(self, depth: int) -> list[Any]:
        self.place += 1
        found = []
        while self._more():
            found.append(self.value(depth + 1, item=True))
        return found

    def _more(self) -> bool:
        """Whether another member begins here; commas are passed over, and so is the bracket that ends them."""
        self._skip()
        while self._sign() and self._sign() in _COMMAS:
            self.place += 1
            self._skip()
        if self._sign() and self._sign() in _ENDS:
            self.place += 1
            return False
        return bool(self._sign())

    def _name(self) -> str:
        if self._sign() in _CLOSING:
            return self._text(name=True)
        found = _bare.match(self.text, self.place)
        if found is None:
            raise _Broken
        self.place = found.end()
        return found.group()

    def _text(self, *, name: bool = False, item: bool = False) -> str:
        """Return a text in quotes. One of the same quotes inside it is told by what follows: only behind the last one a text can end."""
        closing = _CLOSING[self._sign()]
        ends = _ends_item if item else _ends_text
        self.place += 1
        out: list[str] = []
        while sign := self._sign():
            self.place += 1
            if sign == "\\":
                out.append(self._escaped())
            elif sign == closing and (name or ends.match(self.text, self.place, self.place + _AHEAD)):
                return "".join(out)
            else:
                out.append(sign)
        return "".join(out) + "…"  # cut off, and shown to be

    def _escaped(self) -> str:
        sign = self._sign()
        self.place += 1
        if sign == "u" and re.fullmatch("[0-9a-fA-F]{4}", self.text[self.place : self.place + 4]):
            code = int(self.text[self.place : self.place + 4], 16)
            self.place += 4
            return chr(code) if not 0xD800 <= code <= 0xDFFF else "\ufffd"
        return _ESCAPES.get(sign, sign)

    def _word(self) -> Any:
        """Return a bare number, constant or text; what stands at the very end of a text that was cut off is nothing."""
        found = _bare.match(self.text, self.place)
        if found is None:
            raise _Broken
        self.place = found.end()
        if found.end() == len(self.text):
            return None
        word = found.group()
        if _number.fullmatch(word):
            return float(word) if any(sign in word for sign in ".eE") else int(word[:20])
        return _WORDS.get(word.lower(), word)

    def _skip(self) -> None:
        if found := _blank.match(self.text, self.place):
            self.place = found.end()

    def _sign(self) -> str:
        return self.text[self.place : self.place + 1]
