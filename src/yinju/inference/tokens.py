"""Texts to token numbers by the model's own tokenizer: a `tokenizer.json` or a SentencePiece model of the XLM-RoBERTa family.

A text's tokens are taken without special ones, so that long texts can be cut into windows; what the model wants around them is found once, by
looking at what its own rules put around a probe. Special tokens that stand in a text (`</s>`, `[SEP]`) are ordinary characters there.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from yinju.errors import ModelError
from yinju.messages import say

_PROBES = ("a", "1", "的", "hello")
_START, _PAD, _END, _UNKNOWN = (
    0,
    1,
    2,
    3,
)  # XLM-RoBERTa; other pieces stand one place later than in their SentencePiece model


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands around the tokens of one text, or of two (`between`). `second` is the token type of the second text."""

    front: tuple[int, ...]
    between: tuple[int, ...]
    back: tuple[int, ...]
    second: int = 0

    @property
    def size(self) -> int:
        """How many tokens the frame takes."""
        return len(self.front) + len(self.between) + len(self.back)

    def put(self, first: Sequence[int], second: Sequence[int] = ()) -> tuple[list[int], list[int]]:
        """Return token numbers and token types of the framed text, or pair."""
        head = [*self.front, *first, *self.between]
        tail = [*second, *self.back]
        return head + tail, [0] * len(head) + [self.second] * len(tail)


class Tokenizer(Protocol):
    """Tokens of a text without special ones, the frames for one text and for two, and the number that fills up a batch."""

    single: Frame
    pair: Frame
    pad: int

    def encode(self, text: str) -> list[int]:
        """Return the tokens of the text."""
        ...


def load(path: Path) -> Tokenizer:
    """Return the tokenizer of this file. Raises ModelError."""
    return _Json(path) if path.suffix == ".json" else _SentencePiece(path)


class _SentencePiece:
    single = Frame((_START,), (), (_END,))
    pair = Frame((_START,), (_END, _END), (_END,))
    pad = _PAD

    def __init__(self, path: Path) -> None:
        import sentencepiece

        self._processor = sentencepiece.SentencePieceProcessor()
        try:
            self._processor.LoadFromSerializedProto(path.read_bytes())
        except (OSError, RuntimeError) as error:
            raise _unreadable(path, str(error)) from error

    def encode(self, text: str) -> list[int]:
        pieces: list[int] = self._processor.EncodeAsIds(_sound(text))
        return [piece + 1 if piece else _UNKNOWN for piece in pieces]


class _Json:
    def __init__(self, path: Path) -> None:
        try:
            import tokenizers
        except ImportError:
            raise ModelError(
                say(
                    "The tokenizer of this model needs the package `tokenizers`.",
                    "该模型的分词器需要 `tokenizers` 包。",
                ),
                say('Run `pip install "yinju[models]"`.', '请运行 `pip install "yinju[models]"`。'),
                code="no-tokenizers",
            ) from None
        try:
            content = path.read_text(encoding="utf-8")
            plain: Any = json.loads(content)
        except (OSError, ValueError, RecursionError) as error:
            raise _unreadable(path, str(error)) from error
        try:
            self._tokenizer = tokenizers.Tokenizer.from_str(content)
        except Exception as error:  # the library raises nothing more precise
            raise _unreadable(path, str(error)) from error
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._tokenizer.encode_special_tokens = True
        padding = plain.get("padding") if isinstance(plain, dict) else None
        self.pad = int(padding.get("pad_id", 0)) if isinstance(padding, dict) else self._token("<pad>", "[PAD]")
        self.single, self.pair = self._frames(path)

    def encode(self, text: str) -> list[int]:
        tokens: list[int] = self._tokenizer.encode(_sound(text), add_special_tokens=False).ids
        return tokens

    def _token(self, *names: str) -> int:
        found = (self._tokenizer.token_to_id(name) for name in names)
        return next((number for number in found if number is not None), 0)

    def _frames(self, path: Path) -> tuple[Frame, Frame]:
        for probe in _PROBES:
            inner = self.encode(probe)
            if not inner:
                continue
            alone = self._tokenizer.encode(probe)
            both = self._tokenizer.encode(probe, probe)
            (start,), (first, second) = _places(alone.ids, inner, 1), _places(both.ids, inner, 2)
            if start < 0 or second < 0:
                continue
            size = len(inner)
            single = Frame(tuple(alone.ids[:start]), (), tuple(alone.ids[start + size :]))
            between, back = both.ids[first + size : second], both.ids[second + size :]
            return single, Frame(tuple(both.ids[:first]), tuple(between), tuple(back), int(both.type_ids[second]))
        raise _unreadable(path, say("it puts nothing recognisable around a text", "无法识别它在文本前后加入的标记"))


def _places(whole: Sequence[int], part: Sequence[int], count: int) -> list[int]:
    """Return where the part stands in the whole, the first `count` times without overlap; -1 where it does not."""
    found: list[int] = []
    start = 0
    while len(found) < count:
        ends = len(whole) - len(part) + 1
        place = next((i for i in range(start, ends) if list(whole[i : i + len(part)]) == list(part)), -1)
        found.append(place)
        start = place + len(part) if place >= 0 else len(whole)
    return found


def _sound(text: str) -> str:
    """Return the text without lone surrogates, which no tokenizer takes."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _unreadable(path: Path, why: str) -> ModelError:
    return ModelError(
        say("The tokenizer {path} cannot be read: {why}.", "无法读取分词器 {path}：{why}。", path=path, why=why),
        say("Fetch the model again.", "请重新获取模型。"),
        code="bad-model",
    )
