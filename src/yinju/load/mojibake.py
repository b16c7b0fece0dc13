"""Text that was decoded wrongly before it was saved: repaired where the round trip proves it, else only flagged.

A repair changes what is shown, so it is made for the whole file or not at all: every character beyond ASCII must go back to bytes, these bytes
must be a text of the other encoding without an error, that text must be Chinese, Japanese or Korean, and doing the wrong again must give
exactly what the file holds. A document that merely quotes such text has other characters too, and stays as it is.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from yinju.load.encoding_evidence import score

if TYPE_CHECKING:
    from yinju.load.encoding import Decoded

ENOUGH = 4  # characters of East Asia must come out of a repair: of fewer nothing is certain
_SAMPLE = 20_000
_FOUND = 3  # traces in the sample before a file is looked at
# UTF-8 read as Latin-1 or Windows-1252: a lead byte of three-byte sequences and a trail byte.
_AS_LATIN = re.compile("[\xe2-\xef][\x80-\xbf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]{2}")
# UTF-8 read as GBK: what the commonest characters and the punctuation become.
_AS_GBK = re.compile("[锛銆鐨鍦涓浣鏄勬槸绗鍚浜鎴鏈杩璇闂]")
# GBK or Big5 read as Latin-1: nothing but capitals with accents and signs, two by two.
_GBK_AS_LATIN = re.compile("(?:[\xa1-\xfe]{2}){2,}")
_LOST = "锟斤拷"
_LATIN = {byte: bytes([byte]).decode("cp1252", "replace") for byte in range(0x80, 0xA0)}
_TO_BYTES = {ord(c if c != "\ufffd" else chr(byte)): byte for byte, c in _LATIN.items()}
_AS_BYTES = {code: chr(byte) for code, byte in _TO_BYTES.items()}


def looked_over(decoded: Decoded) -> Decoded:
    """Return the text repaired, or with a warning, where it was decoded wrongly before it was saved."""
    text = decoded.text
    if text.isascii() or not decoded.plain:
        return decoded
    sample = text[:_SAMPLE]
    for wrong, right, traces in (
        ("cp1252", "utf-8", _AS_LATIN),
        ("gb18030", "utf-8", _AS_GBK),
        ("cp1252", "gb18030", _GBK_AS_LATIN),
        ("cp1252", "big5", _GBK_AS_LATIN),
    ):
        if len(traces.findall(sample)) < (_FOUND if right == "utf-8" else 1):
            continue
        repaired = _repaired(text, wrong, right)
        if repaired is not None:
            note = f"mojibake-repaired: {right} that was read as {wrong}"
            return replace(decoded, text=repaired, plain=False, notes=(*decoded.notes, note))
    return replace(decoded, notes=decoded.notes + _flags(decoded, sample))


def _repaired(text: str, wrong: str, right: str) -> str | None:
    """Return what the text was, if doing the wrong again gives exactly this text."""
    data = _bytes(text, wrong)
    if data is None:
        return None
    try:
        repaired = data.decode(right)
    except UnicodeDecodeError:
        return None
    east = sum(
        1 for c in repaired if "\u3000" <= c <= "\u9fff" or "\uac00" <= c <= "\ud7a3" or "\uff00" <= c <= "\uff60"
    )
    if (
        east < ENOUGH
        or repaired.encode(right) != data
        or score(repaired[:_SAMPLE]) < (0.3 if right == "utf-8" else 0.7)
    ):
        return None
    return repaired


def _bytes(text: str, wrong: str) -> bytes | None:
    """Return the bytes of which the wrong decoding made this text, or None."""
    try:
        if wrong == "cp1252":  # with the bytes that it leaves open as Latin-1 reads them, as browsers do
            return text.translate(_AS_BYTES).encode("latin-1")
        return text.encode(wrong)
    except UnicodeEncodeError:
        return None


def _flags(decoded: Decoded, sample: str) -> tuple[str, ...]:
    flags: list[str] = []
    lost = decoded.text.count(_LOST)
    if lost:
        flags.append(f"mojibake: {lost} times {_LOST}, characters that were lost before the file was saved")
    saved = decoded.text.count("\ufffd") - decoded.replaced
    if saved > max(2, 0.001 * len(decoded.text)):
        flags.append(f"mojibake: {saved} characters were lost before the file was saved")
    beyond = sum(1 for c in sample if c > "\x7f")
    if len(_AS_LATIN.findall(sample)) * 3 > max(10, 0.3 * beyond):
        flags.append("mojibake: looks like utf-8 that was read as cp1252")
    elif len(_AS_GBK.findall(sample)) > max(4, 0.2 * beyond):
        flags.append("mojibake: looks like utf-8 that was read as gb18030")
    return tuple(flags)
