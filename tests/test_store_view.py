"""The vector view proposes, the truth disposes: whatever happens to the view, the results are those of a plain computation."""

from __future__ import annotations

import os

import numpy as np
import pytest

from store_samples import FINGERPRINT, embed_all, entry, text_hash, vector
from yinju.store import Store, blocks, matrix, vectors

LINES = [f"第 {number} 段" for number in range(120)]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(matrix, "MINIMUM_TAIL", 10)
    with Store.open(tmp_path) as store, store.writer() as writer:
        writer.put([entry(f"{line}.md", line) for line in LINES])
        embed_all(store, writer)
        assert_exact(store, LINES)
    assert view_files(tmp_path)
    return tmp_path


def view_files(folder):
    return sorted(folder.glob("*.view"))


def assert_exact(store, lines, limit=7, fingerprint=FINGERPRINT, dimension=4):
    """What the store returns is what a plain computation over these lines gives."""
    query = vector("问题", dimension)
    expected = sorted(((float(vector(line, dimension) @ query), line) for line in lines), reverse=True)[:limit]
    found = store.nearest(fingerprint, query, limit)
    assert [store.chunks([rowid])[0].chunk.text for rowid, _ in found] == [line for _, line in expected]
    assert [score for _, score in found] == pytest.approx([score for score, _ in expected], abs=1e-5)
    assert store.similarities(fingerprint, query, [rowid for rowid, _ in found]) == pytest.approx(dict(found), abs=1e-6)


def test_a_deleted_view_is_built_anew(folder):
    for path in view_files(folder):
        path.unlink()
    with Store.open(folder) as store:
        assert_exact(store, LINES)
    assert len(view_files(folder)) == 1


@pytest.mark.parametrize("place", [3, 30, 2_000, 4_100, -5])
def test_a_damaged_view_is_noticed_and_built_anew(folder, place):
    (path,) = view_files(folder)
    content = bytearray(path.read_bytes())
    content[place] ^= 0x10
    path.write_bytes(content)
    with Store.open(folder) as store:
        assert_exact(store, LINES)


@pytest.mark.parametrize("content", [b"", b"garbage", b"0" * 5000])
def test_a_view_that_is_no_view_is_passed_over(folder, content):
    (path,) = view_files(folder)
    path.write_bytes(content)
    with Store.open(folder) as store:
        assert_exact(store, LINES)


def test_an_older_view_is_caught_up(folder):
    (path,) = view_files(folder)
    old = path.read_bytes()
    with Store.open(folder) as store, store.writer() as writer:
        writer.remove([f"{line}.md" for line in LINES[::2]])
        writer.put([entry("new.md", "新 段", LINES[1])])
        embed_all(store, writer)
        assert_exact(store, [*LINES[1::2], "新 段", LINES[1]])
    for newer in view_files(folder):
        newer.unlink()
    path.write_bytes(old)
    with Store.open(folder) as store:
        assert_exact(store, [*LINES[1::2], "新 段", LINES[1]])


def test_the_view_of_another_library_is_not_used(folder, tmp_path_factory):
    other = tmp_path_factory.mktemp("other")
    (path,) = view_files(folder)
    with Store.open(other) as store, store.writer() as writer:
        (other / path.name).write_bytes(path.read_bytes())
        for number in range(5):
            writer.put([entry(f"{number}.md", f"另 {number}")])
        embed_all(store, writer)
        assert_exact(store, [f"另 {number}" for number in range(5)])


