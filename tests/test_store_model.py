"""A library does what a dict does. After each step words, vectors and chunks are those of the dict, and no ghosts of what was before."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from store_samples import FINGERPRINT, bigrams_of, embed_all, entry, file_of, text_hash, vector, words_of
from yinju.store import Skipped, Store, matrix, terms

SOURCES = st.sampled_from(["a.md", "b.md", "目录/丙.md", "d.md"])
LINES = st.lists(
    st.sampled_from(["退款 规则", "七天 退款", "the fee", "fee 七天", "重 复 重 复", "E-4031"]), min_size=0, max_size=4
)


class LibraryIsADict(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="yinju-model-"))
        self.store = Store.open(self.folder)
        self.texts: dict[str, list[str]] = {}
        self.embedded: set[str] = set()
        self.tail = matrix.MINIMUM_TAIL
        matrix.MINIMUM_TAIL = 2

    def teardown(self) -> None:
        matrix.MINIMUM_TAIL = self.tail
        self.store.close()
        shutil.rmtree(self.folder)

    def forget_gone(self) -> None:
        self.embedded &= {line for lines in self.texts.values() for line in lines}

    @rule(source=SOURCES, lines=LINES)
    def put(self, source, lines):
        with self.store.writer() as writer:
            writer.put([entry(source, *lines)])
        self.texts[source] = lines
        self.forget_gone()

    @rule(sources=st.dictionaries(SOURCES, LINES))
    def put_several(self, sources):
        with self.store.writer() as writer:
            writer.put([entry(source, *lines) for source, lines in sources.items()])
        self.texts |= sources
        self.forget_gone()

    @rule(old=SOURCES, new=SOURCES)
    def rename(self, old, new):
        with self.store.writer() as writer:
            writer.rename([(old, new, file_of(new))])
        if old in self.texts:
            self.texts[new] = self.texts.pop(old)
        self.forget_gone()

    @rule(first=SOURCES, second=SOURCES)
    def swap(self, first, second):
        if first != second and {first, second} <= set(self.texts):
            with self.store.writer() as writer:
                writer.rename([(first, second, file_of(second)), (second, first, file_of(first))])
            self.texts[first], self.texts[second] = self.texts[second], self.texts[first]

    @rule(sources=st.lists(SOURCES, max_size=3))
    def remove(self, sources):
        with self.store.writer() as writer:
            writer.remove(sources)
        for source in sources:
            self.texts.pop(source, None)
        self.forget_gone()

    @rule(source=SOURCES, outcome=st.sampled_from(["kept", "skipped"]))
    def skip(self, source, outcome):
        with self.store.writer() as writer:
            writer.skip([Skipped(source, "/root", file_of(source, "sha256:99"), outcome, "damaged")])
        if outcome == "skipped":
            self.texts.pop(source, None)
        self.forget_gone()

    @rule()
    def embed(self):
        with self.store.writer() as writer:
            embed_all(self.store, writer)
        self.embedded = {line for lines in self.texts.values() for line in lines}

    @rule()
    def forget_vectors(self):
        with self.store.writer() as writer:
            writer.forget_vectors(FINGERPRINT)
        self.embedded = set()

    @rule()
    def reopen(self):
        self.store.close()
        self.store = Store.open(self.folder)

    @rule()
    def lose_views(self):
        for path in self.folder.glob("*.view"):
            path.unlink()

    @invariant()
    def agrees(self):
        with self.store.snapshot():
            lines = [line for texts in self.texts.values() for line in texts]
            counts = self.store.counts()
            assert (counts.documents, counts.chunks) == (len(self.texts), len(lines))
            assert counts.embedded(FINGERPRINT) == sum(line in self.embedded for line in lines)
            by_rowid = {}
            for source, texts in self.texts.items():
                stored = self.store.chunks_of(source)
                assert [chunk.chunk.text for chunk in stored] == texts
                assert self.store.document(source).text == "\n".join(texts)
                assert all(self.store.chunk_by_id(chunk.id).rowid == chunk.rowid for chunk in stored)
                by_rowid |= {chunk.rowid: chunk.chunk.text for chunk in stored}
            assert len(by_rowid) == len(lines)
            self.words_agree(by_rowid)
            assert self.store.check() == []
            self.vectors_agree(by_rowid)

    def words_agree(self, by_rowid):
        everything = {"退款", "规则", "七天", "the", "fee", "重", "复", "E-4031", "退款规则", "无"}
        statistics = self.store.statistics(sorted(everything), ["退款"])
        for word in everything:
            holders = {rowid for rowid, line in by_rowid.items() if word in words_of(line)}
            assert set(self.store.word_candidates([word], [], 100)) == holders
            assert statistics.word_frequency[word] == len(holders)
        assert statistics.bigram_frequency["退款"] == sum("退款" in bigrams_of(line) for line in by_rowid.values())
        total = sum(len(words_of(line)) for line in by_rowid.values())
        assert statistics.average_words == (total / len(by_rowid) if by_rowid else 0)
        kept = self.store.term_counts(range(200))
        assert {rowid: one.words for rowid, one in kept.items()} == {
            rowid: {word: words_of(line).count(word) for word in words_of(line)} for rowid, line in by_rowid.items()
        }

    def vectors_agree(self, by_rowid):
        query = vector("问")
        expected = {rowid: float(vector(line) @ query) for rowid, line in by_rowid.items() if line in self.embedded}
        assert dict(self.store.nearest(FINGERPRINT, query, 100)) == pytest.approx(expected, abs=1e-5)
        best = [score for _, score in self.store.nearest(FINGERPRINT, query, 2)]
        assert best == pytest.approx(sorted(expected.values(), reverse=True)[:2], abs=1e-5)
        missing = {hash_ for hash_, _ in self.store.missing_vectors(FINGERPRINT, 100)}
        assert missing == {text_hash(line) for line in by_rowid.values() if line not in self.embedded}


LibraryIsADict.TestCase.settings = settings(
    max_examples=12, stateful_step_count=12, deadline=None, suppress_health_check=list(HealthCheck)
)
TestLibraryIsADict = pytest.mark.slow(LibraryIsADict.TestCase)


TERMS = st.text(st.sampled_from("退款七天ab-.é😀\"'"), min_size=1, max_size=5)


@given(st.dictionaries(TERMS, st.integers(1, 300), max_size=30), st.lists(TERMS, max_size=10))
@settings(deadline=None)
def test_packed_terms_come_back(counts, asked):
    packed = terms.pack(counts)
    assert terms.unpack(packed) == counts
    asked += list(counts)[:5]
    expected = {term: counts[term] for term in asked if term in counts}
    assert terms.count_given([packed, terms.pack({})], asked) == [expected, {}]


@given(st.lists(st.floats(-1, 1, width=32), min_size=8, max_size=8), st.integers(0, 8))
@settings(deadline=None)
def test_packed_vectors_come_back(values, zeros):
    from yinju.store import vectors

    made = np.array(values, np.float32)
    made[:zeros] = 0
    packed = vectors.pack(made, 8)
    assert (vectors.unpack(packed, 8) == made).all()
    assert len(packed) <= 32
