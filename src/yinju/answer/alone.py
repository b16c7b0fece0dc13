"""Whether a question names its own subject: then nothing of the turns before is added to it, nor searched beside it.

It does where it names something new (a code, a product, a place), says a full clause of its own, or is put in another language than the
question before. What leans on the conversation by a word (`it`, `the other`, 那) or opens with what is said of a subject (支持, 需要) does not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from yinju.answer.subject import ENGLISH_QUESTION, content_words, has_han, marks
from yinju.text.language import is_chinese
from yinju.text.normalize import fold
from yinju.text.words import FILLERS, tagged

_CLAUSE_EN, _CLAUSE_ZH = 4, 3  # words with content that make a clause of its own
_NAMED = 2  # such words in all where one of them names something new, or the language is another one
_LEANS_EN = re.compile(
    r"^(?:and|but|so|or|then|also)\b|\b(?:it|its|they|them|their|theirs|he|him|his|she|her|hers|this|that|these|those|there|here|then|yet|one|ones|another"
    r"|other|others|else|same|also|too|instead|either|both|such|former|latter|above|below|next|previous)\b",
    re.IGNORECASE,
)
_LEANS_ZH = re.compile(
    r"^(?:那|而|但|还|也|再|又|比|跟|和|与|同样)|[它他她此其]|[这那](?!么)|[该](?=[项个种类方])|上面|前面|前者|后者|其余|另外|另一|还有|一样|相比|[还也]"
)
# What is said of a subject that the question leaves out.
_SUBJECTLESS = re.compile(
    r"^(?:支持|包括|包含|含|需要|要|兼容|适用|允许|能|可以|可否|能否|是否|会|有|是|多少|多久|几|什么时候|哪)"
)
_ORDER = re.compile(
    r"(?:please\s+)?(?:explain|describe|list|show|tell|give|compare|find|name|define|summari[sz]e)\b", re.I
)
_WAY_ZH = re.compile(r"(?:请问)?(?:如何|怎么|怎样|怎么样|介绍|解释|说明|列出|什么是|谁是|为什么|为何)")
_QUANTITY = re.compile(r"\d[\d.,:/-]*[^\W\d_]{0,4}")
_HAN = re.compile(r"[\u4e00-\u9fff]+")


def names_its_own_subject(asked: str, before: Sequence[str]) -> bool:
    """Return whether a question stands alone after those before it (oldest first), each as it was searched."""
    chinese = is_chinese(asked) or (has_han(asked) and not ENGLISH_QUESTION.match(asked))
    if not before or (_LEANS_ZH if chinese else _LEANS_EN).search(asked):
        return False
    if chinese:
        if _SUBJECTLESS.match(asked):
            return False
    elif not ENGLISH_QUESTION.match(asked) and not _ORDER.match(asked):
        return False
    words = _chinese_words(asked) if chinese else [(word, "") for word in content_words(asked)]
    if len(words) < _NAMED:
        return False
    if chinese is not has_han(before[-1]) or _names(asked) - _names(before[-1]):
        return True
    if not chinese:
        return len(words) >= _CLAUSE_EN
    return len(words) >= _CLAUSE_ZH and (bool(_WAY_ZH.match(asked)) or words[0][1].startswith(("n", "vn")))


def _names(text: str) -> frozenset[str]:
    """Return the codes and names of a text, folded; a number with its unit names nothing."""
    return frozenset(mark for mark in marks(text) if not _QUANTITY.fullmatch(mark))


def _chinese_words(asked: str) -> list[tuple[str, str]]:
    """Return the words with content of a Chinese question with their part of speech, its Latin ones as names."""
    found = [(word, "nz") for word in content_words(_HAN.sub(" ", asked))]
    for run in _HAN.findall(fold(asked)):
        found += [
            (word, kind)
            for word, kind in tagged(run)
            if len(word) > 1 and kind[0] not in "mrcupyd" and word not in FILLERS
        ]
    return found
