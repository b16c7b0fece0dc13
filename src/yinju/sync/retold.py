"""What a reader wrote down about a file, told in the language of whoever asks now: it may have been written in the other one, long ago.

Details of a reason hold numbers and names, so the messages of the readers are patterns here; what fits none of them stays as it was written.
"""

from __future__ import annotations

import re
from functools import cache
from string import Formatter

from yinju.messages import language
from yinju.sync.said import SAID

LONGEST = 500  # characters; longer ones hold text of a file, and are no messages of ours
_LEAST = 3  # characters of a pattern that are no place for a value


def retold(text: str) -> str:
    """Return this message of a reader in the user's language, or as it is where it is in that language already, or unknown."""
    if len(text) > LONGEST:
        return text
    wanted = language()
    for pattern, other in _patterns(wanted):
        found = pattern.fullmatch(text)
        if found is not None:
            return _filled(other, found.groupdict())
    return text


def _filled(template: str, values: dict[str, str]) -> str:
    """Fill a template from what stood in the other one; what only English needs is the ending of a plural."""
    if "count" in values:
        values.setdefault("s", "" if values["count"] == "1" else "s")
    return "".join(
        literal + ("" if name is None else values.get(name, "")) for literal, name, _form, _how in Formatter().parse(template)
    )  # fmt: skip


@cache
def _patterns(wanted: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return the messages of the other language as patterns with those of this one, the most exact first."""
    made: list[tuple[int, re.Pattern[str], str]] = []
    for english, chinese in SAID:
        told, other = (chinese, english) if wanted == "en" else (english, chinese)
        parts = list(Formatter().parse(told))
        exact = sum(len(literal) for literal, *_rest in parts)
        if exact < _LEAST:
            continue
        seen: set[str] = set()
        pattern = ""
        for literal, name, _form, _how in parts:
            pattern += re.escape(literal)
            if name is not None:
                pattern += "(?:.*?)" if name in seen else f"(?P<{name}>.*?)"
                seen.add(name)
        made.append((exact, re.compile(pattern, re.DOTALL), other))
    return tuple((pattern, other) for _exact, pattern, other in sorted(made, key=lambda one: -one[0]))
