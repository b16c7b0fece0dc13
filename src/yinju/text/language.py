"""Guess the language of a text from its scripts and its commonest small words. Cheap, and silent where it cannot know."""

from __future__ import annotations

import re
from collections import Counter

_SAMPLE = 20_000  # characters from the start, and as many from the middle
_SCRIPTS = (
    ("han", "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"),
    ("ja", "\u3041-\u30ff\uff66-\uff9d"),
    ("ko", "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"),
    ("ru", "\u0400-\u052f"),
    ("ar", "\u0600-\u06ff\u0750-\u077f"),
    ("he", "\u0590-\u05ff"),
    ("el", "\u0370-\u03ff"),
    ("th", "\u0e00-\u0e7f"),
    ("hi", "\u0900-\u097f"),
)
_letters = tuple((name, re.compile(f"[{characters}]")) for name, characters in _SCRIPTS)
_LARGEST_TABLE = 200_000


class _Scripts(dict[int, str]):
    """The number of each character's script, worked out when it is first met: one pass over a text counts all scripts."""

    def __missing__(self, code: int) -> str:
        number = next((str(place) for place, (_, letters) in enumerate(_letters) if letters.match(chr(code))), "")
        if len(self) < _LARGEST_TABLE:
            self[code] = number
        return number


_scripts = _Scripts()
_latin_word = re.compile("[a-zA-Z\u00c0-\u024f\u1e00-\u1eff]+")
_SMALL_WORDS = {
    "en": "the of and to in is that for it with as was on are be this by at from or an have not you can how what when where why does do which who",
    "de": "der die das und ist nicht mit den von zu ein eine auf für im dem des sich auch wie oder werden wird bei",
    "fr": "le la les des et est une dans pour que qui pas sur par du au avec ce sont vous nous ou être",
    "es": "el la los las de en que es por con una para del se un no como más su al lo",
    "it": "il lo gli che di per un una con non sono della è del nel alla come più anche le dei",
    "pt": "os as de que do da em um uma para com não por mais dos das no na se ao",
    "nl": "de het een en van is dat op te in voor met niet zijn aan er ook als bij naar",
}
_small_words = {language: frozenset(words.split()) for language, words in _SMALL_WORDS.items()}
_ENOUGH_TO_READ = 0.25
_HAN_PER_LATIN = 3.0  # a Chinese character says about as much as three Latin letters


def detect(text: str) -> str:
    """Return `zh`, `en`, another ISO 639-1 code, or `und` where the text has no words to judge by."""
    middle = len(text) // 2
    sample = text if len(text) <= 2 * _SAMPLE else text[:_SAMPLE] + " " + text[middle : middle + _SAMPLE]
    words: list[str] = _latin_word.findall(sample)
    count = sample.translate(_scripts).count
    scripts = {name: float(count(str(place))) for place, (name, _) in enumerate(_letters)}
    if scripts["ja"] > 0.1 * scripts["han"]:  # kana among the characters: Japanese
        scripts["ja"] += scripts["han"]
        scripts["han"] = 0
    scripts["han"] *= _HAN_PER_LATIN
    scripts["ja"] *= _HAN_PER_LATIN
    scripts["ko"] *= _HAN_PER_LATIN
    name, weight = max(scripts.items(), key=lambda item: item[1])
    if weight and weight >= sum(map(len, words)):
        return "zh" if name == "han" else name
    return _latin(words)


def _latin(words: list[str]) -> str:
    counts = Counter(word.lower() for word in words)
    votes = {language: sum(counts[word] for word in small) for language, small in _small_words.items()}
    best = max(votes, key=lambda language: votes[language])  # the first, English, where equal
    if votes[best]:
        return best
    plain = any(len(word) > 2 and word.isascii() and not word.isupper() for word in words)
    return "en" if plain else "und"


def is_chinese(text: str) -> bool:
    """Whether a text is mainly Chinese: enough of it to tell a question's language, however short."""
    return _han_share(text) >= 0.5


def speaks(text: str, *, chinese: bool) -> bool:
    """Whether a text says enough in Chinese (or else in words of Latin letters) to be read in it; a bilingual one speaks both."""
    share = _han_share(text)
    return (share if chinese else 1 - share) >= _ENOUGH_TO_READ


def _han_share(text: str) -> float:
    """Return the share of Han characters among Han characters and other words (a word says about as much as two characters)."""
    sample = text[:_SAMPLE]
    han = len(_letters[0][1].findall(sample))
    words = len(_latin_word.findall(sample))
    return han / (han + 2 * words) if han + words else 0.0
