"""Is a cell a value, a name of a column, or a sign that belongs to the number beside it?"""

from __future__ import annotations

import re

from yinju.load.office.rows import looks_like_value

_MONTH = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\.?"
_TIME = re.compile(
    rf"(?:(?:19|20)\d\d(?:\s*[-/年.]\s*\d{{0,2}}\s*月?(?:\s*\d{{1,2}}\s*日)?)?(?:\s*年?度?)?(?:\s*\(?[a-z]\)?)?"
    rf"|{_MONTH}\s+\d{{1,2}},?(?:\s*(?:19|20)\d\d)?|{_MONTH}\s+(?:19|20)?\d\d|(?:fy|q[1-4]|fiscal)\s*'?\d{{2,4}}|\d{{1,2}}\s*月(?:\s*\d{{1,2}}\s*日)?)",
    re.IGNORECASE,
)
_DASH = re.compile(r"[-–—―\s]+|n/?a|nm|\*+", re.IGNORECASE)
_DRESS = re.compile(r"^[-–—(\s]*(?:US|HK|NT|RMB)?[$€£¥￥]?\s*[-–—(\s]*|[\s)%]+$")
SIGN = re.compile(r"(?:US|HK|NT)?[$€£¥￥](?:\s*\()?|\(")
SIGN_BEHIND = re.compile(r"[)%]+|%\s*\)")
_NUMBER_AHEAD = re.compile(r"[-–—(\d.$]")


def is_value(cell: str) -> bool:
    """Return whether the cell is a number, an amount, a date or a dash, not a name."""
    return bool(looks_like_value(cell) or _DASH.fullmatch(cell) or looks_like_value(_DRESS.sub("", cell)))


def is_time(cell: str) -> bool:
    """Return whether the cell is a year, a quarter or a date: a value that often names a column."""
    return bool(_TIME.fullmatch(cell.strip()))


def takes_sign(cell: str) -> bool:
    """Return whether a currency sign or bracket in front belongs to this cell."""
    return bool(_NUMBER_AHEAD.match(cell))
