"""A minimal PDF writer for tests: text at places, in Helvetica, Helvetica-Bold or a Chinese font that is not embedded."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Put:
    x: float
    y: float
    text: str
    size: float = 12
    bold: bool = False
    turn: int = 0  # degrees
    colour: tuple[float, float, float] | None = None  # red, green, blue from 0 to 1
    mode: int = 0  # 3: invisible


@dataclass(frozen=True)
class Picture:
    """A grey picture."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Rules:
    """Rules along these places: a table's grid, or boxes that are filled with a colour (red, green, blue from 0 to 1)."""

    xs: Sequence[float]
    ys: Sequence[float]
    fill: tuple[float, float, float] | None = None


Item = Put | Picture | Rules


def grid(xs: Sequence[float], ys: Sequence[float]) -> Rules:
    return Rules(xs, ys)


def lines(texts: Iterable[str], x: float = 72, y: float = 720, step: float = 14, **more) -> list[Put]:
    return [Put(x, y - step * number, text, **more) for number, text in enumerate(texts)]


def is_plain(text: str) -> bool:
    return all(ord(character) < 256 for character in text)


def _operator(item: Item) -> bytes:
    if isinstance(item, Picture):
        return b"q %g 0 0 %g %g %g cm /Im0 Do Q" % (item.width, item.height, item.x, item.y)
    if isinstance(item, Rules):
        return _rules(item)
    return b"q %s Q" % _text(item) if item.colour or item.mode else _text(item)


def _rules(item: Rules) -> bytes:
    left, right, bottom, top = min(item.xs), max(item.xs), min(item.ys), max(item.ys)
    if item.fill:
        colour = b" ".join(b"%g" % part for part in item.fill)
        return b"q %s rg %g %g %g %g re f Q" % (colour, left, bottom, right - left, top - bottom)
    level = b" ".join(b"%g %g m %g %g l S" % (left, y, right, y) for y in item.ys)
    return level + b" " + b" ".join(b"%g %g m %g %g l S" % (x, bottom, x, top) for x in item.xs)


def _text(put: Put) -> bytes:
    colour = b" ".join(b"%g" % part for part in put.colour) + b" rg " if put.colour else b""
    return colour + (b"%d Tr " % put.mode if put.mode else b"") + _shown(put)


def _shown(put: Put) -> bytes:
    cosine, sine = {0: (1, 0), 90: (0, 1), 180: (-1, 0), 270: (0, -1)}[put.turn]
    place = f"{cosine} {sine} {-sine} {cosine} {put.x} {put.y} Tm".encode()
    if is_plain(put.text):
        escaped = put.text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)").encode("latin-1")
        return b"BT /%s %g Tf %s (%s) Tj ET" % (b"F2" if put.bold else b"F1", put.size, place, escaped)
    return b"BT /F3 %g Tf %s <%s> Tj ET" % (put.size, place, put.text.encode("utf-16-be").hex().encode())


def _utf16(text: str) -> bytes:
    return b"<" + ("\ufeff" + text).encode("utf-16-be").hex().encode() + b">"


