"""No citation is taken on trust: each sentence with markers is compared with the passages that they name.

`verified`: the passages support it. `moved`: another one does, and the marker is put right. `translated`: another language, the facts
are there. `unsupported`: none of these. Quotes are what the document really says, at offsets in the document.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from yinju.answer import leads, support
from yinju.answer.clauses import clause, clauses
from yinju.answer.nesting import LETTERED
from yinju.answer.reader import Group, Reader, Statement
from yinju.text.normalize import fold, fold_with_offsets
from yinju.types import Citation, Document, Hit, Lines, Passage, Sentence, Span, Status

if TYPE_CHECKING:
    from yinju.protocols import Embedder

# What stands before a sentence in a list of the answer's own: its number is no claim.
_LIST_SIGN = re.compile(
    rf"^\s*(?:[-*+•·]\s+|\d{{1,3}}[.)、．](?!\d)|[（(](?:\d{{1,3}}|[一二三四五六七八九十]{{1,3}})[)）]|{LETTERED}|[一二三四五六七八九十]{{1,3}}、)\s*(?=\S)"
)
_HEADING = re.compile(r"\s{0,3}#{1,6}\s")
_SOURCE_LABELS = frozenset(
    ("来源", "资料来源", "信息来源", "参考", "参考资料", "参考文献", "引用", "出处", "source", "sources", "reference", "references", "citations")
)  # fmt: skip
_LEAST = 3  # words with content from which on a sentence without a marker is looked for in the passages
Likeness = Callable[[str, Sequence[str]], Sequence[float]]  # how near each text is to the first, for other languages


@dataclass(frozen=True, slots=True)
class Verified:
    """An answer's text with its markers put right, its sentences, the proofs, and how many markers named no passage."""

    text: str
    sentences: tuple[Sentence, ...]
    citations: tuple[Citation, ...]
    invalid: int = 0


@dataclass(frozen=True, slots=True)
class Ruling:
    """What was found about one group of markers."""

    markers: tuple[int, ...]
    status: Status
    proof: support.Proof

    @property
    def exact(self) -> bool:
        """Whether the passages say it word for word."""
        return self.proof.literal and self.status in ("verified", "moved")


def likeness(embedder: Embedder | None) -> Likeness | None:
    """Return a measure of nearness across languages from an embedder, None without one."""
    if embedder is None:
        return None

    def measure(claim: str, texts: Sequence[str]) -> Sequence[float]:
        rows = embedder.embed_passages([claim, *texts])
        return [float(value) for value in rows[1:] @ rows[0]]

    return measure


def verify_answer(text: str, passages: Sequence[Passage], *, embedder: Embedder | None = None) -> Verified:
    """Check all sentences of a whole answer. Raises ModelError where the embedder does."""
    judge = Judge(passages, likeness(embedder))
    reader = Reader(len(passages), judge.rule)
    visible = "".join((*reader.feed(text), *reader.finish()))
    return Verified(visible, tuple(judge.sentences), tuple(judge.citations), reader.invalid)


