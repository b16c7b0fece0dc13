"""How alike two passages are, so that copies, near-copies and old versions are told from passages that only sound alike.

Two pages of boilerplate differ in a few words and say the same; two price lists differ in a few digits and do not. Wording is therefore
compared by shingles (three units in a row: Chinese characters, other words) in which every number counts as one and the same, and what
makes it another statement is kept apart: numbers, names and codes, negations. `near` asks for all of them.

Fingerprints are simhashes (Charikar 2002, "Similarity estimation techniques from rounding algorithms"): the share of bits in which two
differ estimates the angle between their sets of shingles. They find candidates; `resemblance` decides.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from hashlib import blake2b

from yinju.text.normalize import fold

NEAR = 0.7  # resemblance from which the wording is the same but for details
NEAR_BITS = 20  # passages of 100 to 1,200 characters that were near differed in no more bits of their fingerprints

_LONGEST_NUMERAL = (
    40  # signs of a Chinese number whose value is told; beyond it is itself (a document may hold one of any length)
)
_WIDTH = 3  # units in a shingle
_HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_RUNNING = "\u3041-\u3096\u30a1-\u30fa\u30fc\u0e00-\u0eff\uac00-\ud7af"  # also without spaces, or with endings
_DIGITS = {digit: value for value, digits in enumerate(("零〇", "一壹", "二贰两", "三叁", "四肆", "五伍", "六陆", "七柒", "八捌", "九玖"))
           for digit in digits}  # fmt: skip
_SCALES = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000, "万": 10**4, "亿": 10**8}
_NUMERAL = "".join((*_DIGITS, *_SCALES))
_SHARES = {"百": "%", "千": "‰", "万": "‱"}
# What follows a Chinese numeral of one character that counts: 一 in 一些 and 统一 counts nothing.
_COUNTED = "年月日号天周岁时点分秒元角块折成倍个件台次名人位条款项章节编页级期册份批间层公米千吨两斤升度"
_number = re.compile(
    r"(?<![\d.])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)*%?"
    rf"|(?<=第)[{_NUMERAL}]+|[百千万]分之[{_NUMERAL}]+|(?!万一)[{_NUMERAL}]{{2,}}|[{_NUMERAL}](?=[{_COUNTED}])"
)
_unit = re.compile(f"[{_HAN}{_RUNNING}]|#|[^\\W_{_HAN}{_RUNNING}]+")
_name = re.compile(f"[^\\W\\d_{_HAN}{_RUNNING}][^\\W_{_HAN}{_RUNNING}]*(?:[-_.][^\\W_{_HAN}{_RUNNING}]+)*")
# Chinese names are told by what they end with: 专业版, 乙型, 江苏省.
_chinese_name = re.compile(f"[{_HAN}a-z0-9]{{1,2}}(?:版|型|款|档|套餐|系列|方案|计划|省|市|县|公司)")
_negation = re.compile(
    r"不(?![同过断仅但论管少久足])|未(?!来)|无(?!论|线|数)|没(?!收)|非(?!常)|勿|禁止|严禁|拒绝"
    r"|\b(?:not|no|never|none|cannot|without|neither|nor|[a-z]+n['’]t)\b"
)


def fingerprint(text: str) -> int:
    """Return the 64-bit simhash of the wording; 0 for a text without words."""
    pieces = shingles(text)
    joined = b"".join(piece.to_bytes(8, "big") for piece in pieces)
    found = 0
    for place in range(8):
        counts = [0] * 8
        for value, times in Counter(joined[place::8]).items():
            for bit in range(8):
                counts[bit] += times if value >> (7 - bit) & 1 else -times
        for count in counts:
            found = found << 1 | (count > 0)
    return found


def distance(a: int, b: int) -> int:
    """Return in how many bits two fingerprints differ, 0 to 64."""
    return (a ^ b).bit_count()


def shingles(text: str) -> frozenset[int]:
    """Return the hashes (64 bits) of every three units in a row, folded, without white space and punctuation, numbers all alike."""
    units = _unit.findall(_number.sub("#", fold(text)))
    if len(units) <= _WIDTH:
        return frozenset([_hash("\0".join(units))]) if units else frozenset()
    return frozenset(_hash("\0".join(part)) for part in zip(units, units[1:], units[2:], strict=False))


def resemblance(a: str, b: str) -> float:
    """Return the share of shingles that two passages have in common (Jaccard), 0 to 1; two without words are alike."""
    one, other = shingles(a), shingles(b)
    return len(one & other) / len(one | other) if one or other else 1.0


def numbers(text: str) -> tuple[str, ...]:
    """Return the numbers in order: `1,200`, `１２００` and `一千二百` are `1200`, `百分之五` is `5%`. Zeros at the end stay: 3.10 is not 3.1."""
    return tuple(_plain(match.group()) for match in _number.finditer(fold(text)))


def names(text: str) -> frozenset[str]:
    """Return what a Chinese passage names: words and codes of Latin letters, and words that end as names do (`专业版`). In other texts: codes,
    and words in capitals or with a capital inside a sentence."""  # fmt: skip
    chinese = frozenset(_chinese_name.findall(fold(text)))
    if len(re.findall(f"[{_HAN}]", text)) > len(re.findall("[a-zA-Z]+", text)):
        return chinese | frozenset(match.group() for match in _name.finditer(fold(text)))
    found = set(chinese)
    for match in _name.finditer(text):
        word, place = match.group(), match.start()
        if (not word.islower() and (_is_code(word) or _goes_on(text[max(0, place - 40) : place]))) or any(
            sign.isdigit() for sign in word
        ):
            found.add(fold(word))
    return frozenset(found)


def near(a: str, b: str) -> bool:
    """Return whether two passages say the same but for details of wording: alike, with the same numbers, names and negations."""
    return (
        numbers(a) == numbers(b)
        and _negations(a) == _negations(b)
        and names(a) == names(b)
        and resemblance(a, b) >= NEAR
    )


def _is_code(word: str) -> bool:
    """Whether a word is no ordinary one, wherever it stands: `MX-500`, `iPhone`, `SQL`."""
    return any(sign.isdigit() or sign.isupper() for sign in word[1:])


def _goes_on(before: str) -> bool:
    """Whether what comes next stands inside a sentence."""
    shown = before.rstrip()
    return bool(shown) and shown[-1] not in '.!?:"“*#>|-' and "\n" not in before[len(shown) :]


def _negations(text: str) -> int:
    return len(_negation.findall(fold(text)))


@lru_cache(maxsize=1 << 16)
def _hash(shingle: str) -> int:
    return int.from_bytes(blake2b(shingle.encode("utf-8", "replace"), digest_size=8).digest(), "big")


def _plain(number: str) -> str:
    if number[0].isdecimal():
        digits = "".join(str(int(sign)) if sign.isdecimal() else sign for sign in number if sign != ",")
        return digits.lstrip("0") or "0" if digits.isdigit() else digits
    if len(number) > _LONGEST_NUMERAL:
        return number
    if number[1:3] == "分之":
        return f"{_value(number[3:])}{_SHARES[number[0]]}"
    return str(_value(number))


def _value(numeral: str) -> int:
    """Return the value of `一百零五`, `二〇二四`, `两万三千`; digits without a scale are read one by one."""
    if all(sign in _DIGITS for sign in numeral):
        return int("".join(str(_DIGITS[sign]) for sign in numeral))
    total = section = digit = 0
    for sign in numeral:
        if sign in _DIGITS:
            digit = _DIGITS[sign]
        elif (scale := _SCALES[sign]) < 10**4:
            section, digit = section + (digit or 1) * scale, 0
        else:
            total, section, digit = (total + section + digit or 1) * scale, 0, 0
    return total + section + digit