def make_pdf(
    pages: Sequence[Sequence[Item]],
    info: dict[str, str] | None = None,
    outline: Sequence[tuple[str, int]] = (),
    password: str | None = None,
    rotate: int = 0,
    box: tuple[int, int, int, int] = (0, 0, 612, 792),
    fields: Sequence[tuple[str, str, tuple[int, int, int, int]]] = (),
) -> bytes:
    """Return a PDF; `outline` has pairs (title, page from 0); `password` is the user's, encrypted by RC4 40 bit (ISO 32000-1, 7.6).

    `rotate` turns all pages clockwise, `box` cuts them. `fields` (kind `Tx` or `note`, value, rectangle) are on the first page.
    """
    first_page = 13 + len(fields)
    annotations = b"/Annots[%s]" % b" ".join(b"%d 0 R" % (13 + n) for n in range(len(fields)))
    form = [b"%d 0 R" % (13 + n) for n, one in enumerate(fields) if one[0] != "note"]
    objects: dict[int, bytes] = {
        1: b"<</Type/Catalog/Pages 2 0 R"
        + (b"/Outlines 11 0 R" if outline else b"")
        + (b"/AcroForm<</Fields[%s]>>" % b" ".join(form) if form else b"")
        + b">>",
        2: b"<</Type/Pages/Count %d/Kids[%s]>>"
        % (len(pages), b" ".join(b"%d 0 R" % (first_page + 2 * n) for n in range(len(pages)))),
        3: b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
        4: b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold/Encoding/WinAnsiEncoding>>",
        5: b"<</Type/Font/Subtype/Type0/BaseFont/STSong-Light/Encoding/UniGB-UCS2-H/DescendantFonts[6 0 R]>>",
        6: b"<</Type/Font/Subtype/CIDFontType0/BaseFont/STSong-Light/CIDSystemInfo 7 0 R/DW 1000/FontDescriptor 8 0 R>>",
        7: b"<</Registry(Adobe)/Ordering(GB1)/Supplement 2>>",
        8: b"<</Type/FontDescriptor/FontName/STSong-Light/Flags 6/FontBBox[-25 -254 1000 880]/ItalicAngle 0"
        b"/Ascent 880/Descent -120/CapHeight 880/StemV 93>>",
        9: b"<<" + b"".join(b"/%s %s" % (key.encode(), _utf16(value)) for key, value in (info or {}).items()) + b">>",
    }
    objects[12] = (
        b"<</Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray/Length 1>>stream\n"
        b"\x80\nendstream"
    )
    for number, (kind, value, rectangle) in enumerate(fields):
        head = (
            b"/Subtype/Text/Contents" if kind == "note" else b"/Subtype/Widget/FT/%s/T(f%d)/V" % (kind.encode(), number)
        )
        objects[13 + number] = b"<</Type/Annot%s%s/Rect[%d %d %d %d]>>" % (head, _utf16(value), *rectangle)
    for number, puts in enumerate(pages):
        content = b"\n".join(_operator(put) for put in puts)
        place = first_page + 2 * number
        objects[place] = (
            b"<</Type/Page/Parent 2 0 R/MediaBox[%d %d %d %d]/Rotate %d/Contents %d 0 R%s"
            b"/Resources<</Font<</F1 3 0 R/F2 4 0 R/F3 5 0 R>>/XObject<</Im0 12 0 R>>>>>>"
            % (*box, rotate, place + 1, annotations if fields and not number else b"")
        )
        objects[place + 1] = b"<</Length %d>>stream\n%s\nendstream" % (len(content), content)
    entry = first_page + 2 * len(pages)
    for number, (title, page) in enumerate(outline):
        following = b"/Next %d 0 R" % (entry + number + 1) if number + 1 < len(outline) else b""
        objects[entry + number] = b"<</Title %s/Parent 11 0 R/Dest[%d 0 R/Fit]%s>>" % (
            _utf16(title),
            first_page + 2 * page,
            following,
        )
    if outline:
        objects[11] = b"<</Type/Outlines/First %d 0 R/Last %d 0 R/Count %d>>" % (
            entry,
            entry + len(outline) - 1,
            len(outline),
        )
    trailer = b""
    if password is not None:
        objects, trailer = _encrypted(objects, password)
    return _file(objects, trailer)


def _file(objects: dict[int, bytes], trailer: bytes) -> bytes:
    out = b"%PDF-1.5\n"
    offsets = {}
    for number in sorted(objects):
        offsets[number] = len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, objects[number])
    table = b"".join(
        b"%010d 00000 n \n" % offsets[number] if number in offsets else b"0000000000 65535 f \n"
        for number in range(max(objects) + 1)
    )
    start = len(out)
    out += b"xref\n0 %d\n%s" % (max(objects) + 1, table)
    return out + b"trailer <</Size %d/Root 1 0 R/Info 9 0 R%s>>\nstartxref\n%d\n%%%%EOF\n" % (
        max(objects) + 1,
        trailer,
        start,
    )


_PAD = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")


def _rc4(key: bytes, data: bytes) -> bytes:
    state, j = list(range(256)), 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    out, i, j = bytearray(), 0, 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)


def _encrypted(objects: dict[int, bytes], password: str) -> tuple[dict[int, bytes], bytes]:
    identity = b"0123456789abcdef"
    user, owner = ((word.encode() + _PAD)[:32] for word in (password, "owner"))
    o = _rc4(hashlib.md5(owner).digest()[:5], user)
    key = hashlib.md5(user + o + (0xFFFFFFFC).to_bytes(4, "little") + identity).digest()[:5]
    u = _rc4(key, _PAD)
    locked = {}
    for number, body in objects.items():
        head, mark, rest = body.partition(b"stream\n")
        own = hashlib.md5(key + number.to_bytes(3, "little") + b"\0\0").digest()[:10]
        if mark:
            data = rest.removesuffix(b"\nendstream")
            locked[number] = head + mark + _rc4(own, data) + b"\nendstream"
        else:
            locked[number] = body
    locked[9] = b"<<>>"
    locked[10] = b"<</Filter/Standard/V 1/R 2/O<%s>/U<%s>/P -4>>" % (o.hex().encode(), u.hex().encode())
    return locked, b"/Encrypt 10 0 R/ID[<%s><%s>]" % (identity.hex().encode(), identity.hex().encode())
