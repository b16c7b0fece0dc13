"""The tokenizer of multilingual-e5-small as a SentencePiece model, written from the pieces of the weights file.

SentencePiece holds the 250,002 pieces in 83 MB where a tokenizer in JSON takes 313. The normaliser is SentencePiece's own `nmt_nfkc`, the one
that the model (XLM-RoBERTa's vocabulary) was trained with. `<s>`, `<pad>`, `</s>`, `<mask>` in a text are ordinary characters: they are
control pieces, which never match text. The messages of protocol buffers are written by hand, they are a few lines: see sentencepiece_model.proto.
"""

from __future__ import annotations

import struct

from yinju.embed.e5_weights import Pieces

_VARINT, _BYTES, _FIXED32 = 0, 2, 5
_UNKNOWN, _CONTROL = 2, 3
_UNIGRAM = 1
_MASK = b"<mask>"


def model(pieces: Pieces) -> bytes:
    """Return the serialised ModelProto, about 5 MB."""
    import sentencepiece

    kinds = {pieces.bos: _CONTROL, pieces.eos: _CONTROL, pieces.pad: _CONTROL, pieces.unknown: _UNKNOWN}
    if pieces.pieces[-1] == _MASK:
        kinds[len(pieces.pieces) - 1] = _CONTROL
    entries = zip(pieces.pieces, pieces.scores, strict=True)
    body = b"".join(_message(1, _piece(piece, score, kinds.get(i))) for i, (piece, score) in enumerate(entries))
    trainer = (
        _number(3, _UNIGRAM)
        + _number(4, len(pieces.pieces))
        + _number(40, pieces.unknown)
        + _number(41, pieces.bos)
        + _number(42, pieces.eos)
        + _number(43, pieces.pad)
    )
    normaliser = sentencepiece.SentencePieceNormalizer(rule_name="nmt_nfkc").serialized_normalizer_spec()
    return body + _message(2, trainer) + _message(3, bytes(normaliser))


def _piece(piece: bytes, score: float, kind: int | None) -> bytes:
    body = _message(1, piece) + _varint(2 << 3 | _FIXED32) + struct.pack("<f", score)
    return body if kind is None else body + _number(3, kind)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3 | _VARINT) + _varint(value)


def _message(field: int, body: bytes) -> bytes:
    return _varint(field << 3 | _BYTES) + _varint(len(body)) + body


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)
