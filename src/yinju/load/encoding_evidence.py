"""How much a decoded text looks like one that somebody wrote in East Asia: by how common its characters are, and if they make words.

Wrong decodings of GB18030, Big5, Shift-JIS and EUC give no error but characters that nobody writes next to each other. The national
standards put their common characters first (level 1), which is the best table of frequencies there is for so little room.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

WORDS_BELOW = 60  # Chinese characters: so few are looked up as words, since their frequencies say little
LEVEL_1 = 0.5  # weight of a character of the first level of GB2312
_CONTROL = re.compile("[\x01-\x08\x0e-\x1a\x7f]")
_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff]")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_KANA = re.compile("[\u3041-\u30fa]")

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


def score(text: str) -> float:
    """Return from 0 to 1 how much the characters beyond ASCII look like a text that somebody wrote in East Asia."""
    counts = Counter(text)
    total, good = 0, 0.0
    for character, count in counts.items():
        if character > "\x7f" or _CONTROL.match(character):
            total += count
            good += count * _weight(character)
    return good / total if total else 0.0


def in_words(text: str) -> float:
    """Return the share of the Chinese characters of a short text that stand in words of two and more, 0 for a long one."""
    count = len(_HAN.findall(text))
    if not 2 <= count <= WORDS_BELOW:
        return 0.0
    from yinju.text.words import terms

    covered = sum(len(word) for word in terms(text).words if len(word) > 1 and _HAN.match(word))
    return min(covered / count, 1.0)


def kana_share(text: str) -> float:
    """Return the share of kana among the characters beyond ASCII."""
    beyond = sum(1 for character in text if character > "\x7f")
    return len(_KANA.findall(text)) / beyond if beyond else 0.0


def hangul_alone(text: str) -> float:
    """Return what speaks for Korean, from -0.5 to 0.3: Chinese read as Korean is half Hanja, and Koreans write hardly any."""
    hangul, hanja = len(_HANGUL.findall(text)), len(_HAN.findall(text))
    if hanja > 0.1 * (hangul + hanja):
        return -0.5
    return 0.04 * min(hangul, 8)


@lru_cache(maxsize=40_000)
def _weight(c: str) -> float:
    if c in _COMMON or "\u3041" <= c <= "\u30fa" or c == "ー":
        return 1.0
    if "\uac00" <= c <= "\ud7a3":
        return 1.0 if c in _KOREAN else 0.4 if _has(c, "euc_kr", b"\xff\xff") else -0.2
    if "\u4e00" <= c <= "\u9fff":
        if _has(c, "gb2312", b"\xd7\xf9"):
            return LEVEL_1
        if _has(c, "big5", b"\xc6\x7e"):
            simple = _simplified().get(c, c)
            return 0.45 if simple == c else _weight(simple)
        if _has(c, "shift_jis", b"\x98\x72"):
            return 0.4
        return 0.2 if _has(c, "gb2312", b"\xf7\xfe") else -0.2
    if "\ue000" <= c <= "\uf8ff" or "\uff61" <= c <= "\uff9f" or c == "\ufffd" or c < " " or "\x7f" <= c < "\xa0":
        return -1.0
    if "\u0250" <= c <= "\u036f" or "\u0500" <= c <= "\u1fff":
        return -0.2
    return 0.0


def _simplified() -> dict[str, str]:
    from yinju.text.normalize import simplified

    return simplified()


def common_chinese(text: str) -> bool:
    """Say whether every character beyond ASCII is Chinese of the first level or its punctuation."""
    return all(c < "\x80" or _weight(c) >= LEVEL_1 for c in text)


def in_use(character: str) -> bool:
    """Say whether people of today write this character of Chinese, Korean or punctuation."""
    if "\u2010" <= character <= "\u2026":
        return True
    if "\uac00" <= character <= "\ud7a3":
        return _has(character, "euc_kr", b"\xff\xff")
    return "\u4e00" <= character <= "\u9fff" and (
        _has(character, "gb2312", b"\xf7\xfe") or _has(character, "big5", b"\xc6\x7e")
    )


def _has(character: str, encoding: str, last: bytes) -> bool:
    """Say whether this standard has the character, up to the place `last`."""
    try:
        return character.encode(encoding) <= last
    except UnicodeEncodeError:
        return False
