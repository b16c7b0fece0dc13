"""The reading half of the local model: which sentence of a passage answers a question, or that none does.

Question and passage go through the network together, so that each word sees the words of the other: that finds what neither common words nor
nearness in meaning do. The lower six layers are those of multilingual-e5-small as they lie in the cache; the upper six, in reader.onnx
beside this file, were trained on the questions of `training/` (see its README).

Its input is float32 (1, tokens, hidden), its outputs are `said`, float32 (1, tokens, 2), and `nothing`, float32 (1, 1, 1). A sentence's worth is the
mean of the first column over its tokens, plus the logarithm of the summed exponentials of the second, less `nothing`: the log odds that it
answers, against that nothing in the passage does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FILE = "reader.onnx"
QUESTION_TOKENS = 64
HEADING_TOKENS = 32
SENTENCE_TOKENS = 128
WINDOW = 448  # tokens of a question with the sentences that are read beside it
UNREAD = -20.0  # a sentence without tokens answers nothing

Encode = Callable[[str], list[int]]
Run = Callable[[list[int]], tuple["NDArray[np.float32]", float]]


def graph() -> bytes:
    """Return the upper half as it ships. Its input is what the lower one, e5_graph.MIDDLE, says."""
    return (files("yinju.embed") / FILE).read_bytes()


def read(
    question: Sequence[int], above: str, sentences: Sequence[str], encode: Encode, ends: tuple[int, int], run: Run
) -> list[float]:
    """Return the worth of each sentence of a passage. `question`: its tokens with their prefix; `ends`: those that begin and end a text."""
    begin, end = ends
    heading = [*encode(above)[:HEADING_TOKENS], end] if above else []
    front = [begin, *question, end, *encode("passage: "), *heading]
    tokens = [encode(sentence)[:SENTENCE_TOKENS] for sentence in sentences]
    worth = [UNREAD] * len(tokens)
    for window in windows([len(each) for each in tokens], WINDOW - len(front) - 1):
        together, spans = list(front), []
        for place in window:
            spans.append((len(together), len(together) + len(tokens[place])))
            together += tokens[place]
        said, nothing = run([*together, end])
        for place, (start, stop) in zip(window, spans, strict=True):
            if stop > start:
                worth[place] = _worth(said[start:stop]) - nothing
    return worth


def windows(lengths: Sequence[int], room: int) -> Iterator[list[int]]:
    """Yield runs of sentences of about equal length that each have at most `room` tokens (or are one sentence): few, not always the fewest."""
    whole = sum(lengths)
    share = whole / max(1, -(-whole // room))
    run: list[int] = []
    size = 0
    for place, length in enumerate(lengths):
        if run and (size + length > room or size >= share):
            yield run
            run, size = [], 0
        run.append(place)
        size += length
    if run:
        yield run


def _worth(said: NDArray[np.float32]) -> float:
    import numpy as np

    likely: Any = said[:, 1].astype(np.float64)
    top = likely.max()
    return float(said[:, 0].mean() + top + np.log(np.exp(likely - top).sum()))
