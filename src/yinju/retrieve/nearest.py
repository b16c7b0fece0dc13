"""What the documents really say where a quotation is not right: the sentence that has most of the quotation's character sequences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from yinju.text import sentences
from yinju.text.language import is_chinese
from yinju.text.normalize import fold
from yinju.types import Citation, Document, Span

ENOUGH = 0.4  # of the sequences: with fewer it is about something else


def nearest(text: str, proofs: Sequence[Citation], documents: Sequence[Document]) -> Citation:
    """Return the proof (one for each document, none of them verified) of the document that comes nearest, with that text as its quote.

    The status stays. Where no sentence comes near, the first proof is returned as it is.
    """
    length = 2 if is_chinese(text) else 4
    wanted = _sequences(text, length)
    best, most = proofs[0], (ENOUGH, -len(text) * 100)
    for proof, document in zip(proofs, documents, strict=True):
        for span in sentences.split(document.text) if wanted else ():
            share = len(wanted & _sequences(span.of(document.text), length)) / len(wanted)
            if (share, span.start - span.end) > most:
                best, most = _at(proof, document, span), (share, span.start - span.end)
    return best


def _at(proof: Citation, document: Document, span: Span) -> Citation:
    return replace(
        proof,
        headings=document.headings(span.start),
        lines=document.lines(span),
        page=document.page(span.start),
        span=span,
        quote=span.of(document.text),
    )


def _sequences(text: str, length: int) -> frozenset[str]:
    folded = "".join(fold(text).split())
    return frozenset(folded[place : place + length] for place in range(len(folded) - length + 1))
