"""Vectors come in batches that stay, whatever stops them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sync_fakes import Embedder
from yinju import sync
from yinju.store import Store
from yinju.sync import SyncOptions, spaces
from yinju.sync.vectors import BATCH, embed_missing
from yinju.types import Document


@pytest.fixture
def store() -> Iterator[Store]:
    with Store.open(None) as opened:
        yield opened


def fill(store: Store, count: int, text: str = "第 {n} 篇文档 number {n}") -> None:
    sync.add(store, [Document.from_text(text.format(n=n), source=f"{n:03}.md") for n in range(count)])


def embedded(store: Store) -> int:
    return store.counts().embedded(Embedder.fingerprint)


def test_all_get_a_vector_once(store: Store) -> None:
    fill(store, 3)
    embedder = Embedder()
    assert sync.embed(store, embedder).embedded == 3
    assert sync.embed(store, embedder).embedded == 0
    assert sorted(embedder.texts) == [f"第 {n} 篇文档 number {n}" for n in range(3)]
    assert embedded(store) == 3


def test_texts_that_stand_twice_are_computed_once(store: Store) -> None:
    fill(store, 3, "许可声明：内部使用。")
    embedder = Embedder()
    assert sync.embed(store, embedder).embedded == 1
    assert (len(embedder.texts), embedded(store)) == (1, 3)


def test_what_the_question_needs_comes_first(store: Store) -> None:
    fill(store, 100)
    wanted = [chunk.rowid for chunk in store.chunks_of("099.md")]
    embedder = Embedder()
    with store.writer() as writer:
        embed_missing(store, writer, embedder, first=wanted, cancel=lambda: bool(embedder.texts))
    assert embedder.texts[0] == "第 99 篇文档 number 99"


def test_a_budget_of_nothing_computes_nothing(store: Store) -> None:
    fill(store, 3)
    report = sync.embed(store, Embedder(), budget_s=0.0)
    assert (report.embedded, report.notices) == (0, ())


def test_a_model_that_fails_leaves_what_is_done_and_says_so(store: Store) -> None:
    fill(store, BATCH + 10)
    report = sync.embed(store, Embedder(fail_after=BATCH))
    assert report.embedded == embedded(store) == BATCH
    assert len(report.notices) == 1
    assert "the endpoint is gone" in report.notices[0]
    assert sync.embed(store, Embedder()).embedded == 10


@pytest.mark.parametrize("poison", ["number 5", "第 5 篇"])
def test_one_refused_text_does_not_hold_up_the_others(store: Store, poison: str) -> None:
    fill(store, 9)
    report = sync.embed(store, Embedder(poison=poison))
    assert report.embedded == embedded(store) == 8
    assert len(report.notices) == 1


def test_a_model_that_refuses_everything_is_given_up(store: Store) -> None:
    fill(store, 200)
    calls = []

    class Refusing(Embedder):
        def embed_passages(self, texts):  # type: ignore[no-untyped-def]
            calls.append(len(list(texts)))
            return super().embed_passages(texts)

    report = sync.embed(store, Refusing(poison="number"))
    assert (report.embedded, len(report.notices)) == (0, 1)
    assert len(calls) <= 12, "64, 32, ..., 1, and three single ones"


def test_vectors_that_are_none_are_a_notice(store: Store) -> None:
    class Short(Embedder):
        def embed_passages(self, texts):  # type: ignore[no-untyped-def]
            return super().embed_passages(texts)[:-1]

    class NotFinite(Embedder):
        def embed_passages(self, texts):  # type: ignore[no-untyped-def]
            return super().embed_passages(texts) * float("nan")

    fill(store, 4)
    for embedder in (Short(), NotFinite()):
        report = sync.embed(store, embedder)
        assert (report.embedded, len(report.notices)) == (0, 1)
    assert embedded(store) == 0


def test_a_sync_without_embedding_computes_none_and_the_next_catches_up(store: Store) -> None:
    document = Document.from_text("电池保修六个月。", source="保修.md")
    assert sync.add(store, [document], embedder=Embedder(), options=SyncOptions(embed=False)).embedded == 0
    assert sync.add(store, [document], embedder=Embedder()).embedded == 1
    assert sync.add(store, [document], embedder=Embedder()).embedded == 0, "the text is the same, its vector is kept"


class Other(Embedder):
    fingerprint = "other/4"


def test_vectors_of_a_model_that_no_sync_used_for_a_week_are_removed_and_told(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    day = [100]
    monkeypatch.setattr(spaces, "_today", lambda: day[0])
    fill(store, 3)

    def sync_with(embedder: Embedder) -> tuple[str, ...]:
        with store.writer() as writer:
            return embed_missing(store, writer, embedder).notices

    assert [sync_with(one) for one in (Embedder(), Other(), Embedder())] == [(), (), ()]
    assert set(store.fingerprints()) == {Embedder.fingerprint, Other.fingerprint}  # a trial costs nothing
    day[0] += spaces.KEPT_DAYS - 1
    assert (spaces.is_due(store, Embedder.fingerprint), sync_with(Embedder())) == (True, ())
    assert not spaces.is_due(store, Embedder.fingerprint)  # written once a day
    day[0] += 1
    (said,) = sync_with(Embedder())
    assert said.startswith("3 vectors of another model")
    assert set(store.fingerprints()) == {Embedder.fingerprint}
    assert not spaces.is_due(store, Embedder.fingerprint)
    assert embedded(store) == 3


def test_vectors_of_the_same_name_stay_and_what_is_incomplete_removes_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    day = [100]
    monkeypatch.setattr(spaces, "_today", lambda: day[0])
    fill(store, 3)
    sync.embed(store, Other())
    named = Embedder()
    named.fingerprint = Embedder.fingerprint + "#1"  # type: ignore[misc]
    sync.embed(store, named)
    sync.embed(store, Embedder())
    day[0] += spaces.KEPT_DAYS
    fill(store, 4)
    with store.writer() as writer:
        assert embed_missing(store, writer, Embedder(), budget_s=0.0).notices == ()
    assert Other.fingerprint in store.fingerprints()
    sync.embed(store, Embedder())
    assert set(store.fingerprints()) == {Embedder.fingerprint, named.fingerprint}