def test_searching_goes_on_where_the_view_cannot_be_written(folder, monkeypatch):
    for path in view_files(folder):
        path.unlink()
    monkeypatch.setattr("yinju.store.viewfile._write", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with Store.open(folder) as store:
        assert_exact(store, LINES)
    assert view_files(folder) == []


def test_an_older_snapshot_sees_what_it_saw(folder):
    with Store.open(folder) as store, Store.open(folder) as other, other.writer() as writer, store.snapshot() as before:
        writer.remove([f"{line}.md" for line in LINES[:60]])
        assert_exact(other, LINES[60:])  # builds a view in which the removed rows are missing
        assert_exact(store, LINES)
        assert store.generation == before
    with Store.open(folder) as store:
        assert_exact(store, LINES[60:])


def test_new_vectors_of_the_same_text_replace_the_old_ones(folder):
    with Store.open(folder) as store, store.writer() as writer:
        assert_exact(store, LINES)
        for round_ in (1, 2):
            new = {line: vector(line + "x" * round_) for line in LINES[:3]}
            writer.put_vectors(FINGERPRINT, 4, [(text_hash(line), made) for line, made in new.items()])
            for line, made in new.items():
                (best, score), *_ = store.nearest(FINGERPRINT, made, 1)
                assert (store.chunks([best])[0].chunk.text, score) == (line, pytest.approx(1.0))


def test_a_forgotten_space_may_come_back_with_another_dimension(folder):
    with Store.open(folder) as store, store.writer() as writer:
        assert_exact(store, LINES)
        writer.forget_vectors(FINGERPRINT)
        assert store.nearest(FINGERPRINT, vector("问题"), 5) == []
        embed_all(store, writer, dimension=6)
        assert_exact(store, LINES, dimension=6)


@pytest.mark.parametrize("share", [1, 10, 100])
def test_filters_come_before_the_cut(folder, share):
    with Store.open(folder) as store:
        allowed = np.arange(1, len(LINES) + 1, share, dtype=np.int64)
        query = vector("问题")
        scores = {int(rowid): float(vector(LINES[rowid - 1]) @ query) for rowid in allowed}
        expected = sorted(scores, key=lambda rowid: -scores[rowid])[:5]
        assert [rowid for rowid, _ in store.nearest(FINGERPRINT, query, 5, allowed)] == expected
        assert store.nearest(FINGERPRINT, query, 5, allowed[:0]) == []
        assert len(store.nearest(FINGERPRINT, query, 10**6, allowed)) == len(allowed)


def test_vectors_with_few_values_are_kept_small_and_score_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr(matrix, "MINIMUM_TAIL", 10)
    dimension, generator = 16_384, np.random.default_rng(7)
    rows = np.zeros((60, dimension), np.float32)
    for row in rows[:-1]:  # the last one is of a text without words
        row[generator.choice(dimension, 50, replace=False)] = generator.standard_normal(50)
    assert len(vectors.pack(rows[0], dimension)) == 400
    assert (vectors.unpack(vectors.pack(rows[0], dimension), dimension) == rows[0]).all()
    with Store.open(tmp_path) as store, store.writer() as writer:
        writer.put([entry(f"{number:02}.md", f"段 {number}") for number in range(60)])
        for start in (0, 50):
            part = range(start, min(start + 50, 60))
            writer.put_vectors("hashing", dimension, [(text_hash(f"段 {number}"), rows[number]) for number in part])
            query = rows[:40].sum(axis=0)
            expected = np.argsort(-(rows[: part.stop] @ query), kind="stable")[:5] + 1
            assert [rowid for rowid, _ in store.nearest("hashing", query, 5)] == expected.tolist()
    assert view_files(tmp_path)[0].stat().st_size < 16_384 * 8 + 60 * 50 * 8 + 20_000


def test_a_block_of_nothing_proposes_nothing():
    block = blocks.of([], 4)
    ids, scores = block.best(np.ones(4, np.float32), 5, None)
    assert (len(ids), len(scores)) == (0, 0)


def test_drafts_of_processes_that_were_killed_go_with_the_next_view(folder):
    old, young = folder / "vectors-0-1-2.new", folder / "vectors-0-1-3.new"
    for path in (old, young):
        path.write_bytes(b"half")
    os.utime(old, (1, 1))
    for path in view_files(folder):
        path.unlink()
    with Store.open(folder) as store:
        assert_exact(store, LINES)
    assert (old.exists(), young.exists()) == (False, True), "somebody may still be writing the young one"
