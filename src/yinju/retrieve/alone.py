"""Words of one character: 税 stands in 增值税 and 税务, 盐 in 放盐 and 盐水, but segmentation hides it there, and bigrams know only pairs.

Each place where a character stands is known all the same: it begins a bigram, or it ends its run (`words.END`), or it is a run of its own. So a
word of one character is looked up by all terms of the index that begin with it, which count together as one word.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from yinju.text.words import FILLERS, is_word

if TYPE_CHECKING:
    from yinju.store import Store
    from yinju.store.records import TermCounts

CANDIDATES = 50  # passages that such a word proposes
MOST = 4  # such words of a question that are looked up
BIGRAMS = 150  # that hold the word, the commonest
_one = re.compile("[\u3400-\u9fff\U00020000-\U000323af]")
_two = re.compile("[\u3400-\u9fff]{2}")
# Measures and words of place, size and relation: parts of longer words nearly everywhere, and no subject of a question.
_NO_SUBJECT = frozenset(
    "元年月日号天个条章款项次岁周时分秒层楼位名人台张份级期届页米斤吨克升度块折倍第大小多少高低长短用说做出来去上下中内外前后里间等并所该"
    "各每某另此被比让使由因当时最更很太较已将再仅只同新老好者性化家种类部本点面方式后万千百亿入进行过起成为收称位叫属共"
)


def without_guesses(words: Sequence[str], frequency: Mapping[str, int]) -> list[str]:
    """Return the words with the characters of guesses of the segmentation that stand nowhere: 盐 and 放 of 盐放.

    A guess that holds a filler is no word (盐要) and goes; any other may be a name (张伟) and stays, known nowhere as it is.
    """
    found: dict[str, None] = {}
    for word in words:
        if frequency.get(word) or not _two.fullmatch(word) or is_word(word):
            found[word] = None
            continue
        signs = [sign for sign in word if sign not in FILLERS]
        found.update(dict.fromkeys([word, *signs] if len(signs) == len(word) else signs))
    return list(found)


def holders(store: Store, words: Sequence[str]) -> dict[str, dict[str, int]]:
    """Return for the words of one character the bigrams that hold them, with the number of passages of each."""
    wanted = [word for word in words if _one.fullmatch(word) and word not in _NO_SUBJECT and word not in FILLERS]
    found = {word: store.bigrams_beginning(word, BIGRAMS) for word in wanted[:MOST]}
    return {word: pairs for word, pairs in found.items() if pairs}


def counted(holding: Mapping[str, Sequence[str]], counts: TermCounts) -> Mapping[str, int]:
    """Return the counts of words with those of one character counted wherever they stand."""
    if not holding:
        return counts.words
    anywhere = {word: sum(counts.bigrams.get(pair, 0) for pair in pairs) for word, pairs in holding.items()}
    return {**counts.words, **{word: count for word, count in anywhere.items() if count}}
