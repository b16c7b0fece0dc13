"""Bytes to text: which encoding is decided by evidence, never by the locale and never by what a file claims about itself.

Order of evidence: byte-order mark; the escapes of HZ and ISO-2022-JP; UTF-32 and UTF-16 without a mark (seen by where their zero bytes stand);
strict UTF-8; UTF-8 with lines of another encoding in it; then every encoding of East Asia that decodes without an error, scored by how common
the characters are that come out and if they make words (`encoding_evidence.py`); what the file declares only breaks near-ties; last
charset-normalizer for the rest. A text that was decoded wrongly before it was saved is told by `mojibake.py`.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, replace

from yinju.errors import DocumentError
from yinju.load.encoding_evidence import common_chinese, hangul_alone, in_use, in_words, kana_share, score
from yinju.messages import say

BINARY_SHARE = 0.02  # more control characters than this are no text
REPLACED_SHARE = (
    0.01  # of all characters: a text with no more broken sequences than this is damaged, not of another encoding
)
BROKEN_SHARE = 0.1  # of the characters beyond ASCII: chance makes far fewer valid sequences of UTF-8
SAMPLE = 60_000  # bytes that are judged; the whole is decoded
SHORT = 400  # bytes: a text in which a word or two must decide
# name -> what it is better or worse by from the start. Of two bytes all are some character in UTF-16; Simplified Chinese is what we meet most.
_CANDIDATES = {
    "gb18030": 0.15,
    "big5": 0.0,
    "big5hkscs": -0.02,
    "shift_jis": 0.0,
    "euc_jp": -0.1,
    "euc_kr": -0.1,
    "utf-16-le": -0.2,
    "utf-16-be": -0.2,
}
_CHINESE = ("gb18030", "big5", "big5hkscs", "utf-16-le", "utf-16-be")
_MIXED = ("gb18030", "big5", "shift_jis", "euc_kr")  # what single lines in a file of UTF-8 are written in
_ESCAPES = ((b"~{", "hz"), (b"\x1b$B", "iso2022_jp_2"), (b"\x1b$@", "iso2022_jp_2"), (b"\x1b$)C", "iso2022_kr"))
_WESTERN = frozenset("‚†‡ˆ‰‹›˜™Šš¥ŽžÿýäöüßéèêëàâáçñóòôíîïìúùûœæøåãõÄÖÜÉÈÀÂÁÇÑÓÍÚŒÆØÅÃÕ–—‘’“”„…«»°§©®™€£¿¡·•×½²³\xa0")
_SINGLE_BYTE = (
    *("cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258"),
    *("koi8_r", "koi8_u", "cp866", "cp874", "tis_620", "iso8859_2", "iso8859_5", "iso8859_7"),
)
_DECLARED = {"gb2312": "gb18030", "gbk": "gb18030", "iso8859-1": "cp1252", "ascii": "cp1252"}
_SCRIPTS = ("LATIN", "GREEK", "CYRILLIC", "HEBREW", "ARABIC", "ARMENIAN", "COMBINING")
_BEYOND_ASCII = re.compile("[^\x00-\x7f]+")
_SMALL_CYRILLIC = re.compile("[а-яё]")
_CYRILLIC_WORD = re.compile("[«„“”»…–—№\xa0]*(?:[А-ЯЁ]?[а-яё]{0,40}|[А-ЯЁ]{1,40})[«„“”»…–—№\xa0]*\\Z")
_LETTERS = "a-zA-ZÀ-ÖØ-öø-ÿŒœŠšŽžŸ"
_ACCENTED = re.compile(
    f"(?<![{_LETTERS}])[À-ÖØ-ÝŒŠŽ](?=[a-z]{{2}})|(?<=[a-zA-Z])[ß-öø-ÿœšž]{{1,2}}(?=[a-z]|[^{_LETTERS}]|\\Z)"
)
_SIGN = re.compile("(?<![^\x00-\x7f])[°§©®™€£•·×½²³µ±–—‘’“”…«»‹›\xa0](?![^\x00-\x7f])")
_LETTER_BESIDE = re.compile("[A-Za-z][^\x00-\x7f]|[^\x00-\x7f][A-Za-z]")
_SURROGATE = re.compile(b"\xed[\xa0-\xaf][\x80-\xbf]\xed[\xb0-\xbf][\x80-\xbf]")
_CONTROL = re.compile("[\x01-\x08\x0e-\x1a\x7f]")
_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text without its byte-order mark, the encoding's name, and how many broken sequences became U+FFFD.

    `mark` is the length of the mark in bytes. `plain` says that decoding the whole file by `encoding` gives the text; not so for mixed and for
    repaired files. `notes` are warnings.
    """

    text: str
    encoding: str
    replaced: int = 0
    mark: int = 0
    plain: bool = True
    notes: tuple[str, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader of the receipt should know."""
        return ((f"replaced-characters: {self.replaced}",) if self.replaced else ()) + self.notes


def decode(data: bytes, declared: str | None = None) -> Decoded:
    """Return the text of a text file. `declared` is an encoding that the file itself names.

    Raises DocumentError with code `binary` where the bytes are no text in any encoding.
    """
    from yinju.load.mojibake import looked_over

    decoded = (
        _marked(data)
        or _escaped(data)
        or _utf32(data)
        or _utf8(data)
        or _utf16(data)
        or _by_lines(data)
        or _damaged_utf8(data)
        or _western(data)
        or _cyrillic(data)
        or _east_asian(data, declared)
        or _other(data, declared)
    )
    if decoded is None or is_binary(decoded.text) or _is_filling(decoded):
        raise DocumentError(
            say("the bytes are no text in any known encoding", "这些字节不是任何已知编码的文本"),
            say("rename it, or name it in .yinjuignore", "请改名，或写入 .yinjuignore"),
            code="binary",
        )
    return looked_over(decoded)


def _marked(data: bytes) -> Decoded | None:
    """A byte-order mark says how to read a text, but some other files begin with these bytes too."""
    for mark, name in _BOMS:
        if data.startswith(mark):
            decoded = _without_mark(data, mark, name)
            if decoded.replaced <= 1 + REPLACED_SHARE * len(decoded.text):
                return decoded
    return None


def is_binary(text: str) -> bool:
    """Say whether this has too many control characters for a text. Zero bytes do not count: some editors pad with them."""
    sample = text[:SAMPLE]
    return len(_CONTROL.findall(sample)) > max(2, BINARY_SHARE * len(sample))


def _is_filling(decoded: Decoded) -> bool:
    """Say whether most of it is one byte beyond ASCII over and over, as on erased memory: a letter only in an alphabet of one byte each."""
    sample = decoded.text[:SAMPLE]
    if decoded.encoding not in _SINGLE_BYTE or len(sample) < SHORT:
        return False
    return any(count > len(sample) / 2 and not sign.isascii() for sign, count in Counter(sample).most_common(1))


def _escaped(data: bytes) -> Decoded | None:
    """HZ and ISO-2022 are ASCII with escapes around the rest."""
    for escape, name in _ESCAPES:
        if escape in data and data.isascii():
            text = _strict(data, name)
            if text is not None and not text.isascii() and score(text[:SAMPLE]) > 0.4:
                return Decoded(text, name)
    return None


def _utf32(data: bytes) -> Decoded | None:
    """Four bytes a character, of which the highest is always zero and the next nearly always."""
    if len(data) % 4 or len(data) < 8:
        return None
    for order, high, next_high in (("utf-32-le", 3, 2), ("utf-32-be", 0, 1)):
        sample = data[: SAMPLE // 4 * 4]
        if any(sample[high::4]) or sample[next_high::4].count(0) < 0.9 * (len(sample) // 4):
            continue
        text = _strict(data, order)
        if text is not None and text.count("\x00") <= 0.02 * len(text):
            return Decoded(text, order)
    return None


def _utf8(data: bytes) -> Decoded | None:
    if _looks_utf16(data):
        return None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return _cesu8(data)
    if len(data) <= SHORT and (other := _short_of_another(data, text)) is not None:
        return other
    return Decoded(text, "utf-8")


def _cesu8(data: bytes) -> Decoded | None:
    """UTF-8 in which characters beyond the first plane are written as two surrogates, as some databases and Java programs do."""
    if b"\xed\xa0" not in data and not _SURROGATE.search(data):
        return None
    try:
        halves = data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return None
    text = halves.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return Decoded(text, "cesu-8", text.count("\ufffd"), plain=False)


def _short_of_another(data: bytes, text: str) -> Decoded | None:
    """A few words may be valid UTF-8 by chance: two bytes of GB2312 as a letter nobody writes there, UTF-16 as control characters."""
    if not text.isascii() and all(c < "\u0800" for c in text) and _nobody_writes(text):
        chinese = _strict(data, "gb2312")
        if chinese is not None and common_chinese(chinese):
            return Decoded(chinese, "gb18030")
    if len(data) % 2 == 0 and _CONTROL.search(text):
        for order in ("utf-16-le", "utf-16-be"):
            wide = _strict(data, order)
            if wide is not None and not _CONTROL.search(wide) and score(wide) > 0.6:
                return Decoded(wide, order)
    return None


def _nobody_writes(text: str) -> bool:
    """Say whether all characters beyond ASCII stand in runs that mix letters with signs, letters of several scripts, or marks."""
    if _LETTER_BESIDE.search(text):
        return False
    return all(map(_mixed_up, _BEYOND_ASCII.findall(text)))


def _mixed_up(run: str) -> bool:
    kinds = {unicodedata.category(c) for c in run}
    scripts = {script for c in run if (script := unicodedata.name(c, "?").split(" ")[0]) in _SCRIPTS}
    return len(run) > 1 and ("Mn" in kinds or len(scripts) > 1 or (bool(scripts) and "No" in kinds))


def _looks_utf16(data: bytes) -> str | None:
    """Return the byte order that zero bytes give away: Latin text, spaces, digits and line ends have one in every second byte.

    Zero bytes alone prove nothing (a file may be padded with them): what comes out must look like writing.
    """
    sample = data[:SAMPLE]
    if len(data) % 2 or len(data) < 4 or b"\x00" not in sample:
        return None
    low, high = sample[0::2].count(0), sample[1::2].count(0)
    order = "utf-16-le" if high > low else "utf-16-be"
    text = _strict(sample[: len(sample) // 2 * 2], order)
    if text is None or min(low, high) > 0.02 * len(text):
        return None
    plausible = sum(
        1 for c in text if c < "\u0500" or "\u3000" <= c <= "\u30ff" or "\uff00" <= c <= "\uff5e" or in_use(c)
    )
    return order if plausible > 0.9 * len(text) else None


def _utf16(data: bytes) -> Decoded | None:
    order = _looks_utf16(data)
    text = _strict(data, order) if order else None
    return Decoded(text, order) if text is not None and order else None


def _by_lines(data: bytes) -> Decoded | None:
    """A file of UTF-8 into which somebody pasted lines of another encoding, or the other way round: each line by its own."""
    lines = data.splitlines(keepends=True)
    if len(lines) < 2:
        return None
    read = [_strict(line, "utf-8") for line in lines]
    odd = [number for number, text in enumerate(read) if text is None]
    beyond = [text for text in read if text is not None and _wide_utf8(text)]
    if not odd or not beyond:
        return None
    pasted = b"".join(lines[number] for number in odd)
    name = max(_MIXED, key=lambda name: _worth(_strict(pasted, name), name))
    if _worth(_strict(pasted, name), name) < 0.5 or not _belongs("".join(beyond), name):
        return None
    for number in odd:
        read[number] = lines[number].decode(name)
    note = f"mixed-encodings: {len(odd)} lines in {name}, the others in utf-8"
    return Decoded("".join(text or "" for text in read), f"utf-8+{name}", plain=False, notes=(note,))


def _wide_utf8(text: str) -> bool:
    """Say whether a line has characters of three bytes, which chance hardly makes."""
    return not text.isascii() and max(text) >= "\u0800"


def _belongs(text: str, name: str) -> bool:
    """Say whether the lines that are UTF-8 read better so than in the encoding of the others."""
    other = _strict(text.encode("utf-8"), name)
    return other is None or score(text[:SAMPLE]) > score(other[:SAMPLE])


def _worth(text: str | None, name: str) -> float:
    """Return how good a decoding is, below 0 where there is none."""
    if text is None:
        return -1.0
    sample = text[:SAMPLE]
    worth = score(sample) + _CANDIDATES[name]
    if name in _CHINESE:
        worth += 0.5 * in_words(sample) * max(score(sample), 0.0)
        worth -= 0.6 if not name.startswith("utf") and kana_share(sample) > 0.2 else 0.0
    elif name == "euc_jp":
        worth += 0.2 if kana_share(sample) > 0.1 else 0.0
    elif name == "euc_kr":
        worth += hangul_alone(sample)
    return worth


def _damaged_utf8(data: bytes) -> Decoded | None:
    """UTF-8 with a few broken places (a file cut off, a byte lost) must not be taken for another encoding."""
    decoded = _without_mark(data, codecs.BOM_UTF8, "utf-8")
    text, broken = decoded.text, decoded.replaced
    good = len(text) - len(text.encode("ascii", "ignore")) - broken
    cut_at_the_end = broken == 1 and text.endswith("\ufffd")
    return decoded if good > 0 and (cut_at_the_end or broken <= BROKEN_SHARE * good) else None


def _western(data: bytes) -> Decoded | None:
    """Words of Latin letters with one or two accented ones among them, and single signs, as Chinese hardly ever has them."""
    text = _strict(data, "cp1252")
    if text is None or not all(c < "\x80" or c in _WESTERN for c in text[:SAMPLE]):
        return None
    sample = text[:SAMPLE]
    known = sum(map(len, _ACCENTED.findall(sample))) + len(_SIGN.findall(sample))
    beyond = sum(1 for c in sample if c > "\x7f")
    words = sum(1 for c in sample if c.isascii() and c.isalpha())
    signs_alone = words >= 8 * beyond  # else a sign and a letter behind it may be one character of Big5
    return Decoded(text, "cp1252") if known == beyond and (signs_alone or not _SIGN.search(sample)) else None


def _cyrillic(data: bytes) -> Decoded | None:
    """Words of small Cyrillic letters in Windows-1251: no common Chinese character begins with one of these bytes."""
    text = _strict(data, "cp1251")
    words = _BEYOND_ASCII.findall(text[:SAMPLE]) if text is not None else []
    letters = "".join(words)
    small = len(_SMALL_CYRILLIC.findall(letters))
    good = text is not None and small >= 4 and small >= 0.75 * len(letters) and all(map(_CYRILLIC_WORD.match, words))
    good = good and not _LETTER_BESIDE.search(text or "")
    return Decoded(text, "cp1251") if text is not None and good else None


def _east_asian(data: bytes, declared: str | None) -> Decoded | None:
    preferred = _canonical(declared)
    best, best_worth = None, 0.4  # below that it is no East Asian text
    if preferred and preferred not in _CANDIDATES and _strict(data, preferred) is not None:
        best_worth = 0.6
    for name in _CANDIDATES:
        decoded = _replacing(data, name)
        if decoded.replaced > (0 if name.startswith("utf") else 1 + REPLACED_SHARE * len(decoded.text)):
            continue
        worth = _worth(decoded.text, name) + (0.1 if name == preferred else 0.0) - (0.15 if decoded.replaced else 0.0)
        if worth > best_worth and not is_binary(decoded.text):
            best, best_worth = decoded, worth
    return best


def _other(data: bytes, declared: str | None) -> Decoded | None:
    preferred = _canonical(declared)
    text = _strict(data, preferred) if preferred else None
    if text is not None and preferred and not is_binary(text):
        return Decoded(text, preferred)
    if is_binary(data[:SAMPLE].decode("latin-1")):
        return None
    western = _strict(data, "cp1252")
    sample = western[:SAMPLE] if western is not None else ""
    letters = sum(1 for c in sample if c.isascii() and c.isalnum())
    written = letters + 4 >= sum(1 for c in sample if not c.isascii())  # no language has accented letters alone
    if western is not None and written and all(c < "\x80" or c in _WESTERN for c in sample):
        return Decoded(western, "cp1252")
    damaged = _without_mark(data, codecs.BOM_UTF8, "utf-8")
    if damaged.replaced <= 1 + REPLACED_SHARE * len(damaged.text):
        return damaged
    from charset_normalizer import from_bytes

    match = from_bytes(data[:SAMPLE], cp_isolation=list(_SINGLE_BYTE)).best()
    return _replacing(data, match.encoding) if match is not None else None


def _canonical(declared: str | None) -> str | None:
    try:
        name = codecs.lookup(declared.strip()).name if declared else None
    except (LookupError, ValueError):
        return None
    # UTF-16 and UTF-8 were tried by evidence already; codecs that make no text are no encodings.
    if name is None or name.startswith(
        ("utf", "rot", "base", "hex", "zlib", "bz2", "quopri", "uu", "idna", "punycode", "mbcs", "oem")
    ):
        return None
    return _DECLARED.get(name, name)


def _strict(data: bytes, name: str) -> str | None:
    try:
        return data.decode(name)
    except (UnicodeDecodeError, LookupError):
        return None


def _replacing(data: bytes, name: str) -> Decoded:
    text = _strict(data, name)
    if text is not None:
        return Decoded(text, name)
    text = data.decode(name, errors="replace")
    return Decoded(text, name, text.count("\ufffd"))


def _without_mark(data: bytes, mark: bytes, name: str) -> Decoded:
    length = len(mark) if data.startswith(mark) else 0
    return replace(_replacing(data[length:], name), mark=length)
