"""A few fixed sentences whose vectors tell whether a model is still the one that it says it is.

A fingerprint names a model; it does not see that an endpoint put another one behind the name, or that an engine computes differently after an
update. So these sentences are embedded as questions, always in one and the same batch: vectors of integer models move by 0.003 to 0.006
in cosine with what stands beside a text, and no more than that is forgiven.
"""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING

from yinju.errors import ModelError

if TYPE_CHECKING:
    from yinju.protocols import Embedder, Vectors

VERSION = 1  # raise it with every change of the sentences
TEXTS = (
    "年费方案每年 168 元，在校生凭学生证按七折结算。",
    "电池的保修期是多久？",
    "本合同自双方签字盖章之日起生效，有效期三年。",
    "细胞核内的染色体由脱氧核糖核酸与蛋白质构成。",
    "The yearly plan costs 168 yuan; students pay seventy per cent of it.",
    "How long is the battery under warranty?",
    "Heat is transferred through the boundary layer of a flat plate.",
    "def fetch(url: str, *, timeout: float = 5.0) -> bytes:",
    "ERROR E-4031: connection refused by db-02:5432",
    "SELECT name, price FROM plans WHERE year = 2024 ORDER BY price;",
)
SAME = 0.99  # cosine of a sentence with itself, below which the model is another


def measure(embedder: Embedder) -> Vectors | None:
    """Return the vectors of the sentences, float32 (10, dimension), or None where the model does not give them now.

    An embedder of someone else's may take only texts that it knows: it cannot be watched, which is no reason not to use it.
    """
    import numpy as np

    try:
        rows = np.asarray(embedder.embed_queries(list(TEXTS)), np.float32)
    except (ModelError, LookupError, ValueError, TypeError, ArithmeticError, AttributeError):
        return None
    usable = rows.ndim == 2 and len(rows) == len(TEXTS) and np.isfinite(rows).all() and rows.any()
    return rows if usable else None


def likeness(one: Vectors, other: Vectors) -> float:
    """Return the least cosine of a sentence's two vectors; -1 where they are not of one shape. A zero vector is like a zero vector."""
    import numpy as np

    if one.shape != other.shape:
        return -1.0
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    both_zero = ~one.any(axis=1) & ~other.any(axis=1)
    cosines = np.where(both_zero, 1.0, (one * other).sum(axis=1) / np.where(lengths > 0, lengths, 1.0))
    return float(cosines.min())


def pack(rows: Vectors) -> str:
    """Return the vectors as text, in half precision: the cosine is kept to a millionth."""
    return base64.b64encode(rows.astype("<f2").tobytes()).decode("ascii")


def unpack(text: str) -> Vectors | None:
    """Return the vectors of which `pack` made this, or None where it did not."""
    import numpy as np

    try:
        numbers = np.frombuffer(base64.b64decode(text, validate=True), "<f2").astype(np.float32)
        rows: Vectors = numbers.reshape(len(TEXTS), -1)
    except (binascii.Error, ValueError, TypeError):
        return None
    return rows if rows.size and np.isfinite(rows).all() else None
