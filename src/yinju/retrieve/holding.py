"""Which passages hold a text, word for word: what quoted phrases ask for, and what `-term` leaves out.

The index proposes by the rarest term that each such passage must have; the folded passage itself decides. Its title, headings and table header
are part of it, as they are for the index.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from yinju.text import quantities
from yinju.text.normalize import fold, fold_keeping_case
from yinju.text.words import terms

if TYPE_CHECKING:
    from yinju.store import Store
    from yinju.store.records import RowIds, StoredChunk

_WIDE = "\u3005\u3007\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_pair = re.compile(f"[{_WIDE}]{{2}}")
_one = re.compile(f"[{_WIDE}]")
_spaces = re.compile(r"\s+")
_beside_wide = re.compile(f"(?<=[{_WIDE}]) | (?=[{_WIDE}])")
_STEP = 500
_MOST = 50_000  # passages that are read for one phrase
_REMEMBERED = 16  # answers of a library's state: each leg asks the same

_known: WeakKeyDictionary[Store, tuple[int, dict[tuple[str, bool], RowIds]]] = WeakKeyDictionary()


def holding(store: Store, text: str, *, forms: bool = False) -> RowIds:
    """Return the sorted rows of the passages that hold this text; with `forms` a single Latin word in any of its forms."""
    generation, answers = _known.get(store, (-1, {}))
    if generation != store.generation or len(answers) > _REMEMBERED:
        answers = {}
        _known[store] = (store.generation, answers)
    if (text, forms) not in answers:
        import numpy as np

        answers[text, forms] = np.array(sorted(_holding(store, text, forms=forms)), dtype=np.int64)
    return answers[text, forms]


def stands(text: str, passage: str) -> bool:
    """Return whether the folded text stands in the folded passage, not inside a longer Latin word or number. White space counts as one
    blank, and as nothing beside Chinese characters, so that a line end breaks no phrase."""  # fmt: skip
    return _pattern(text).search(squeezed(passage)) is not None


def squeezed(text: str) -> str:
    """Return the text folded, with its white space made one blank, or nothing beside Chinese characters."""
    return _beside_wide.sub("", _spaces.sub(" ", fold(text)).strip())


def shown(stored: StoredChunk) -> str:
    """Return all that belongs to a passage: title, headings, table header, text; each on a line that no phrase crosses."""
    chunk = stored.chunk
    return "\u241e".join((stored.title or "", *chunk.headings, chunk.header, chunk.text))


def _holding(store: Store, text: str, *, forms: bool) -> Iterable[int]:
    passages = store.counts().chunks
    folded = squeezed(text)
    if _one.fullmatch(folded):
        return store.word_candidates([], list(store.bigrams_beginning(folded, 1_000)), passages)
    if _pair.fullmatch(folded):
        return store.word_candidates([], [folded], passages)
    found = terms(quantities.spelled(fold_keeping_case(text)))
    if forms and len(dict.fromkeys(found.bigrams)) == 1 and not _one.search(folded):
        return store.word_candidates(found.words[:1], [], passages)
    pairs = [pair for pair in found.bigrams if _pair.fullmatch(pair)]
    words = [word for word in found.words if len(word) > 1 and not _one.search(word)]
    rows = _proposed(store, words, pairs, passages)
    pattern = _pattern(text)
    return [
        stored.rowid
        for start in range(0, min(len(rows), _MOST), _STEP)
        for stored in store.chunks(rows[start : start + _STEP])
        if pattern.search(squeezed(shown(stored)))
    ]


def _proposed(store: Store, words: list[str], pairs: list[str], passages: int) -> list[int]:
    """Return the rows that hold one of the two rarest terms (a line end may part one of them); all rows where there is none to go by."""
    statistics = store.statistics(words, pairs)
    counted = [(count, "", pair) for pair, count in statistics.bigram_frequency.items()]
    counted += [(count, word, "") for word, count in statistics.word_frequency.items()]
    if not counted:
        every = store.allowed({"source": "*"})
        return [] if every is None else [int(row) for row in every]
    rarest = sorted(counted)[:2]
    return store.word_candidates(
        [word for _, word, _ in rarest if word], [pair for *_, pair in rarest if pair], passages
    )


def _pattern(text: str) -> re.Pattern[str]:
    folded = squeezed(text)
    before = r"(?<![0-9a-z_])(?<![0-9][.,])" if re.match(r"[0-9a-z_]", folded) else ""
    after = r"(?![0-9a-z_])(?![.,][0-9])" if re.search(r"[0-9]$", folded) else r"(?![0-9a-z_])" if re.search(r"[a-z_]$", folded) else ""  # fmt: skip
    return re.compile(before + re.escape(folded) + after)
