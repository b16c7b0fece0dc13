"""Vectors from hashed characters and words: expectations worked out by hand from the formula in the docstring."""

from __future__ import annotations

import math
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from yinju.embed import MODELS, HashingEmbedder
from yinju.testing import FakeEmbedder, embedder_conformance

EMBEDDER = HashingEmbedder()


def bucket(term):
    return zlib.crc32(term.encode()) % 16_384


def test_conformance():
    embedder_conformance(HashingEmbedder)
    embedder_conformance(FakeEmbedder)


def test_weights_of_an_english_text():
    (row,) = EMBEDDER.embed_passages(["Battery battery of E4031"])
    battery = math.log(3) * math.log(1 + 1 / 0.005)  # twice
    of = math.log(2) * math.log(1 + 1 / 0.5)
    code = math.log(2) * math.log(1 + 1 / 0.001)
    length = math.sqrt(battery**2 + of**2 + code**2)
    assert np.count_nonzero(row) == 3
    np.testing.assert_allclose(
        [row[bucket("battery")], row[bucket("of")], row[bucket("e4031")]],
        np.array([battery, of, code]) / length,
        rtol=1e-6,
    )


def test_weights_of_a_chinese_text():
    (row,) = EMBEDDER.embed_passages(["電池的"])  # traditional; folded to 电池的
    character, grammar = (math.log(2) * math.log(1 + 1 / p) for p in (0.02, 0.5))
    pair, with_grammar = (math.log(2) * math.log(1 + 1 / p) for p in (0.002, 0.02))
    expected = {"电": character, "池": character, "的": grammar, "电池": pair, "池的": with_grammar}
    length = math.sqrt(sum(w * w for w in expected.values()))
    assert np.count_nonzero(row) == 5
    for term, weight in expected.items():
        assert row[bucket(term)] == pytest.approx(weight / length, rel=1e-6)


def test_width_case_and_script_do_not_matter():
    rows = EMBEDDER.embed_passages(["ＡＢＣ 電池保修", "abc 电池保修"])
    np.testing.assert_array_equal(rows[0], rows[1])


def test_no_words_no_vector():
    rows = EMBEDDER.embed_queries(["", "。！ --- \U0001f600"])
    assert not rows.any()


@given(st.lists(st.text(), max_size=4))
def test_rows_are_of_unit_length_or_zero(texts):
    rows = EMBEDDER.embed_passages(texts)
    assert rows.shape == (len(texts), 16_384)
    lengths = np.linalg.norm(rows, axis=1)
    assert ((np.abs(lengths - 1) < 1e-5) | (lengths == 0)).all()
    np.testing.assert_array_equal(rows, HashingEmbedder().embed_passages(texts))


def test_the_table_of_models():
    assert MODELS["hashing"].dimension == EMBEDDER.dimension
    assert MODELS["e5"].dimension == 384
    assert all(model.about and model.origin for model in MODELS.values())


def test_the_fake_counts_and_fails_as_told():
    fake = FakeEmbedder(8, fail_at=2)
    fake.embed_passages(["年费"])
    with pytest.raises(Exception, match="told to"):
        fake.embed_passages(["b"])
    fake.embed_queries(["c"])
    assert (fake.calls, fake.texts) == (3, ["年费", "c"])
    assert FakeEmbedder(8, seed=1).fingerprint != fake.fingerprint
