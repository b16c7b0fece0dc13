"""How documents are cut: the options, and the table of presets with the customary sizes of each kind of text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from yinju.errors import UsageError
from yinju.messages import say
from yinju.types import Document

Strategy = Literal["structure", "window", "headings"]
Unit = Literal["sentences", "lines", "turns", "clauses", "definitions"]
SMALLEST = 4  # tokens; one character can count two


@dataclass(frozen=True, slots=True)
class ChunkOptions:
    """How a document is cut.

    structure   by sections, then by `unit` into `minimum` to `maximum` tokens; the last `overlap` tokens in whole sentences come again
    window      every `size` characters (`maximum` where `size` is 0), the last `overlap` characters again
    headings    at headings down to `level` only; `maximum` tokens still bounds a section

    `minimum` is aimed at, `maximum` always holds. Neighbouring sections under one heading that have less than `merge_below` tokens
    share a chunk. Raises UsageError where the figures contradict each other.
    """

    strategy: Strategy = "structure"
    minimum: int = 300
    maximum: int = 500
    overlap: int = 80
    size: int = 0
    level: int = 2
    unit: Unit = "sentences"
    merge_below: int = 0

    def __post_init__(self) -> None:
        if self.strategy not in ("structure", "window", "headings"):
            raise _wrong(f"strategy {self.strategy!r}", f"切分方式 {self.strategy!r}")
        if self.unit not in get_args(Unit):
            raise _wrong(f"unit {self.unit!r}", f"切分单位 {self.unit!r}")
        if not 1 <= self.level <= 9:
            raise _wrong(f"level {self.level}: 1 to 9", f"标题级别 {self.level}：应为 1 到 9")
        smallest = 1 if self.strategy == "window" else SMALLEST
        if self.limit < smallest:
            raise _wrong(f"size {self.limit}: at least {smallest}", f"长度 {self.limit}：至少 {smallest}")
        if not 0 <= self.overlap < self.limit:
            raise _wrong(
                f"overlap {self.overlap}: from 0 to less than the size, {self.limit}",
                f"重叠 {self.overlap}：应不小于 0 且小于长度 {self.limit}",
            )
        if self.strategy == "structure" and not 0 <= self.minimum <= self.maximum:
            raise _wrong(
                f"minimum {self.minimum}: from 0 to the maximum, {self.maximum}",
                f"最小长度 {self.minimum}：应在 0 与最大长度 {self.maximum} 之间",
            )

    @property
    def limit(self) -> int:
        """The largest chunk: characters for `window`, else tokens."""
        return self.size or self.maximum if self.strategy == "window" else self.maximum


def _wrong(english: str, chinese: str) -> UsageError:
    return UsageError(
        say(
            "These chunk settings cannot work: {what}.",
            "切分设置不可用：{what}。",
            what=say("{x}", "{y}", x=english, y=chinese),
        ),
        say(
            "Choose a preset ({presets}) or figures with overlap < size.",
            "请选用预设（{presets}），或让重叠小于长度。",
            presets=", ".join(_NAMES),
        ),
    )


_NAMES = ("general", "technical", "code", "law", "chat", "table", "window", "headings")
# Where a range of overlaps is customary (50-80), the upper figure bounds it: whole sentences up to there.
PRESETS: Mapping[str, ChunkOptions] = {
    "general": ChunkOptions(minimum=300, maximum=500, overlap=80),
    "technical": ChunkOptions(minimum=400, maximum=600, overlap=100),
    "code": ChunkOptions(minimum=200, maximum=400, overlap=40, unit="definitions"),
    "law": ChunkOptions(minimum=600, maximum=1000, overlap=150, unit="clauses"),
    "chat": ChunkOptions(minimum=200, maximum=300, overlap=50, unit="turns"),
    "table": ChunkOptions(minimum=300, maximum=500, overlap=0, unit="lines"),
    "window": ChunkOptions(strategy="window", size=400, overlap=60),
    "headings": ChunkOptions(strategy="headings", minimum=0, maximum=4000, overlap=0, level=2),
}
_CODE_TYPES = (
    "python javascript typescript jsx tsx java kotlin go rust c cpp csharp ruby php swift scala shell sql code"
)
_BY_TYPE = {
    **dict.fromkeys(_CODE_TYPES.split(), "code"),
    **dict.fromkeys(("xlsx", "xls", "ods", "csv", "tsv"), "table"),
}


def preset_for(document: Document) -> str:
    """Return the name of the document's preset: its own, else by its type, else `general`. Raises UsageError for an unknown name."""
    name = document.preset or _BY_TYPE.get(document.type, "general")
    if name not in PRESETS:
        raise UsageError(
            say("There is no chunk preset {name!r}.", "没有名为 {name!r} 的切分预设。", name=name),
            say("Choose one of {presets}.", "可选：{presets}。", presets=", ".join(PRESETS)),
        )
    return name
