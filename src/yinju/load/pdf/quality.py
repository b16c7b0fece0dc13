"""How much of a page's text is worth nothing: the one place where it is decided that a page is garbled.

Fonts without a code table give numbers, private or replacement characters, letters that are all off by one number, or characters of
many scripts in one word; text that was decoded by the wrong table gives Chinese characters that nobody uses.
"""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Sequence
from functools import cache

GARBLED = 0.3  # from this worthlessness on a page is not indexed
_VOWELS = (b"a", b"e", b"i", b"o", b"u", b"y")
_FEW = 20  # letters, of which nothing can be said
_COMMONEST = frozenset(
    ("the", "and", "for", "der", "die", "und", "les", "des", "que", "los", "una", "het", "een", "che")
)
_MOST_SCRIPTS = 5
_NUMBERED = 7  # characters that `(cid:12)` has in the mean
_LEVELS = (
    ("gb2312", 0xB0, 0xD7, 0xA1),
    ("big5", 0xA4, 0xC6, 0x40),
    ("euc_jp", 0xB0, 0xCF, 0xA1),
)  # lead bytes of common characters


def worthlessness(texts: Sequence[str], characters: int, unreadable: int) -> float:
    """Return the share of a page's text that means nothing, from 0 to 1; `unreadable` characters are known to mean nothing."""
    whole = max(characters, 1)
    numbered = sum(text.count("(cid:") * _NUMBERED + text.count("锟斤拷") * 3 for text in texts)
    known = min((unreadable + numbered) / whole, 1.0)
    return 1.0 if is_offset(texts) else max(known, _unused_share(texts), _mixture(texts))


def is_offset(texts: Sequence[str]) -> bool:
    """Return whether all letters are off by one number, as where a font's code table is missing or wrong: `WKH` for `the`, by 29."""
    letters, vowels = _latin(texts)
    if letters < _FEW or 10 * vowels >= 3 * letters:
        return False
    words = [word for text in texts for word in text.split()]
    seen = Counter(word for word in words if len(word) == 3 and word.isascii())
    return any(_offset_words(seen, number) * 16 > len(words) for number in range(-60, 61) if abs(number) not in (0, 32))


def _offset_words(words: Counter[str], number: int) -> int:
    """Return how many of the words are among the commonest when each code is raised by this number."""
    shifted = (("".join(chr(max(ord(letter) + number, 0)) for letter in word), count) for word, count in words.items())
    return sum(count for word, count in shifted if word in _COMMONEST)


def is_shifted(texts: Sequence[str], characters: int) -> bool:
    """Return whether Latin text has so few vowels that its font's code table must be wrong: every language has more than a fifth."""
    letters, vowels = _latin(texts)
    return letters >= max(40, characters // 2) and 5 * vowels < letters


def _latin(texts: Sequence[str]) -> tuple[int, int]:
    """Return how many unaccented Latin letters there are, and how many of them are vowels."""
    lower = "".join(texts).encode("ascii", "ignore").lower()
    letters = len(lower) - len(lower.translate(None, string.ascii_lowercase.encode()))
    return letters, sum(map(lower.count, _VOWELS))


def _unused_share(texts: Sequence[str]) -> float:
    """The share of Chinese characters that are not among the common ones; in real text it is below a tenth."""
    han = [character for text in texts if not text.isascii() for character in text if "\u3400" <= character <= "\u9fff"]
    if len(han) < _FEW:
        return 0.0
    common = _common()
    return sum(character not in common for character in han) / len(han)


@cache
def _common() -> frozenset[str]:
    """The common characters of the Chinese and Japanese national standards: their first levels."""
    found: set[str] = set()
    for table, first, last, lowest in _LEVELS:
        for lead in range(first, last + 1):
            row = b"".join(bytes((lead, trail)) for trail in range(lowest, 0xFF))
            found.update(row.decode(table, errors="ignore"))
    return frozenset(found)


def _mixture(texts: Sequence[str]) -> float:
    """The share of letters outside of the two commonest scripts, where there are more scripts than a page ever has."""
    letters = Counter("".join(text for text in texts if not text.isascii()))
    scripts: Counter[int] = Counter()
    for character, count in letters.items():
        if character.isalpha():
            scripts[_script(ord(character))] += count
    total = sum(scripts.values())
    if total < _FEW or len(scripts) <= _MOST_SCRIPTS:
        return 0.0
    return 1.0 - sum(count for _, count in scripts.most_common(2)) / total


def _script(code: int) -> int:
    """A number for each script, roughly: the block of 128 codes, Latin and East Asian ones taken together."""
    if code < 0x250 or 0x1E00 <= code < 0x1F00:
        return 0
    if 0x2E80 <= code < 0xA000 or 0xF900 <= code < 0xFB00 or code >= 0xFF00:
        return 1
    if 0xAC00 <= code < 0xD7B0:
        return 2
    if 0x2000 <= code < 0x2E80:
        return 3  # letter-like signs of formulae
    return code >> 7
