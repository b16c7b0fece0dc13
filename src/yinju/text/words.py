"""The terms of a passage and of a question: one function for both, so that the same words go in and come out.

Two kinds, kept as two fields of the index. `words`: Chinese as segmented by jieba in search mode, Latin words stemmed, codes and
identifiers whole and in parts. `bigrams`: every two neighbouring Chinese characters, which no segmentation can get wrong, and
Latin words and codes whole and unstemmed.

Separators inside a code are dropped, so that `E-4031`, `E4031` and `e_4031` meet, but dots stay (as `·`), because 12.3 is not 123.
A term holds ASCII letters and digits and characters beyond ASCII only: that is one token for FTS5's `ascii` tokenizer.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from yinju.text import quantities
from yinju.text.normalize import fold_keeping_case

DOT = "·"
END = "\u2021"  # behind the last character of a Chinese run, as a term: 税 is found in 增值税 by it, and in 税务 by its bigram
_LONGEST = 48  # characters of one term; what is longer is cut (base64, hashes): nobody asks for it whole
_LONGEST_WORD = 12  # Chinese characters
_HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
# Scripts without spaces that jieba does not know, and Hangul, whose words carry endings: bigrams serve them.
_RUNNING = "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3041-\u3096\u3099-\u30fa\u30fc-\u30ff\u3130-\u318f\uac00-\ud7af"
_MARKS = "\u0300-\u036f\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0903\u093a-\u094f\u0981-\u0983\u09bc-\u09cd\u0a01-\u0d4d"
_ALNUM = f"[^\\W_{_HAN}{_RUNNING}]"
_scan = re.compile(
    f"(?P<han>[{_HAN}]+)|(?P<running>[{_RUNNING}]+)"
    r"|(?P<pair>(?<![a-zA-Z0-9&])[a-zA-Z]{1,4}&[a-zA-Z]{1,4}(?![a-zA-Z0-9&]))"
    r"|(?P<sharp>(?<![a-zA-Z0-9])(?:[cC]\+\+|[cCfF]\#)(?![a-zA-Z0-9]))"
    r"|(?P<number>(?<![0-9a-zA-Z.])[0-9]{1,3}(?:,[0-9]{3}){1,8}(?![0-9])(?:\.[0-9]+)?)"
    rf"|(?P<code>{_ALNUM}(?:{_ALNUM}|[{_MARKS}]|(?:[-.'’‐‑]|__?)(?={_ALNUM}))*)"
)
_separators = str.maketrans("", "", "-_‐‑")
_without_commas = str.maketrans("", "", ",'’")
# Where a part of a code ends: a separator, letters and digits, lower and upper case, the last capital before a word (HTTPServer).
_parts = re.compile(r"[0-9]+(?:\.[0-9]+)*|(?<![a-zA-Z])[a-z][A-Z][a-z]+|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_a-zA-Z]+")
_possessive = re.compile(r"['’]s$", re.IGNORECASE)
_capitals = re.compile("[A-Z]{2,8}s")  # several of what has a short name: URLs, APIs
_dotted = re.compile(r"[a-zA-Z]{2,}\.[a-zA-Z]{2,}")  # Node.js, which many write nodejs
_version = re.compile(r"v[0-9]+(?:\.[0-9]+)+", re.IGNORECASE)
_accented = re.compile("[\u00c0-\u024f]")
_LETTERS = str.maketrans({"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th", "æ": "ae",
                          "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ß": "ss", "ı": "i", "’": "'"})  # fmt: skip
_accents = re.compile("(?<=[a-zA-Z])[\u0300-\u036f]+")
_plain_number = re.compile(r"[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)*")
_SIGNED, _NUMBERS = ("sharp", "pair"), ("code", "number")
_NEXT = 2  # blanks at most between a number and what it counts
_stem_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a text in its order, each as often as it occurs."""

    words: tuple[str, ...]
    bigrams: tuple[str, ...]


def terms(text: str) -> Terms:
    """Return the terms of a text, as they stand there: what compares two texts (an answer and its proof) uses these."""
    return _terms(fold_keeping_case(text))


