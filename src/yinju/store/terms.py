"""The kept terms of a chunk, packed: which terms, how often. Small, exact, and quick for the few terms of a question.

Most terms are one or two characters (Chinese words and bigrams): each is one 32-bit number, its two UTF-16 units, so that the passages of
all candidates are searched in one numpy call. The others follow as text. Layout, little-endian:
`B` bytes a count (1 or 4), `I` number of short terms, `I` number of long ones, short terms (uint32), counts of short, counts of long, long
terms as UTF-8 joined by line feeds.
"""

from __future__ import annotations

import codecs
import struct
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_HEADER = struct.Struct("<BII")
_LAST_OF_PLANE = "\uffff"


def pack(counts: Mapping[str, int]) -> bytes:
    """Return the counts as bytes."""
    short, codes = _split_off_short(counts)
    long = list(counts) if not short else [term for term in counts if len(term) > 2]
    if len(short) + len(long) != len(counts):  # two characters, one of them beyond the basic plane
        long = [term for term in counts if not is_short(term)]
    width, format_ = (1, "B") if max(counts.values(), default=0) < 256 else (4, "I")
    numbers = [counts[term] for term in short] + [counts[term] for term in long]
    return b"".join(
        (
            _HEADER.pack(width, len(short), len(long)),
            codes,
            struct.pack(f"<{len(numbers)}{format_}", *numbers),
            "\n".join(long).encode("utf-8", "surrogatepass"),
        )
    )


def unpack(packed: bytes) -> dict[str, int]:
    """Return all counts."""
    codes, counts, long = _parts(packed)
    short = codes.astype("<u4").tobytes().decode("utf-16-le", "surrogatepass")
    names = [short[at : at + 2].rstrip("\0") for at in range(0, len(short), 2)] + long
    return dict(zip(names, counts.tolist(), strict=True))


def is_packed(packed: bytes) -> bool:
    """Return whether `unpack` can read this, at a tenth of its price: as long as its header says, and text where text has to be."""
    if len(packed) < _HEADER.size:
        return False
    width, short, long = _HEADER.unpack_from(packed)
    counts = _HEADER.size + 4 * short
    start = counts + width * (short + long)
    if width not in {1, 4} or start > len(packed):
        return False
    rest = packed[start:]
    if rest.count(b"\n") != max(long - 1, 0) or (rest and not long):
        return False
    try:
        units, _ = codecs.utf_16_le_decode(packed[_HEADER.size : counts], "surrogatepass", True)
        rest.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return bool(len(units) == 2 * short)  # fewer where two halves make one character


def count_given(packed: Sequence[bytes], given: Iterable[str]) -> list[dict[str, int]]:
    """Return for each packed chunk how often those of the given terms occur that do."""
    import numpy as np

    found: list[dict[str, int]] = [{} for _ in packed]
    if not packed:
        return found
    asked = set(given)
    parts = [_parts(one) for one in packed]
    by_code = {_code(term): term for term in asked if is_short(term)}
    if by_code:
        codes = np.concatenate([part[0] for part in parts])
        counts = np.concatenate([part[1][: len(part[0])] for part in parts])
        owners = np.repeat(np.arange(len(parts)), [len(part[0]) for part in parts])
        wanted = np.array(sorted(by_code), dtype=np.uint32)
        places = np.minimum(np.searchsorted(wanted, codes), len(wanted) - 1)
        hits = np.flatnonzero(wanted[places] == codes)
        for owner, code, count in zip(owners[hits].tolist(), codes[hits].tolist(), counts[hits].tolist(), strict=True):
            found[owner][by_code[code]] = count
    asked_long = {term for term in asked if not is_short(term)}
    if asked_long:
        for owner, (codes, counts, long) in enumerate(parts):
            for term in asked_long.intersection(long):
                found[owner][term] = int(counts[len(codes) + long.index(term)])
    return found


def counted(terms: Iterable[str]) -> Counter[str]:
    """Return the counts of the terms that an index can hold: not empty, valid Unicode, without white space or controls."""
    counts = Counter(terms)
    joined = " ".join(counts)
    if joined.count(" ") != len(counts) - 1 or not joined.isprintable() or "" in counts:
        for term in [term for term in counts if not is_term(term)]:
            del counts[term]
    return counts


def is_term(term: str) -> bool:
    """Return whether the index can hold the term."""
    return bool(term) and all(
        character > " " and character != "\x7f" and not _is_surrogate(character) for character in term
    )


def is_short(term: str) -> bool:
    """Return whether the term is one or two characters of the basic plane."""
    return len(term) <= 2 and max(term) <= _LAST_OF_PLANE


def _split_off_short(counts: Mapping[str, int]) -> tuple[list[str], bytes]:
    """Return the short terms and their codes, in the same order."""
    short = [term for term in counts if len(term) <= 2]
    codes = _encoded(short)
    if len(codes) != 4 * len(short):
        short = [term for term in short if is_short(term)]
        codes = _encoded(short)
    return short, codes


def _encoded(short: Sequence[str]) -> bytes:
    return "".join([term if len(term) == 2 else term + "\0" for term in short]).encode("utf-16-le", "surrogatepass")


def _is_surrogate(character: str) -> bool:
    return "\ud800" <= character <= "\udfff"


def _code(term: str) -> int:
    return ord(term[0]) | (ord(term[1]) << 16 if len(term) == 2 else 0)


def _parts(packed: bytes) -> tuple[NDArray[np.uint32], NDArray[np.unsignedinteger], list[str]]:
    import numpy as np

    width, short, long = _HEADER.unpack_from(packed)
    start = _HEADER.size
    codes = np.frombuffer(packed, dtype="<u4", count=short, offset=start)
    start += 4 * short
    counts = np.frombuffer(packed, dtype="<u1" if width == 1 else "<u4", count=short + long, offset=start)
    start += width * (short + long)
    return codes, counts, packed[start:].decode("utf-8", "surrogatepass").split("\n") if long else []
