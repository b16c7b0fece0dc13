"""The one place that knows RapidOCR: a picture in, its lines out.

Its steps are called one by one, because a page has one direction and not one for each line: short lines, numbers above all, are taken to be
upside down too easily. Lines are recognised one at a time: together they need 200 MB more and take longer. Its models come from its
wheel by their paths, so that it has nothing to fetch. Tall pictures (long screenshots) are cut into overlapping parts, or their text would
be shrunk until nobody can read it. They are never cut through the length of a line.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from yinju.boxes import Box
from yinju.load.ocr.availability import DETECTION, DIRECTION, RECOGNITION, models
from yinju.load.ocr.lines import OcrLine, as_shown, reading_order

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Picture = NDArray[Any]  # height x width x 3, blue green red

FIND_PIXELS = 1_700_000  # to which a part is shrunk to find lines in it: most of the memory goes with it
PART_PIXELS = 4_700_000  # of a part: a page of A4 at 200 dots to the inch has 3.9 million
OVERLAP = 160  # rows that parts share; lines that are higher may be cut
LEAST_CONFIDENCE = 0.5  # below it, it is a speck or a picture and no text
TALL = 1.5  # height to width from which RapidOCR lays a line on its side
LONGEST_LINE = 120  # width to height; longer ones are recognised in pieces: the need of memory grows with the square
FEW = 6  # lines that are recognised both ways where their direction is in doubt
DOUBT = 0.2  # share of the lines that lie the other way round


@dataclass(frozen=True, slots=True)
class _Found:
    """A line that was found: where (pixels of the whole picture), its picture, and whether it stood upright in a column."""

    left: float
    top: float
    right: float
    bottom: float
    picture: Picture
    tall: bool

    @property
    def length(self) -> float:
        return max(self.right - self.left, self.bottom - self.top)


@cache
def engine() -> Engine:
    """Return the engine of this process, loaded at the first call. Raises ImportError where the extra is not installed."""
    return Engine()


class Engine:
    """RapidOCR with its models, on one thread."""

    def __init__(self) -> None:
        import numpy
        from rapidocr import RapidOCR
        from rapidocr.main import RapidOCRError

        folder = models()
        if folder is None:
            raise ImportError("rapidocr or its models are not installed")
        self._rapid = RapidOCR(
            params={
                "Global.log_level": "critical",
                "Det.model_path": str(folder / DETECTION),
                "Det.limit_type": "max",
                "Cls.model_path": str(folder / DIRECTION),
                "Cls.cls_thresh": 2.0,  # never turn a line: the page decides
                "Rec.model_path": str(folder / RECOGNITION),
                "Rec.rec_batch_num": 1,
                "EngineConfig.onnxruntime.intra_op_num_threads": 1,
                "EngineConfig.onnxruntime.inter_op_num_threads": 1,
            }
        )
        with contextlib.suppress(RapidOCRError):  # nothing is found in it, but its models are loaded
            self._rapid.detect_and_crop(numpy.full((64, 64, 3), 255, numpy.uint8), {})
        self._detector: Any = self._rapid.text_det

    def read(self, picture: Picture) -> list[OcrLine]:
        """Return the lines of the picture in reading order, whichever way it lies. Raises MemoryError."""
        from rapidocr.inference_engine.onnxruntime.main import ONNXRuntimeError

        try:
            return self._read(picture)
        except ONNXRuntimeError as error:
            if "alloc" in str(error):  # it tells the lack of memory as a fault of its own
                raise MemoryError from error
            raise

    def _read(self, picture: Picture) -> list[OcrLine]:
        import numpy

        found = self._find(picture)
        if not found:
            return []
        turn = self._turn(found)
        if turn:
            picture = numpy.ascontiguousarray(numpy.rot90(picture, -(turn // 90)))
            found = self._find(picture)
        height, width = picture.shape[:2]
        lines = []
        for line in found:
            text, confidence = self._recognise(line.picture)
            if text and confidence >= LEAST_CONFIDENCE:
                box = Box(*(min(max(edge, 0.0), 1.0) for edge in _shares(line, width, height)))
                lines.append(OcrLine(text, as_shown(box, turn), confidence, turn))
        return reading_order(lines)

    def _find(self, picture: Picture) -> list[_Found]:
        cuts = _cuts(*picture.shape[:2])
        return [line for top, bottom, core in cuts for line in self._find_in(picture[top:bottom], top, core)]

    def _find_in(self, part: Picture, top: int, core: tuple[float, float]) -> Iterator[_Found]:
        """Yield the lines of a part whose middle lies in its core; the others belong to the part beside it."""
        from rapidocr.main import RapidOCRError

        height, width = part.shape[:2]
        self._detector.limit_side_len = max(height, width) * min(1.0, math.sqrt(FIND_PIXELS / (height * width)))
        record: dict[str, Any] = {}
        try:
            pictures, result = self._rapid.detect_and_crop(part, record)
        except RapidOCRError:  # it found nothing
            return
        above = record["padding_1"]["top"]
        for picture, corners in zip(pictures, cast(Any, result.boxes), strict=True):
            line = _found(picture, corners, top - above)
            if core[0] <= (line.top + line.bottom) / 2 < core[1]:
                yield line

    def _turn(self, found: list[_Found]) -> int:
        """Return by how many degrees clockwise the page has to be turned, by what most of its lines say, long ones more than short ones."""
        votes = dict.fromkeys((0, 90, 180, 270), 0.0)
        _, result = self._rapid.cls_and_rotate([line.picture for line in found])
        for line, (label, score) in zip(found, cast(Any, result.cls_res), strict=True):
            flipped = "180" in label
            votes[(90 if flipped else 270) if line.tall else (180 if flipped else 0)] += line.length * score
        tall = votes[90] + votes[270] > votes[0] + votes[180]
        as_it_lies, flipped_turn = (270, 90) if tall else (0, 180)
        share = votes[flipped_turn] / ((votes[as_it_lies] + votes[flipped_turn]) or 1.0)
        if DOUBT < share < 1 - DOUBT or len(found) < FEW:
            longest = sorted((line for line in found if line.tall == tall), key=lambda line: -line.length)[:FEW]
            straight = sum(self._recognise(line.picture)[1] for line in longest)
            flipped_sum = sum(self._recognise(_on_its_head(line.picture))[1] for line in longest)
            return flipped_turn if flipped_sum > straight else as_it_lies
        return flipped_turn if share > DOUBT else as_it_lies

    def _recognise(self, picture: Picture) -> tuple[str, float]:
        """Return the text of the picture of a line, and how sure it is."""
        texts, confidences = [], []
        for piece in _pieces(picture):
            result: Any = self._rapid.recognize_txt([piece])
            text = result.txts[0].strip()
            if text:
                texts.append(text)
                confidences.append(float(result.scores[0]))
        return "".join(texts), min(confidences, default=0.0)


def _cuts(height: int, width: int) -> Iterator[tuple[int, int, tuple[float, float]]]:
    """Yield first and last row of each part, and between which rows the middle of a line has to lie to be its own."""
    count = max(1, math.ceil(height * width / PART_PIXELS - 0.25))
    count = min(count, max(1, height // (4 * OVERLAP)))
    for number in range(count):
        first, last = height * number // count, height * (number + 1) // count
        core = (first if number else -math.inf, last if number + 1 < count else math.inf)
        yield max(0, first - OVERLAP), min(height, last + OVERLAP), core


def _found(picture: Picture, corners: NDArray[Any], down: float) -> _Found:
    """Return a line by the corners of its frame, from the upper left one on. On a page that was scanned askew the frame stands askew, too.

    Its box is as large as the frame and has the same middle: the box around the frame would reach into the lines above and below.
    """
    (x1, y1), (x2, y2), (x3, y3), (x4, y4) = ((float(x), float(y)) for x, y in corners)
    width = max(math.hypot(x2 - x1, y2 - y1), math.hypot(x3 - x4, y3 - y4))
    height = max(math.hypot(x4 - x1, y4 - y1), math.hypot(x3 - x2, y3 - y2))
    x, y = (x1 + x2 + x3 + x4) / 4, (y1 + y2 + y3 + y4) / 4 + down
    tall = int(height) >= TALL * int(width)  # RapidOCR laid it on its side then, by 90 degrees against the clock
    return _Found(x - width / 2, y - height / 2, x + width / 2, y + height / 2, picture, tall)


def _shares(line: _Found, width: int, height: int) -> tuple[float, float, float, float]:
    return line.left / width, line.top / height, line.right / width, line.bottom / height


def _on_its_head(picture: Picture) -> Picture:
    turned: Picture = picture[::-1, ::-1]
    return turned


def _pieces(picture: Picture) -> Iterator[Picture]:
    """Yield the picture of a line, cut where it is emptiest when it is very long."""
    import numpy

    height, width = picture.shape[:2]
    most, gap = LONGEST_LINE * height, max(height // 3, 1)
    while width > most:
        begin = most - 3 * height
        near = picture[:, begin:most].astype("int32")
        change = abs(near[:, 1:] - near[:, :-1]).sum(axis=(0, 2))
        place = begin + int(numpy.convolve(change, numpy.ones(gap), "valid").argmin()) + (gap + 1) // 2
        yield picture[:, :place]
        picture, width = picture[:, place:], width - place
    if width:
        yield picture
