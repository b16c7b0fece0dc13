"""Which words of a question certainly stand nowhere in the library: people look them up, and a wrong "nowhere" costs more trust than silence.

A word that the index does not have may stand there all the same: Chinese may be segmented otherwise (宽限期 inside 宽限期间), Latin words written
apart, together or longer (`mini bar`, `minibar`, `minibars`). So a Chinese word is named only where two of its neighbouring characters are
neighbours nowhere, a Latin one only where neither it, its stem, nor its parts stand there. Everything is looked up in the index, no text is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from yinju.retrieve.wording import as_written, but_asking, spaced_words
from yinju.text.normalize import fold
from yinju.text.quantities import REWRITTEN
from yinju.text.words import FILLERS, is_word, tagged, terms

if TYPE_CHECKING:
    from yinju.store import Store

MOST = 20  # words that are looked into: a longer text is no question
FEW = 100  # passages of the rarer half of a word that may be written apart
SHORTEST_PART = 3  # letters of the halves of a word that may be written apart, and of what may begin a longer one
_han = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U000323af]+")
_running = re.compile("[\u3005\u3007\u3041-\u30ff\uac00-\ud7af]")
_letters = re.compile("[a-z]+")
_digits = re.compile("[0-9]+")
# Parts of speech of the dictionary that are no subject of a question: numerals, measures, pronouns (这份), adverbs, words of place and grammar.
_NO_SUBJECT = ("m", "q", "r", "d", "f", "p", "c", "u", "y", "e", "o")
_NAMES = ("nr", "ns", "nt", "nz")  # what may be a word although the dictionary does not have it


def certainly(store: Store, question: str, missing: Sequence[str]) -> tuple[str, ...]:
    """Return the words of the question, as it has them, that stand nowhere in the library. `missing` are its terms that the index lacks."""
    asked = [term for term in missing if term not in FILLERS][:MOST]
    if not asked:
        return ()
    index = _Index(store)
    folded = fold(question)
    spaced = spaced_words(question)
    named = []
    for word in as_written(question, asked):
        plain = fold(word)
        if plain not in folded:  # a numeral that was rewritten
            continue
        if _han.fullmatch(plain):
            sure = _is_subject(plain, folded) and index.lacks_neighbours(plain)
        elif _running.search(plain):
            sure = len(plain) > 1 and index.lacks_neighbours(plain)
        else:
            sure = index.lacks_spaced(word, spaced)
        if sure:
            named.append(word)
    return but_asking(question, named)


class _Index:
    """What the word index knows of words and their parts."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def lacks_neighbours(self, word: str) -> bool:
        """Whether two neighbours of the word are neighbours nowhere. Numerals prove nothing: the index has some of them as digits."""
        if len(word) == 1:
            return word not in REWRITTEN and not self.store.bigrams_beginning(word, 1)
        pairs = [word[place : place + 2] for place in range(len(word) - 1)]
        pairs = [pair for pair in pairs if not REWRITTEN & set(pair)]
        known = self.store.statistics((), pairs).bigram_frequency
        return any(not known[pair] for pair in pairs)

    def lacks_spaced(self, word: str, spaced: Sequence[str]) -> bool:
        """Whether a word of a script with spaces stands nowhere: as it is, stemmed, apart, joined, or beginning a longer one."""
        found = terms(word)
        whole = "".join(found.bigrams[:1])
        if len(whole) < 2 or (len(whole) == 2 and not whole.isalpha()) or _is_short_number(whole):
            return False
        if self._any(found.words[:1], found.bigrams):
            return False
        if len(whole) >= SHORTEST_PART and self.store.bigrams_beginning(whole, 1):
            return False
        parts = [part for part in (*found.words[1:], *found.bigrams[1:]) if part not in FILLERS]
        if parts:
            known = self.store.statistics(parts, parts)
            return any(not (known.word_frequency[part] or known.bigram_frequency[part]) for part in parts)
        return not (self._is_written_apart(whole) or self._is_written_together(word, spaced))

    def _any(self, words: Iterable[str], bigrams: Iterable[str]) -> bool:
        known = self.store.statistics(words, bigrams)
        return any(known.word_frequency.values()) or any(known.bigram_frequency.values())

    def _is_written_apart(self, word: str) -> bool:
        if not _letters.fullmatch(word):
            return False
        cuts = range(SHORTEST_PART, len(word) - SHORTEST_PART + 1)
        halves = [(word[:place], word[place:]) for place in cuts]
        known = self.store.statistics((), [half for both in halves for half in both]).bigram_frequency
        return any(known[first] and known[second] and self._meet(first, second, known) for first, second in halves)

    def _meet(self, first: str, second: str, known: Mapping[str, int]) -> bool:
        """Whether a passage may hold both; of two that stand in many passages nobody looks."""
        rarer = min(first, second, key=lambda half: known[half])
        if known[rarer] > FEW:
            return True
        counts = self.store.term_counts(self.store.word_candidates([], [rarer], FEW), [], [first, second])
        return any(len(one.bigrams) == len({first, second}) for one in counts.values())

    def _is_written_together(self, word: str, spaced: Sequence[str]) -> bool:
        joined = [first + second for first, second in pairwise(spaced) if word in {first, second}]
        found = [terms(one) for one in joined]
        return self._any([one.words[0] for one in found if one.words], [one.bigrams[0] for one in found if one.bigrams])


def _is_subject(word: str, question: str) -> bool:
    """Whether a Chinese word is one that documents could hold: a word of the dictionary or a name, and no word of grammar.

    Other pieces of a segmentation only glue neighbours together: 小表加 of 小表加索引.
    """
    kinds = {one: kind for run in _han.findall(question) for one, kind in tagged(run)}
    kind = kinds.get(word) or dict(tagged(word)).get(word, "")
    return kind.startswith(_NAMES) or (is_word(word) and bool(kind) and not kind.startswith(_NO_SUBJECT))


def _is_short_number(word: str) -> bool:
    return _digits.fullmatch(word) is not None and (len(word) < SHORTEST_PART or word.startswith("0"))
