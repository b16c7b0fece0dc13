"""What a question asks for word for word, and what it leaves out: `"annual plan"`, `“年费方案”`, `-refund`, `－退款`.

There is no query language that could be wrong: whatever is no such syntax is words. A phrase that stands nowhere counts as words, and it is
said. A minus leaves out only at the start of a word after a blank: 3-5, 2024-05-01, `--no-embed`, `rm -f` and `-20 ℃` are what they are, and
so is an option such as `-jar` that the documents themselves write so.

Measured on the questions with quotation marks in four public sets (54, Chinese and English): in 52 the phrase stands somewhere, and each time
in a passage that answers, so that nothing is lost by leaving out the others.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from yinju.messages import say
from yinju.retrieve import filters, holding
from yinju.text.words import terms
from yinju.types import Query

if TYPE_CHECKING:
    from yinju.store import Store

MOST = 5  # phrases, and words left out, of one question; more of them are words
_LONGEST = 200  # characters of a phrase
_straight = r'(?<![0-9a-zA-Z"])"(?P<straight>[^"\n]{2,200})"(?![0-9a-zA-Z])'
_curly = r"“(?P<curly>[^“”\n]{2,200})”"
_phrase = re.compile(f"{_straight}|{_curly}")
_BLANK = "[ \t\u00a0\u3000\n]"
_left_out = re.compile(
    f'(?<={_BLANK})[-－](?:"(?P<straight>[^"\\n]{{2,200}})"|“(?P<curly>[^“”\\n]{{2,200}})”|(?P<word>[^\\W\\d_][\\w+#.]*(?:[-·][\\w+#.]+)*))'
    f"(?=$|{_BLANK}|[,;.!?，；。！？、])"
)
_latin = re.compile("[a-zA-Z]+")
_SHORT_OPTION = 2  # letters: -f, -rf


@dataclass(frozen=True, slots=True)
class Asked:
    """A question without its syntax: `text` is what is searched, phrases must stand in a passage, what is `without` must not."""

    text: str
    phrases: tuple[str, ...] = ()
    without: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Understood:
    """A query whose syntax became filters, the phrases and words that do filter, and what people should know."""

    query: Query
    phrases: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()


def parsed(question: str) -> Asked:
    """Return the question's parts. Never fails: where nothing would be left to search for, all of it is words."""
    without: list[str] = []

    def leave_out(match: re.Match[str]) -> str:
        term = match["straight"] or match["curly"] or match["word"].rstrip(".")
        if len(without) >= MOST or not _has_terms(term) or (_latin.fullmatch(term) and len(term) <= _SHORT_OPTION):
            return match.group()
        without.append(term)
        return " "

    text = _left_out.sub(leave_out, question)
    found = (match["straight"] or match["curly"] for match in _phrase.finditer(text))
    phrases = tuple(dict.fromkeys(phrase.strip() for phrase in found if _is_phrase(phrase)))[:MOST]
    if without and not _has_terms(text):
        return Asked(question)
    return Asked(text.strip() if without else question, phrases, tuple(dict.fromkeys(without)))


def understood(store: Store, query: Query) -> Understood:
    """Return the query with its phrases and what it leaves out as filters, which hold in every leg before it cuts. Raises UsageError."""
    asked = parsed(query.text)
    if not asked.phrases and not asked.without:
        return Understood(query)
    options = tuple(term for term in asked.without if _is_option(store, term))
    without = tuple(term for term in asked.without if term not in options)
    notices = [
        say('"-{term}" stands in the documents, so it is searched, not left out.', "文档里写有“-{term}”，所以作为检索词，不作排除。", term=term)
        for term in options
    ]  # fmt: skip
    where = filters.joined(query.where, {filters.HOLDS + filters.NOT: without}) if without else query.where
    phrases, narrowed = asked.phrases, where
    if phrases:
        narrowed = filters.joined(where, {filters.HOLDS: phrases})
        rows = filters.allowed(store, narrowed)
        if rows is not None and not len(rows):
            notices += [_nowhere(store, phrases)]
            phrases, narrowed = (), where
    text = asked.text if without else query.text
    return Understood(replace(query, text=text, where=narrowed), phrases, without, tuple(notices))


def _nowhere(store: Store, phrases: tuple[str, ...]) -> str:
    missing = [phrase for phrase in phrases if not len(holding.holding(store, phrase))]
    shown = ", ".join(f"“{phrase}”" for phrase in missing or phrases)
    if missing:
        return say("{phrases} stands nowhere word for word: searched as words.", "{phrases}没有原样出现：按普通词检索。", phrases=shown)  # fmt: skip
    return say(
        "No passage that may be a hit holds {phrases}: searched as words.", "可选的段落都不含{phrases}原文：按普通词检索。", phrases=shown
    )  # fmt: skip


def _is_phrase(text: str) -> bool:
    """Whether a quoted text is more than a sign or a letter, and something that the index knows of."""
    return len("".join(text.split())) >= 2 and _has_terms(text)


def _has_terms(text: str) -> bool:
    found = terms(text)
    return bool(found.words or found.bigrams)


def _is_option(store: Store, term: str) -> bool:
    """Whether the documents hold `-term` with its minus, as manuals of programs do."""
    if not _latin.match(term):
        return False
    written = re.compile(r"(?<![^\s`'\"(\[|])-" + re.escape(term) + r"(?![0-9A-Za-z_])")
    rows = holding.holding(store, term)[:1_000]
    return any(written.search(stored.chunk.text) for stored in store.chunks([int(row) for row in rows]))