class Judge:
    """Rules on the statements of one answer, in order; collects its sentences and citations, and which of these each sentence `cites`."""

    def __init__(self, passages: Sequence[Passage], measure: Likeness | None = None) -> None:
        self.passages = {passage.marker: passage for passage in passages}
        self.sentences: list[Sentence] = []
        self.citations: list[Citation] = []
        self.cites: list[tuple[int, ...]] = []  # for each sentence the places of its citations in the list of them
        self._measure = measure

    def rule(self, statement: Statement) -> list[tuple[int, ...]]:
        """Return the markers to be shown for each group of the statement; those of the last group, which has none, go behind it."""
        text = statement.text
        groups = statement.groups
        if not _says_something(text):
            return [group.markers for group in groups] if text.strip() else [() for _ in groups]
        if (
            leads.is_omission(text)
            or self._names_sources(text)
            or (_HEADING.match(text) and not any(group.markers for group in groups))
        ):
            return [group.markers for group in groups]
        cited = tuple(dict.fromkeys(marker for group in groups for marker in group.markers))
        if not cited:
            found = self._unmarked(_LIST_SIGN.sub("", text))
            if found is None:
                self.sentences.append(Sentence(text, (), "unsupported"))
                self.cites.append(())
                return [() for _ in groups]
            self._note(text, found.status, [found])
            return [*(() for _ in groups[1:]), found.markers]
        rulings = self._each(groups) if sum(bool(group.markers) for group in groups) > 1 else None
        if rulings is None:
            whole = self._rule(_LIST_SIGN.sub("", text), cited)
            shown = [whole.markers if group.markers else () for group in groups]
            self._note(text, whole.status, [whole])
            return shown
        whole = self._rule(
            _LIST_SIGN.sub("", text), tuple(dict.fromkeys(marker for ruling in rulings for marker in ruling.markers))
        )
        status = (
            whole.status
            if whole.status == "unsupported"
            else _worst([r.status for r in rulings if r.markers] or [whole.status])
        )
        if all(r.status in ("verified", "moved") or not r.markers for r in rulings):
            status = _worst([r.status for r in rulings if r.markers])
        self._note(text, status, [ruling for ruling in rulings if ruling.markers])
        return [ruling.markers for ruling in rulings]

    def _unmarked(self, claim: str) -> Ruling | None:
        """Return the proof of a sentence without markers by one passage, None where there is none, or where it says too little to have one."""
        if len(clause(claim).tokens) < _LEAST:
            return None
        proofs = [proof for proof in (support.prove(claim, [p]) for p in self.passages.values()) if proof.proved]
        if not proofs:
            return None
        best = max(proofs, key=lambda proof: proof.coverage)
        return Ruling(best.markers, "verified", best)

    def _each(self, groups: Sequence[Group]) -> list[Ruling]:
        """Rule on each part of a sentence that has markers of its own: `A costs 1 [1] and B costs 2 [2]`.

        Markers without words of their own (`A costs 1 [1]. [2]`) belong to the words before them.
        """
        rulings: list[Ruling] = []
        claim = ""
        for group in groups:
            text = _LIST_SIGN.sub("", group.text) if not rulings else group.text
            claim = text if _says_something(text) else claim
            nothing = Ruling((), "verified", support.Proof((), True))
            rulings.append(self._rule(claim, group.markers) if group.markers else nothing)
        return rulings

    def _names_sources(self, text: str) -> bool:
        """True for the lines of a list of sources that a model appends: they claim nothing."""
        said = _bare(_LIST_SIGN.sub("", text))
        if said in _SOURCE_LABELS:
            return True
        hits = [passage.hit for passage in self.passages.values()]
        names = {_bare(name) for hit in hits for name in (hit.source, hit.source.rpartition("/")[2], hit.title or "")}
        return said in names - {""}

    def _rule(self, claim: str, cited: tuple[int, ...]) -> Ruling:
        own = [self.passages[marker] for marker in cited]
        proof = support.prove(claim, own)
        if proof.proved and not proof.literal and (there := self._literally(claim, cited)):
            return there
        if proof.proved:
            used = set(proof.markers)
            kept = tuple(m for m in cited if m in used or support.carries(claim, self.passages[m]))
            return Ruling(kept, "verified", proof)
        across = [support.translate(claim, [passage]) for passage in own]
        translated = [one for one in across if one.translated]
        if translated and all(one.proved for one in translated):
            markers = tuple(m for one in translated for m in one.markers)
            return Ruling(markers, "translated", _joined(translated))
        if moved := self._elsewhere(claim, cited):
            return moved
        if translated and self._nearest(claim, cited):
            return Ruling(tuple(m for one in translated for m in one.markers), "translated", _joined(translated))
        return Ruling(cited, "unsupported", proof)

    def _literally(self, claim: str, cited: tuple[int, ...]) -> Ruling | None:
        """Another passage that holds the very words is the source, even if the cited one says much the same."""
        if len(cited) > 1:
            return None
        others = [passage for marker, passage in self.passages.items() if marker not in cited]
        proof = support.prove_literally(claim, others)
        return Ruling(proof.markers, "moved", proof) if proof else None

    def _elsewhere(self, claim: str, cited: tuple[int, ...]) -> Ruling | None:
        others = [passage for marker, passage in self.passages.items() if marker not in cited]
        proofs = [proof for proof in (support.prove(claim, [passage]) for passage in others) if proof.proved]
        if proofs:
            best = max(proofs, key=lambda proof: proof.coverage)
            return Ruling(best.markers, "moved", best)
        together = support.prove(claim, list(self.passages.values())) if len(clauses(claim)) > 1 else None
        if together is not None and together.proved:
            return Ruling(together.markers, "moved", together)
        if any(support.translate(claim, [self.passages[m]]).translated for m in cited):
            for passage in others:
                proof = support.translate(claim, [passage])
                if proof.proved:
                    return Ruling(proof.markers, "moved", proof)
        return None

    def _nearest(self, claim: str, cited: tuple[int, ...]) -> bool:
        """Without facts to compare, a passage in another language counts if no other one is clearly nearer in meaning."""
        if not support.view(claim).facts.empty:
            return False
        if self._measure is None:
            return True
        near = dict(zip(self.passages, self._measure(claim, [p.hit.text for p in self.passages.values()]), strict=True))
        return max(near[m] for m in cited) >= max(near.values()) - 0.01

    def _note(self, text: str, status: Status, rulings: Sequence[Ruling]) -> None:
        markers = tuple(dict.fromkeys(marker for ruling in rulings for marker in ruling.markers))
        exact = status in ("verified", "moved") and all(ruling.exact for ruling in rulings)
        self.sentences.append(Sentence(text, markers, status, exact))
        places: list[int] = []
        for ruling in rulings:
            for marker in ruling.markers:
                citation = cite(
                    self.passages[marker],
                    ruling.proof.span(marker),
                    ruling.status if status != "unsupported" else status,
                    exact=ruling.exact and status != "unsupported",
                )
                places.append(self._cite(citation))
        self.cites.append(tuple(dict.fromkeys(places)))

    def _cite(self, citation: Citation) -> int:
        """Keep each place once and return where; it says a sentence word for word only if it does so for all that cite it."""
        for at, known in enumerate(self.citations):
            if replace(known, exact=citation.exact) == citation:
                self.citations[at] = replace(known, exact=known.exact and citation.exact)
                return at
        self.citations.append(citation)
        return len(self.citations) - 1


