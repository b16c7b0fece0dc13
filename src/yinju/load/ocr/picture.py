"""The bytes of a picture to pixels that can be read: bounded before anything is unpacked, the right way up, on a ground that shows its text."""

from __future__ import annotations

import io
import math
import struct
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from yinju.errors import DocumentError
from yinju.messages import say

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PIL.Image import Image

FORMATS = ("PNG", "JPEG", "TIFF", "BMP", "WEBP", "GIF")
MOST_BYTES = (
    256 * 1024 * 1024
)  # of the pixels as they are unpacked: 64 million pixels in colours; Pillow itself refuses 179 million in greys
MOST_PIXELS = 24_000_000  # that are read; larger pictures are scaled down to it
LEAST_SIDE, MOST_SIDE = 736, 2_400  # of the shorter side; smaller pictures are enlarged, at most so far:
MOST_ENLARGED = 3
MOST_WIDTH = (
    28_000  # of what is read: a wide strip is padded to an eighth of its width on both sides, 600 MB at this width
)
NO_TEXT = "picture"  # the code of pictures that are no documents
_SIGNATURES = (b"\x89PNG", b"\xff\xd8\xff", b"II*\0", b"MM\0*", b"GIF8", b"RIFF")
_ONE_BYTE_MODES = ("1", "L", "P")
_FAULTS = (  # what Pillow's readers raise for files that are broken
    OSError,
    SyntaxError,
    ValueError,
    EOFError,
    struct.error,
    IndexError,
    KeyError,
    TypeError,
    AttributeError,
    OverflowError,
    ZeroDivisionError,
    zlib.error,
)


@contextmanager
def opened(data: bytes) -> Iterator[Image]:
    """Open the picture; nothing is unpacked yet. Raises DocumentError: damaged, limit, picture (it is none)."""
    import PIL.Image

    with _faults_told():
        try:
            picture = PIL.Image.open(io.BytesIO(data), formats=FORMATS)
        except PIL.UnidentifiedImageError:
            raise _damaged() if data.startswith(_SIGNATURES) else _no_picture() from None
    with picture:
        yield picture


@contextmanager
def _faults_told() -> Iterator[None]:
    """Tell what Pillow raises as what is wrong with the file."""
    import PIL.Image

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # odd metadata, and sizes that `_check` looks at by itself
        try:
            yield
        except PIL.Image.DecompressionBombError as error:
            raise _too_large() from error
        except DocumentError:
            raise
        except _FAULTS as error:
            raise _damaged() from error


def pages(picture: Image) -> int:
    """Return how many pages there are: more than one in a TIFF only; of moving pictures the first one counts. Raises DocumentError damaged."""
    if picture.format != "TIFF":
        return 1
    with _faults_told():
        return max(1, int(getattr(picture, "n_frames", 1)))


def pixels(picture: Image, page: int) -> NDArray[Any]:
    """Return one page (from 0) as height x width x 3, blue green red, as a viewer shows it. Raises DocumentError: damaged, limit."""
    import numpy

    with _faults_told():
        return numpy.ascontiguousarray(numpy.asarray(_shown(picture, page))[:, :, ::-1])


def _shown(picture: Image, page: int) -> Image:
    from PIL import ImageOps

    if page:
        picture.seek(page)
    if picture.format == "JPEG":  # unpacked to an eighth at best, so that a large photograph needs little memory
        picture.draft("RGB", _size(*picture.size))
    _check(picture)
    picture.load()
    return ImageOps.exif_transpose(_on_ground(_eight_bits(_scaled(picture))))


def _check(picture: Image) -> None:
    width, height = picture.size
    per_pixel = 1 if picture.mode in _ONE_BYTE_MODES else 4
    if width * height * per_pixel > MOST_BYTES or max(_size(width, height)) > MOST_WIDTH >= 8 * min(
        _size(width, height)
    ):
        raise _too_large()


def _size(width: int, height: int) -> tuple[int, int]:
    """Return the size at which a picture of this size is read."""
    short = max(1, min(width, height))
    wanted = min(MOST_ENLARGED, max(1.0, LEAST_SIDE / short), MOST_SIDE / short)
    factor = min(wanted, math.sqrt(MOST_PIXELS / max(1, width * height)))
    return max(1, round(width * factor)), max(1, round(height * factor))


def _scaled(picture: Image) -> Image:
    import PIL.Image

    size = _size(*picture.size)
    if size == picture.size:
        return picture
    grey = picture.mode == "1"
    plain = picture.convert("L") if grey else picture.convert("RGBA") if picture.mode == "P" else picture
    method = PIL.Image.Resampling.BICUBIC if size[0] > picture.size[0] else PIL.Image.Resampling.BOX
    if plain.mode.startswith("I;16"):
        plain, method = plain.convert("I"), PIL.Image.Resampling.NEAREST
    scaled = plain.resize(size, method)
    scaled.info.update(picture.info)
    scaled.getexif().update(picture.getexif())
    return scaled


def _eight_bits(picture: Image) -> Image:
    """Return a picture of deep greys (scans of 12 or 16 bits) in 256 of them, from the darkest to the lightest that it has."""
    if not picture.mode.startswith(("I", "F")):
        return picture
    deep = picture.convert("F")
    extremes: Any = deep.getextrema()
    darkest, lightest = float(extremes[0]), float(extremes[1])
    span = lightest - darkest
    if not math.isfinite(span) or span <= 0:
        return deep.convert("L")
    return deep.point(lambda value: value * (255 / span) - darkest * 255 / span).convert("L")


def _on_ground(picture: Image) -> Image:
    """Return the picture without transparency: on white, or on black where what is drawn is light."""
    import PIL.Image
    from PIL import ImageStat

    if not picture.has_transparency_data:
        return _keep_exif(picture.convert("RGB"), picture)
    drawn = picture.convert("RGBA")
    cover = drawn.getchannel("A")
    light = (
        ImageStat.Stat(drawn.convert("L"), cover.point(lambda alpha: 255 * (alpha > 0))).mean
        if cover.getbbox()
        else [0]
    )
    ground = PIL.Image.new("RGBA", drawn.size, "white" if light[0] < 128 else "black")
    return _keep_exif(PIL.Image.alpha_composite(ground, drawn).convert("RGB"), picture)


def _keep_exif(made: Image, picture: Image) -> Image:
    made.getexif().update(picture.getexif())
    return made


def _damaged() -> DocumentError:
    return DocumentError(
        say("the picture is damaged", "图片已损坏"),
        say("open it in another program and save it again", "请用其他程序打开并另存"),
        code="damaged",
    )


def _no_picture() -> DocumentError:
    return DocumentError(
        say("no picture, whatever its name says", "名为图片，内容却不是"),
        say("nothing to do", "无需处理"),
        code=NO_TEXT,
    )


def _too_large() -> DocumentError:
    return DocumentError(
        say("the picture has too many pixels", "图片像素过多"),
        say("save it in a smaller size", "请另存为较小的尺寸"),
        code="limit",
    )