def index_terms(text: str, *, question: bool = False) -> Terms:
    """Return the terms of a passage, or of a question, for the index.

    Beyond `terms`: numbers, dates and measures in one form (see `quantities`), a number with the character that it counts (`39条`) among the
    bigrams, and in passages the last character of each Chinese run with `END`.
    """
    text = quantities.spelled(fold_keeping_case(text))
    found = _terms(text, joints=True, ends=not question)
    marks = tuple(mark for mark in quantities.marks(text) if len(mark) <= _LONGEST)
    named = tuple(
        (word + number).replace(".", DOT).casefold()
        for word, number in quantities.named(text)
        if stem(word.casefold()) not in FILLERS
    )
    return Terms((*found.words, *marks, *named), (*found.bigrams, *marks))


def _terms(text: str, *, joints: bool = False, ends: bool = False) -> Terms:
    runs: list[str] = []
    words: list[str | None] = []  # None: here stand the words of the next Chinese run
    bigrams: list[str] = []
    number, behind = "", -1  # the last number and where it ends
    for match in _scan.finditer(text):
        token = match.group()
        kind = match.lastgroup
        if kind == "han":
            if number and match.start() - behind <= _NEXT and not text[behind : match.start()].strip():
                bigrams.append(number + token[0])
            runs.append(token)
            words.append(None)
            bigrams += _pairs(token)
            if ends and len(token) > 1:
                bigrams.append(token[-1] + END)
        elif kind == "running":
            pairs = _pairs(token)
            words += [token, *pairs] if 2 < len(token) <= _LONGEST else pairs
            bigrams += pairs
        else:
            more_words, more_bigrams = _sign_terms(token) if kind in _SIGNED else _code_terms(token)
            words += more_words
            bigrams += more_bigrams
        number = ""
        if joints and kind in _NUMBERS and _plain_number.fullmatch(token):
            number, behind = token.translate(_without_commas).replace(".", DOT), match.end()
    return Terms(tuple(_filled(words, _segment(runs))), tuple(bigrams))


def _pairs(run: str) -> list[str]:
    return [run] if len(run) == 1 else [run[place : place + 2] for place in range(len(run) - 1)]


def _filled(words: list[str | None], segmented: list[list[str]]) -> list[str]:
    runs = iter(segmented)
    filled: list[str] = []
    for word in words:
        if word is None:
            filled += next(runs)
        else:
            filled.append(word)
    return filled


def _segment(runs: list[str]) -> list[list[str]]:
    """Return the words of each run: all runs go to jieba in one call, because calls cost more than characters."""
    if not runs:
        return []
    segmented: list[list[str]] = [[]]
    for word in _jieba().cut_for_search("\n".join(runs)):
        if word == "\n":
            segmented.append([])
        elif len(word) <= _LONGEST_WORD:
            segmented[-1].append(word)
        else:  # jieba takes a run of one repeated character for a word
            segmented[-1] += _pairs(word)
    return segmented


def is_word(word: str) -> bool:
    """Return whether the dictionary of the segmentation has this word; other words in its results are guesses."""
    return bool(_jieba().has_word(word))


@lru_cache(maxsize=1 << 13)
def tagged(run: str) -> tuple[tuple[str, str], ...]:
    """Return the words of a run of folded Chinese characters, none twice, with the dictionary's part of speech: `n` thing, `v` doing, `nr` name."""
    return tuple(_jieba().tag(run))


@cache
def _jieba() -> Any:
    import rjieba

    return rjieba


