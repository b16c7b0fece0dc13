"""Bytes to text: which encoding is decided by evidence, never by the locale and never by what a file claims about itself.

Order of evidence: byte-order mark; strict UTF-8; UTF-16 without a mark (seen by where its zero bytes stand and by its line ends); then every
multi-byte encoding of East Asia that decodes without an error, scored by how common the characters are that come out (Big5 read as GB18030
gives no error but characters that nobody writes); what the file declares only breaks near-ties; last charset-normalizer for the rest.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from yinju.errors import DocumentError
from yinju.messages import say

BINARY_SHARE = 0.02  # more control characters than this are no text
REPLACED_SHARE = (
    0.01  # of all characters: a text with no more broken sequences than this is damaged, not of another encoding
)
BROKEN_SHARE = 0.1  # of the characters beyond ASCII: chance makes far fewer valid sequences of UTF-8
SAMPLE = 60_000  # bytes that are judged; the whole is decoded

# The characters most used in running text, simplified and traditional: about half of all that is written.
_COMMON = frozenset(
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现"
    "当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重"
    "并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入"
    "几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基"
    "眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运笔请选项文"
    "這個們來為國說時會對過發後裡種經麼學當沒動還進樣開從實軍無與長機業將兩間問應戰頭體見產制話給門員論處義幾認條氣題爾別變總電數報結務場計"
    "資許統區隊決馬書聽達強難權設記據邊張該規萬覺術領確傳師觀讓識帶導爭運請選項維基網路圖頁編輯檔案標準語協議製作關於並內現點"
    "，。、；：？！“”‘’（）《》「」『』—…０１２３４５６７８９"
)
# The syllables most used in Korean text. Without them any short Chinese text is as good Korean: GB2312 and KS X 1001 share their bytes.
_KOREAN = frozenset(
    "이다는의에을를가은고하지로기도어서사한인시자대나리아들있과정수그해만일전라것부주제보으니구상여와스무음연장용공국원안면성생동유화경비소관물위중"
    "우조신개세었게했던할될된및내발모오마적거요까때문입습없말글계학교년월설방법당분회업통운행달실명식단번호트드르레프터인데려면서든지며야너저우리"
)
# name -> what it must be better by: each pair of bytes is some character in UTF-16
_CANDIDATES = {
    "gb18030": 0.0,
    "big5": 0.0,
    "big5hkscs": 0.0,
    "shift_jis": 0.0,
    "euc_jp": 0.0,
    "euc_kr": 0.0,
    "utf-16-le": 0.2,
    "utf-16-be": 0.2,
}
_WESTERN = frozenset("äöüßéèêëàâáçñóòôíîïìúùûœæøåãõÄÖÜÉÈÀÂÁÇÑÓÍÚŒÆØÅÃÕ–—‘’“”„…«»°§©®™€£¿¡·•×½²³\xa0")
_SINGLE_BYTE = (
    *("cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258"),
    *("koi8_r", "koi8_u", "cp866", "cp874", "tis_620", "iso8859_2", "iso8859_5", "iso8859_7"),
)
_DECLARED = {"gb2312": "gb18030", "gbk": "gb18030", "iso8859-1": "cp1252", "ascii": "cp1252"}
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
    """The text without its byte-order mark, the encoding's name, and how many broken sequences became U+FFFD."""

    text: str
    encoding: str
    replaced: int = 0

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader of the receipt should know."""
        return (f"replaced-characters: {self.replaced}",) if self.replaced else ()


def decode(data: bytes, declared: str | None = None) -> Decoded:
    """Return the text of a text file. `declared` is an encoding that the file itself names.

    Raises DocumentError with code `binary` where the bytes are no text in any encoding.
    """
    decoded = (
        _marked(data)
        or _utf8(data)
        or _utf16(data)
        or _damaged_utf8(data)
        or _east_asian(data, declared)
        or _other(data, declared)
    )
    if decoded is None or is_binary(decoded.text):
        raise DocumentError(
            say("the bytes are no text in any known encoding", "这些字节不是任何已知编码的文本"),
            say("rename it, or name it in .yinjuignore", "请改名，或写入 .yinjuignore"),
            code="binary",
        )
    return decoded


def _marked(data: bytes) -> Decoded | None:
    """A byte-order mark says how to read a text, but some other files begin with these bytes too."""
    for mark, name in _BOMS:
        if data.startswith(mark):
            decoded = _replacing(data[len(mark) :], name)
            if decoded.replaced <= 1 + REPLACED_SHARE * len(decoded.text):
                return decoded
    return None


def is_binary(text: str) -> bool:
    """Say whether this has too many control characters for a text. Zero bytes do not count: some editors pad with them."""
    sample = text[:SAMPLE]
    return len(_CONTROL.findall(sample)) > max(2, BINARY_SHARE * len(sample))


def _utf8(data: bytes) -> Decoded | None:
    if _looks_utf16(data):
        return None
    try:
        return Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        return None


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
        1 for c in text if c < "\u0500" or "\u3000" <= c <= "\u30ff" or "\uff00" <= c <= "\uff5e" or _in_use(c)
    )
    return order if plausible > 0.9 * len(text) else None


def _in_use(character: str) -> bool:
    if "\u2010" <= character <= "\u2026":
        return True
    if "\uac00" <= character <= "\ud7a3":
        return _in_korean(character)
    return "\u4e00" <= character <= "\u9fff" and _everyday(character)


def _utf16(data: bytes) -> Decoded | None:
    order = _looks_utf16(data)
    text = _strict(data, order) if order else None
    return Decoded(text, order) if text is not None and order else None


def _damaged_utf8(data: bytes) -> Decoded | None:
    """UTF-8 with a few broken places (a file cut off, a byte lost) must not be taken for another encoding."""
    decoded = _replacing(data, "utf-8")
    text, broken = decoded.text, decoded.replaced
    good = len(text) - len(text.encode("ascii", "ignore")) - broken
    cut_at_the_end = broken == 1 and text.endswith("\ufffd")
    return decoded if good > 0 and (cut_at_the_end or broken <= BROKEN_SHARE * good) else None


def _east_asian(data: bytes, declared: str | None) -> Decoded | None:
    preferred = _canonical(declared)
    best, best_score = None, 0.25  # below that it is no East Asian text
    for name, handicap in _CANDIDATES.items():
        decoded = _replacing(data, name)
        if decoded.replaced > (0 if name.startswith("utf") else 1 + REPLACED_SHARE * len(decoded.text)):
            continue
        score = (
            _score(decoded.text[:SAMPLE])
            - handicap
            + (0.1 if name == preferred else 0.0)
            - (0.1 if decoded.replaced else 0.0)
        )
        if score > best_score:
            best, best_score = decoded, score
    return best


def _other(data: bytes, declared: str | None) -> Decoded | None:
    preferred = _canonical(declared)
    text = _strict(data, preferred) if preferred else None
    if text is not None and preferred and not is_binary(text):
        return Decoded(text, preferred)
    if is_binary(data[:SAMPLE].decode("latin-1")):
        return None
    western = _strict(data, "cp1252")
    if western is not None and all(c < "\x80" or c in _WESTERN for c in western[:SAMPLE]):
        return Decoded(western, "cp1252")
    damaged = _replacing(data, "utf-8")
    if damaged.replaced <= 1 + REPLACED_SHARE * len(damaged.text):
        return damaged
    from charset_normalizer import from_bytes

    match = from_bytes(data[:SAMPLE], cp_isolation=list(_SINGLE_BYTE)).best()
    return _replacing(data, match.encoding) if match is not None else None


def _score(text: str) -> float:
    """Return from 0 to 1 how much the characters beyond ASCII look like a text that somebody wrote in East Asia.

    Common Chinese characters, kana and Hangul syllables in words count for it; private, unassigned and lone odd characters against it.
    """
    beyond = [c for c in text if c > "\x7f"]
    if not beyond:
        return 0.0
    good = 0.0
    for c in beyond:
        if c in _COMMON or "\u3041" <= c <= "\u30fa" or c == "ー":
            good += 1
        elif "\uac00" <= c <= "\ud7a3":
            good += 1 if c in _KOREAN else 0.3 if _in_korean(c) else -0.1
        elif "\u4e00" <= c <= "\u9fff":
            good += 0.3 if _everyday(c) else -0.1
        elif "\ue000" <= c <= "\uf8ff" or "\uff61" <= c <= "\uff9f" or c == "\ufffd":
            good -= 1
    return good / len(beyond)


def _everyday(character: str) -> bool:
    """Say whether GB2312 (6,763 characters) or the first level of Big5 (5,401) has this character."""
    for name, last in (("gb2312", b"\xf7\xfe"), ("big5", b"\xc6\x7e")):
        try:
            if character.encode(name) <= last:
                return True
        except UnicodeEncodeError:
            continue
    return False


def _in_korean(character: str) -> bool:
    """Say whether KS X 1001 (2,350 syllables of 11,172) has this syllable."""
    try:
        return bool(character.encode("euc_kr"))
    except UnicodeEncodeError:
        return False


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
