"""What the best passages say for those that resemble them: texts that answer one question tend to lie close together.

The cluster hypothesis (Jardine and van Rijsbergen 1971), used as score regularization (Diaz, "Regularizing ad hoc retrieval scores", CIKM
2005), in its cheapest form: the five best candidates each lend to the others what their vectors have in common, apart from what all candidates
have in common. It brings up the second and the tenth passage of a story told by many, and next to never changes the first.
Measured: see "What was chosen" in benchmarks/README.md. Squared likenesses favour close kin over the same topic, which matters in a handbook
whose sections are all about one topic.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from yinju.protocols import Vectors

LENDERS = 5
POWER_OF_SCORE = 3  # how fast a lender's say falls with its score
POWER_OF_LIKENESS = 2
ENOUGH = 10  # candidates without which nobody knows what they all have in common


def lent(vectors: Mapping[int, Vectors], scores: Mapping[int, float], across: Collection[int] = ()) -> dict[int, float]:
    """Return for each row, 0 to 1, how much it is like the best of the others. Empty where there are too few.

    `vectors` are of unit length; rows without one get nothing. `across` are rows in another language: what is common is taken off each
    language by itself, else the passages of the first one's language would all be alike.
    """
    import numpy as np

    rows = [row for row in scores if row in vectors]
    if len(rows) < ENOUGH:
        return {}
    matrix = _apart(np.stack([vectors[row] for row in rows]), np.array([row in across for row in rows]))
    values = np.array([max(0.0, scores[row]) for row in rows])
    lenders = np.argsort(-values, kind="stable")[:LENDERS]
    likeness = np.maximum(0.0, matrix @ matrix[lenders].T) ** POWER_OF_LIKENESS
    weights = np.tile(values[lenders] ** POWER_OF_SCORE, (len(rows), 1))
    weights[lenders, np.arange(len(lenders))] = 0.0  # nobody lends to itself
    total = weights.sum(axis=1)
    given = (likeness * weights).sum(axis=1) / np.where(total > 0, total, 1.0)
    return dict(zip(rows, given.tolist(), strict=True))


def _apart(matrix: NDArray[np.float32], across: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Return the rows at unit length without what the rows of their language have in common; nought where those are few."""
    import numpy as np

    found = np.zeros_like(matrix)
    for side in (False, True):
        inside = across == side
        if inside.sum() >= ENOUGH:
            rest = matrix[inside] - matrix[inside].mean(axis=0)
            found[inside] = rest / np.maximum(np.linalg.norm(rest, axis=1, keepdims=True), 1e-6)
    return found