def _sign_terms(token: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the terms of what is written with a sign: `C++`, `F#`, `R&D` (whole, and its halves where they are words)."""
    term = token.casefold().replace("+", "＋").replace("#", "♯").replace("&", "＆")
    halves = tuple(stem(half) for half in token.casefold().split("&") if len(half) > 1) if "&" in token else ()
    return (term, *halves), (term,)


@lru_cache(maxsize=1 << 17)
def _code_terms(token: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return words and bigrams of one Latin (or other spaced) word, number, code or identifier; case still as written."""
    if _accented.search(token):
        token = _without_accents(token)
    token = _possessive.sub("", token).translate(_without_commas)
    whole = token.translate(_separators).replace(".", DOT).casefold()
    if len(whole) > _LONGEST:
        pieces = tuple(whole[place : place + _LONGEST] for place in range(0, len(whole), _LONGEST))
        return pieces, pieces
    if _capitals.fullmatch(token):
        return (whole[:-1],), (whole,)
    parts = _parts.findall(token)
    if len(parts) < 2:
        return (stem(whole),), (whole,)
    split = [_part(part) for part in parts if len(part) > 1 or part.isdigit()]
    if _dotted.fullmatch(token):
        split.append(stem(whole.replace(DOT, "")))
    elif _version.fullmatch(token):
        split += [whole[:place] for place, sign in enumerate(whole) if sign == DOT]
    first = stem(whole)
    return (first, *(part for part in split if part != first)), (whole,)


def _without_accents(token: str) -> str:
    """Return the word as a keyboard without accents writes it: Müller as Muller, café as cafe."""
    parted = unicodedata.normalize("NFD", token.translate(_LETTERS))
    return unicodedata.normalize("NFC", _accents.sub("", parted))


def parts_of(code: str) -> tuple[str, ...]:
    """Return the terms of the parts of a term that is letters and numbers in one, such as `iphon`, `15` of `iphone15`; else nothing."""
    parts = re.findall("[a-z]+|[0-9]+", code) if code.isascii() and code.isalnum() else []
    return tuple(_part(part) for part in parts) if len(parts) > 1 else ()


def _part(part: str) -> str:
    if part[0] in "0123456789":
        return part.replace(".", DOT) if "." in part or len(part) > 2 else part.lstrip("0") or "0"
    return stem(part.casefold())


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Return the English stem of a word in small ASCII letters; anything else comes back as it is."""
    if not (word.isascii() and word.isalpha()):
        return word
    if word in _KEPT:
        return word
    with _stem_lock:  # the stemmer keeps its word in itself
        stemmed = str(_stemmer().stemWord(_british_end.sub("iz", word)))
    return _AMERICAN.get(stemmed, stemmed)


@cache
def _stemmer() -> Any:
    from snowballstemmer.english_stemmer import EnglishStemmer

    return EnglishStemmer()


_KEPT = frozenset({"ios", "aws"})  # names that a stemmer takes for plurals
_british_end = re.compile(
    "(?<=[a-z]{4})is(?=(?:e[sdr]?|ers|ing|ations?)$)"
)  # organise as organize; what has no such twin keeps itself company
# British stems whose American spelling has another one.
_british = """
colour=color favour=favor favourit=favorit flavour=flavor honour=honor labour=labor behaviour=behavior neighbour=neighbor harbour=harbor
humour=humor rumour=rumor centr=center theatr=theater metr=meter litr=liter fibr=fiber kilometr=kilomet centimetr=centimet
millimetr=millimet defenc=defens offenc=offens licenc=licens catalogu=catalog dialogu=dialog programm=program grey=gray chequ=check
aluminium=aluminum analys=analyz skil=skill
"""
_AMERICAN = dict(pair.split("=") for pair in _british.split())


# Terms, as `terms` makes them, that carry no information in a question.
_FILLERS = """
什么 怎么 怎样 怎么样 怎么办 怎么着 么样 么办 为什么 为什 为何 为啥 啥 如何 哪 哪些 哪个 哪里 哪儿 哪种 哪一
谁 何时 何 几 多少 是否 能否 可否 能不能 可不可以 是不是 有没有 不是 是不 能不 可不 不可 没有 有没 请问 请 问
想 我想 想问 一下 问一 告诉 知道 想知 吗 呢 吧 啊 呀 嘛 了 的 地 得 着 过 是 在 有 和 与 及 或 或者 就 都 也
还 又 而 且 把 被 给 对 从 到 向 于 为 以 之 其 这 那 这个 那个 这些 那些 它 他 她 我 你 您 我们 你们 他们
咱们 自己 个 一个 可以 能 能够 会 要 应该 需要 应当 分别 具体 关于 时候 什么时候 么时 什么样 是什 有什 么是
到底 究竟 又是 以及 的话 介绍 说明 解释 说说 谈谈 请说 请介
a about abov am an and ani any anyth are as at be been but by can could did do doe does dont for from get got
had has have he her him his how i id if im in into is it let me my of on or our pleas please shall she should
so some someth tell than that the their them then there these they this those to us was we were what whats
when where whether whi which while who whom whose why will with would you your
"""
FILLERS: frozenset[str] = frozenset(_FILLERS.split())
