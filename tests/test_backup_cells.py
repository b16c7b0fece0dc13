"""What a cell of a backup may hold is judged without unpacking it, and judged as unpacking does: hostile cells pass neither."""

from __future__ import annotations

import struct
import time

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from backup_samples import make
from yinju.store import backup, contents, opening, terms, vectors

COUNTS = st.dictionaries(
    st.text(st.sampled_from("退款七天ab-.é😀"), min_size=1, max_size=4), st.integers(1, 300), max_size=9
)


def can_be_unpacked(cell: bytes) -> bool:
    try:
        terms.unpack(cell)
    except (ValueError, struct.error):
        return False
    return True


@given(COUNTS)
@settings(deadline=None)
def test_what_we_pack_is_packed(counts):
    assert terms.is_packed(terms.pack(counts))


@given(COUNTS, st.integers(0, 40), st.integers(0, 255), st.integers(0, 40))
@example({"退款": 1}, 0, 2, 40)  # a width that no cell of ours has
@example({"a": 1, "b": 1}, 1, 3, 40)  # more terms than there are
@example({"e-4031": 1, "fee": 1}, 5, 1, 40)  # fewer long ones than there are
@settings(deadline=None)
def test_terms_that_cannot_be_unpacked_are_no_packed_ones(counts, place, byte, length):
    cell = bytearray(terms.pack(counts))
    cell[place % len(cell)] = byte
    changed = bytes(cell[: max(length, 1)])
    if terms.is_packed(changed):
        assert can_be_unpacked(changed)


def test_two_halves_of_a_character_are_not_two_terms():
    halves = struct.pack("<BII", 1, 2, 0) + "😀😀".encode("utf-16-le") + b"\1\1"
    assert not can_be_unpacked(halves)
    assert not terms.is_packed(halves)


PACKED = [
    vectors.pack(np.array(values, np.float32), 6)
    for values in ([0, 0, 0, 0, 0, 1], [1, 0, 0, 0, 0, 0], [0] * 6, [1, 2, 3, 4, 5, 6])
]
SPOILT = {
    "a place beyond the last": struct.pack("<If", 6, 1.0),
    "no number": struct.pack("<If", 1, float("nan")),
    "no number among six": struct.pack("<6f", 1, 2, float("inf"), 4, 5, 6),
    "half a pair": b"\0" * 4,
    "too much": b"\0" * 28,
}  # fmt: skip


@pytest.mark.parametrize("kind", SPOILT)
def test_one_spoilt_vector_among_sound_ones_is_seen(kind):
    assert vectors.are_whole(PACKED, 6)
    assert vectors.are_whole([], 6)
    for place in range(len(PACKED) + 1):
        assert not vectors.are_whole([*PACKED[:place], SPOILT[kind], *PACKED[place:]], 6)


@pytest.mark.slow
@pytest.mark.parametrize("at_once", [1, 2, 1000])
def test_the_spoilt_vectors_are_named_and_no_others(tmp_path, monkeypatch, at_once):
    monkeypatch.setattr(contents, "_MOST_VECTORS", at_once)
    make(tmp_path / "lib")
    backup.write(tmp_path / "lib" / "library.db", tmp_path / "a.backup")
    connection = opening.connect(tmp_path / "a.backup", writing=True, bare=True)
    assert contents.problems(connection) == []
    connection.execute("update vector set vector = x'0000' where id in (2, 5)")
    found = contents.problems(connection)
    connection.close()
    assert [line.split()[2] for line in found] == ["2", "5"]


@pytest.mark.slow
def test_terms_are_judged_at_a_part_of_the_price_of_unpacking_them():
    cell = terms.pack(
        {chr(0x4E00 + number): 1 for number in range(200)} | {f"term-{number}": 2 for number in range(30)}
    )

    def seconds(judge):
        begun = time.process_time()
        for _ in range(2000):
            assert judge(cell)
        return time.process_time() - begun

    assert min(seconds(terms.is_packed) for _ in range(3)) < min(seconds(can_be_unpacked) for _ in range(3)) / 3
