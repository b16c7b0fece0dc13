"""What Yinju says to people, in their language: each message stands in English and Chinese at the place where it is used."""

from __future__ import annotations

import locale
import os
from contextvars import ContextVar
from decimal import ROUND_DOWN, Decimal

LANGUAGES = ("en", "zh")
_language: ContextVar[str | None] = ContextVar("yinju_language", default=None)


def language() -> str:
    """Return `en` or `zh`: what a door has set, else `YINJU_LANG`, else the locale, else `en`."""
    return _language.get() or _from_environment()


def set_language(name: str | None) -> None:
    """Speak `en` or `zh` from now on in this context; None goes back to the environment. Raises ValueError."""
    if name is not None and name not in LANGUAGES:
        raise ValueError(f"language must be one of {', '.join(LANGUAGES)}, not {name!r}")
    _language.set(name)


def say(english: str, chinese: str, /, **values: object) -> str:
    """Return the message in the user's language; `{names}` are filled from `values` (never from text inside them)."""
    return (chinese if language() == "zh" else english).format(**values)


def short_of(reached: float, needed: float) -> tuple[str, str]:
    """Return both numbers with as few places (two at least) as show that the first one falls short of the second, if it does."""
    numbers = [Decimal(repr(float(number))) for number in (reached, needed)]
    for places in range(2, 9):
        low, high = (number.quantize(Decimal(1).scaleb(-places), ROUND_DOWN) for number in numbers)
        if low < high or reached >= needed:
            break
    return str(low), str(high)


def _from_environment() -> str:
    names = (os.environ.get(key, "") for key in ("YINJU_LANG", "LC_ALL", "LC_MESSAGES", "LANG"))
    name = next((name for name in names if name), "") or (locale.getlocale()[0] or "")
    return "zh" if name.lower().startswith(("zh", "chinese")) else "en"