def _says_something(text: str) -> bool:
    return support.letters(text) or any(character.isdigit() for character in text)


def _bare(text: str) -> str:
    """Return the text folded, without punctuation and white space around it."""
    return fold(text).strip(" \t\n.:：。,，;；*_`()（）[]-")


def _joined(proofs: Sequence[support.Proof]) -> support.Proof:
    return support.Proof(tuple(part for proof in proofs for part in proof.parts), True, True)


def _worst(statuses: Sequence[Status]) -> Status:
    order: tuple[Status, ...] = ("unsupported", "translated", "moved", "verified")
    return next((status for status in order if status in statuses), "verified")


def cite(passage: Passage, span: Span | None, status: Status, *, exact: bool = False) -> Citation:
    """Return the citation of a span of the passage's text (None: all of it), at offsets in the document; `exact`: it says the sentence itself."""
    hit = passage.hit
    within = span or Span(0, len(hit.text))
    return Citation(
        marker=passage.marker,
        id=hit.id,
        source=hit.source,
        document=hit.document,
        headings=hit.headings,
        lines=lines_within(hit, within),
        page=hit.page,
        span=Span(hit.span.start + within.start, hit.span.start + within.end),
        quote=within.of(hit.text),
        status=status,
        exact=exact,
    )


def lines_within(hit: Hit, within: Span) -> Lines | None:
    """Return the lines of a part of a hit. Where its line ends do not count lines of the file, all lines of the hit."""
    if hit.lines is None:
        return None
    breaks = hit.lines[1] - hit.lines[0]
    if hit.text.count("\n") == breaks:
        first = hit.lines[0] + hit.text.count("\n", 0, within.start)
        return first, first + hit.text.count("\n", within.start, max(within.start, within.end - 1))
    rows = [Span(match.start(), match.end()) for match in re.finditer(r"[^\n]*\t[^\n]*", hit.text)]
    if len(rows) == breaks + 1:  # a sheet: its title is no row
        inside = [number for number, row in enumerate(rows) if row.start < within.end and within.start < row.end]
        return (hit.lines[0] + inside[0], hit.lines[0] + inside[-1]) if inside else hit.lines
    return hit.lines


def downgraded(citations: Sequence[Citation]) -> tuple[Citation, ...]:
    """Return the citations of an answer that was cut off: none of them is called verified."""
    return tuple(replace(citation, status="unsupported", exact=False) for citation in citations)


_ignored = re.compile(r"[\s\u200b-\u200f\ufeff]+")


def verify_quote(text: str, document: Document | None) -> Citation:
    """Look for a quotation in a document: folded, white space ignored. Unsupported, with an empty quote, where it is not there."""
    if document is None:
        return Citation(0, "", "", "", (), None, None, Span(0, 0), "", "unsupported")
    wanted = _ignored.sub("", fold_with_offsets(text)[0])
    folded, offsets = fold_with_offsets(document.text)
    kept = [place for place, character in enumerate(folded) if not _ignored.fullmatch(character)]
    at = "".join(folded[place] for place in kept).find(wanted) if wanted else -1
    if at < 0:
        return Citation(0, "", document.source, document.id, (), None, None, Span(0, 0), "", "unsupported")
    start = offsets[kept[at]]
    last = kept[at + len(wanted) - 1]
    end = next((offset for offset in offsets[last + 1 :] if offset > offsets[last]), len(document.text))
    end = offsets[last] + len(document.text[offsets[last] : end].rstrip())
    span = Span(start, end)
    return Citation(
        0, "", document.source, document.id, document.headings(start), document.lines(span), document.page(start), span, span.of(document.text),
        "verified", exact=True,
    )  # fmt: skip
