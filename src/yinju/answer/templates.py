"""The texts that models are sent, as files that people can review: `prompts/*.md`, with `{name}` where something is filled in."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

_NAME = re.compile(r"\{(\w+)\}")


@cache
def template(name: str) -> str:
    """Return the text of a file in `prompts`."""
    return (files("yinju.answer") / "prompts" / name).read_text(encoding="utf-8").strip()


def filled(text: str, **values: str) -> str:
    """Fill `{name}` in one pass: what the values say is never read as a name."""
    return _NAME.sub(lambda match: values.get(match[1], match.group()), text)


@cache
def shape_of(name: str) -> re.Pattern[str]:
    """Return the pattern of a filled template; its groups are the names. What stands at a name twice has to be the same."""
    seen: set[str] = set()
    pattern = ""
    for place, piece in enumerate(_NAME.split(template(name))):
        if place % 2 == 0:
            pattern += re.escape(piece)
        else:
            pattern += rf"(?P={piece})" if piece in seen else rf"(?P<{piece}>.*)"
            seen.add(piece)
    return re.compile(pattern, re.DOTALL)
