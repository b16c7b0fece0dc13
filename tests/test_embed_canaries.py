"""Another model behind the same fingerprint: the words still answer, people are told, one sync embeds anew."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from test_embed_http import Server, good
from yinju import Library
from yinju.embed import HttpEmbedder, canaries
from yinju.errors import ModelError
from yinju.testing import FakeEmbedder, embedder_conformance

pytestmark = pytest.mark.slow  # each embeds a library anew

FILES = {
    "plans.md": "# 订阅方案\n\n年费方案每年 168 元。\n",
    "warranty.md": "# Warranty\n\nThe battery is under warranty for six months.\n",
    "refund.md": "# 退款\n\n七天内可以全额退款。\n",
}


class Endpoint(FakeEmbedder):
    """A model behind a name: another `seed` is another model, the name stays."""

    never_changes = False

    @property
    def fingerprint(self):
        return "endpoint/model"


@pytest.fixture
def folder(tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    for name, text in FILES.items():
        (docs / name).write_text(text, encoding="utf-8")
    return docs


@pytest.fixture
def opened(tmp_path):
    """Open the library with the model of this seed, each time as a new process would."""

    def opened(seed, **options):
        return Library.open(tmp_path / ".yinju", embedder=Endpoint(seed=seed), **options)

    return opened


def told(result):
    return any("another model" in text for text in result.notices)


@pytest.mark.parametrize(("question", "source"), [("年费方案", "plans.md"), ("battery warranty", "warranty.md")])
def test_words_answer_and_one_sync_embeds_anew(folder, opened, question, source):  # fault 72, the same dimension
    with opened(1) as library:
        assert library.sync(folder).embedded == 3
        assert not told(library.find(question))
    with opened(2) as library:
        found = library.find(question)
        assert told(found)
        assert found.coverage["dense"] == 0
        assert found.hits[0].source == source
        assert all(vote.leg != "dense" for hit in found.hits for vote in hit.votes)
    with opened(2) as library:
        assert library.status()["embedded"] == 0  # known without a question
        assert library.sync(folder).embedded == 3
        found = library.find(question)
        assert not told(found)
        assert found.coverage["dense"] == 1
    with opened(2) as library:
        assert not told(library.find(question))
        assert library.sync(folder).embedded == 0


def test_a_sync_with_one_new_text_embeds_all_anew(folder, opened):  # fault 72
    with opened(1) as library:
        library.sync(folder)
    (folder / "plans.md").write_text("# 订阅方案\n\n年费方案每年 198 元。\n", encoding="utf-8")
    with opened(2) as library:
        report = library.sync(folder)
        assert (report.updated, report.embedded) == (1, 3)
        assert library.find("年费").coverage["dense"] == 1
        assert len(set(library.store.fingerprints())) == 2  # never mixed


def test_a_model_that_comes_back_finds_its_vectors(folder, opened):
    for seed, embedded in ((1, 3), (2, 3), (1, 0), (2, 0)):
        with opened(seed) as library:
            library.find("年费")
        with opened(seed) as library:
            assert library.sync(folder).embedded == embedded
            assert library.find("年费").coverage["dense"] == 1


def test_a_reader_that_may_not_write_notices_too(folder, opened):
    with opened(1) as library:
        library.sync(folder)
    for _ in range(2):
        with opened(2, read_only=True) as library:
            assert told(library.find("年费"))
    with opened(2) as writing, writing.store.writer():
        assert told(writing.find("年费"))  # somebody is writing: next time


def test_a_library_of_before_is_trusted_once(folder, opened):
    with opened(1) as library:
        library.sync(folder)
        key = "canaries:1:endpoint/model"
        for value in (None, "", "{", '{"canaries": 7}', '{"canaries": ["!"], "current": "x"}'):
            with library.store.writer() as writer:
                writer.set_value(key, value)
            with opened(1) as again:
                assert not told(again.find("年费"))


def test_damaged_canaries_cost_vectors_never_answers(folder, opened):
    with opened(1) as library:
        library.sync(folder)
        with library.store.writer() as writer:
            writer.set_value("canaries:1:endpoint/model", '{"canaries": ["AAAA"], "current": 0}')
    with opened(1) as library:
        assert library.find("年费").hits[0].source == "plans.md"
        library.sync(folder)
        assert library.find("年费").coverage["dense"] == 1


def test_canaries_are_asked_once_and_nothing_at_the_start(folder, opened):
    with opened(1) as library:
        inner = library.embedder.unguarded
        assert not inner.texts
        library.sync(folder)
        for _ in range(3):
            library.find("年费")
        assert sum(text in canaries.TEXTS for text in inner.texts) == len(canaries.TEXTS)
    with opened(1) as library:
        library.sync(folder)
        library.status()
        assert not library.embedder.unguarded.texts  # nothing to embed: nothing is asked


class Noisy(Endpoint):
    """Moves as integer models do with their company: every vector by 0.005 in cosine."""

    def embed_passages(self, texts):
        rows = super().embed_passages(texts).astype(np.float64)
        away = np.random.default_rng(3).normal(size=rows.shape)
        away -= (away * rows).sum(axis=1, keepdims=True) * rows
        rows += 0.1 * away / np.linalg.norm(away, axis=1, keepdims=True) * rows.any(axis=1, keepdims=True)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)


def test_a_small_move_is_the_same_model(folder, tmp_path, opened):
    with opened(1) as library:
        library.sync(folder)
    with Library.open(tmp_path / ".yinju", embedder=Noisy(seed=1)) as library:
        assert not told(library.find("年费"))


@pytest.mark.parametrize("error", [KeyError("?"), ModelError("?"), ValueError("?")])
def test_a_model_that_takes_no_other_texts_is_used_unwatched(folder, tmp_path, error):
    class Table(Endpoint):
        def embed_queries(self, texts):
            if texts[0] in canaries.TEXTS:
                raise error
            return super().embed_queries(texts)

    with Library.open(tmp_path / ".yinju", embedder=Table()) as library:
        library.sync(folder)
        assert library.find("年费").coverage["dense"] == 1


def test_an_endpoint_that_changes_its_model(folder, tmp_path):
    def other(body):
        items = [{"index": i, "embedding": [1.0, float(len(text)) ** 2]} for i, text in enumerate(body["input"])]
        return 200, {"data": items}

    server = Server(good)
    for script, expected in ((good, False), (other, True)):
        server.script = [script]
        with Library.open(tmp_path / ".yinju", embedder=HttpEmbedder(server.url, None, "m")) as library:
            if not expected:
                library.sync(folder)
            assert told(library.find("年费")) is expected
    batches = [body["input"] for _path, _headers, body in server.requests if body["input"][0] in canaries.TEXTS]
    assert batches == [list(canaries.TEXTS)] * 2  # one fixed batch for each process
    server.http.shutdown()
    server.http.server_close()


def test_an_endpoint_that_is_down_is_not_asked_for_canaries_too(folder, tmp_path):
    server = Server((401, {}))
    with Library.open(tmp_path / ".yinju", embedder=HttpEmbedder(server.url, None, "m")) as library:
        assert library.sync(folder).embedded == 0
        assert library.find("年费").hits[0].source == "plans.md"
    assert not any(body["input"] == list(canaries.TEXTS) for _path, _headers, body in server.requests)
    server.http.shutdown()
    server.http.server_close()


def test_progress_counts_what_is_to_be_embedded_anew(folder, opened):
    with opened(1) as library:
        library.sync(folder)
    (folder / "plans.md").write_text("# 订阅方案\n\n年费方案每年 198 元。\n", encoding="utf-8")
    told_ = []
    with opened(2) as library:
        library.sync(folder, progress=told_.append)
    last = [event for event in told_ if event.stage == "embed"][-1]
    assert (last.done, last.total) == (3, 3)


def test_it_still_conforms():
    with Library.open(embedder=Endpoint()) as one, Library.open(embedder=Endpoint()) as other:
        both = iter((one.embedder, other.embedder))
        embedder_conformance(lambda: next(both))


@given(st.integers(0, 2**32), st.integers(1, 40))
def test_packed_vectors_are_like_themselves(seed, dimension):
    rows = np.random.default_rng(seed).normal(size=(len(canaries.TEXTS), dimension)).astype(np.float32)
    rows[0] = 0
    again = canaries.unpack(canaries.pack(rows))
    assert canaries.likeness(rows, again) > 1 - 1e-5
    assert canaries.likeness(rows, -rows) < 0
    assert canaries.likeness(rows, rows[:, :-1]) <= 1


@pytest.mark.model
def test_the_local_model_is_itself_in_another_process():
    import subprocess
    import sys

    code = (
        "from yinju import models; from yinju.settings import Settings; from yinju.embed import canaries;"
        "print(canaries.pack(canaries.measure(models.open_embedder(Settings()))))"
    )
    command = [sys.executable, "-c", code]
    told = [subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout.strip() for _ in range(2)]
    one, other = (canaries.unpack(text) for text in told)
    assert canaries.likeness(one, other) > 0.999
