"""From settings to the order of the hits: an endpoint, a folder, and what is told when either fails."""

from __future__ import annotations

import json
import math

import pytest

import tiny_models as tiny
from test_embed_http import Server
from test_rerank_http import KEY, jina
from yinju import Library, settings
from yinju.cli import run
from yinju.testing import FakeReranker

pytestmark = pytest.mark.slow  # together well over two seconds: models and servers on loopback

TEXTS = {
    "one.md": "# 年费\n\n年费 年费 年费 是多少\n",
    "two.md": "# 退款\n\n电池 年费 退款\n",
    "three.md": "# Plan\n\nThe yearly plan.\n",
}


@pytest.fixture
def docs(tmp_path, monkeypatch):
    folder = tmp_path / "docs"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("YINJU_EMBED_MODEL", "none")
    monkeypatch.setenv("YINJU_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return folder


@pytest.fixture
def server(monkeypatch):
    """A reranker that prefers texts about batteries, whatever the question."""
    started = Server(
        lambda body: jina(body, score=lambda _q, texts: [0.9 if "电池" in text else 0.1 for text in texts])
    )
    monkeypatch.setenv("YINJU_RERANK_URL", started.url)
    monkeypatch.setenv("YINJU_RERANK_KEY", KEY)
    monkeypatch.setenv("YINJU_RERANK_MODEL", "bge-reranker-v2-m3")
    yield started
    started.http.shutdown()
    started.http.server_close()


def call(capsys, *arguments):
    code = run(list(arguments))
    out, err = capsys.readouterr()
    assert KEY not in out + err
    return code, out, err


def hits(out):
    return [hit["source"] for hit in json.loads(out)["hits"]]


def test_an_endpoint_orders_what_was_found(capsys, docs, server):
    code, out, _err = call(capsys, "search", "docs", "年费", "--json")
    assert code == 0
    assert hits(out) == ["two.md", "one.md"]
    first = json.loads(out)["hits"][0]
    assert first["score"] == sum(vote["share"] for vote in first["votes"]) == 0.9
    assert server.requests[0][2]["model"] == "bge-reranker-v2-m3"
    _code, out, _err = call(capsys, "search", "docs", "年费", "--explain")
    assert "rerank" in out


def test_without_it_nothing_is_sent(capsys, docs, server):
    _code, out, _err = call(capsys, "search", "docs", "年费", "--json", "--no-rerank")
    assert hits(out) == ["one.md", "two.md"]
    call(capsys, "sync", "docs")
    call(capsys, "sources")
    assert not server.requests


def test_a_failing_one_is_visible_and_the_order_stays(capsys, docs, server):
    server.script = [(400, {"error": {"message": f"no such model {KEY}"}})]
    code, out, err = call(capsys, "search", "docs", "年费")
    assert code == 0
    assert out.index("one.md") < out.index("two.md")
    assert "no such model" in err
    _code, out, _err = call(capsys, "search", "docs", "年费", "--json")
    assert hits(out) == ["one.md", "two.md"]
    assert "no such model" in json.loads(out)["notices"][-1]


def test_a_web_page_is_no_order(capsys, docs, server):
    server.script = [(200, b"<!doctype html><title>Login</title>")]
    _code, out, err = call(capsys, "search", "docs", "年费")
    assert out.index("one.md") < out.index("two.md")
    assert "web page" in err


def test_asked_for_but_not_there(capsys, docs):
    code, _out, err = call(capsys, "search", "docs", "年费", "--rerank")
    assert code == 2
    assert "YINJU_RERANK_URL" in err


def test_the_librarys_own_file_may_not_name_an_endpoint(docs):
    with Library.open(docs / ".yinju") as library:
        library.sync(docs)
    (docs / ".yinju/settings.toml").write_text(
        'rerank_url = "http://127.0.0.1:9/v1"\nrerank_model = "x"\n', encoding="utf-8"
    )
    with Library.open(docs / ".yinju") as library:
        assert library.reranker is None
        assert any("rerank_url" in text for text in library.notices)


def test_keys_are_not_shown(docs):
    assert KEY not in repr(settings.load(environment={"YINJU_RERANK_KEY": KEY}))


def test_a_reranker_given_in_python(docs):
    with Library.open(reranker=FakeReranker()) as library:
        library.sync(docs)
        found = library.search("年费 电池")
        assert [vote.leg for vote in found[0].votes] == ["rerank"]
        assert found[0].source == "two.md"
    with Library.open(reranker=FakeReranker(fail_at=1)) as library:
        library.sync(docs)
        result = library.find("年费")
        assert result.hits[0].source == "one.md"
        assert "told to" in result.notices[-1]


@pytest.mark.parametrize("scores", [[], [1.0], [math.nan] * 2, [math.inf, 0], ["x", 0], [None, None], [10**400, 0]])
@pytest.mark.parametrize("question", ["年费", "yearly plan fee"])
def test_someone_elses_scores_are_not_believed(docs, scores, question):
    class Careless(FakeReranker):
        def score(self, query, texts):
            return (scores * len(texts))[: len(texts)] if len(scores) > 1 else scores

    with Library.open(embedder=None) as library:
        library.sync(docs)
        before = [hit.id for hit in library.search(question)]
    with Library.open(reranker=Careless()) as library:
        library.sync(docs)
        result = library.find(question)
        assert [hit.id for hit in result.hits] == before
        assert any("scores" in text for text in result.notices) or len(before) == len(scores)


def test_a_folder_is_chosen_and_used(capsys, docs, tmp_path):
    """Words are split at spaces: 电池 is in two.md once, so its logit is 2 - 1."""
    folder = tiny.overlap_reranker(tmp_path / "my-reranker")
    code, out, _err = call(capsys, "model", "use", str(folder))
    assert code == 0
    assert "rerank" in out
    _code, out, _err = call(capsys, "model", "list", "--json")
    mine = next(model for model in json.loads(out)["models"] if model["name"] == "my-reranker")
    assert (mine["kind"], mine["used"], mine["available"]) == ("reranker", True, True)
    assert "my-reranker" in call(capsys, "model", "list")[1]
    _code, out, err = call(capsys, "search", "docs", "年费 电池", "--json")
    found = json.loads(out)["hits"]
    assert found[0]["score"] > 1 / (1 + math.exp(-0.9))
    assert found[0]["votes"][0]["leg"] == "rerank"
    assert not err
    call(capsys, "model", "use", "none", "--rerank")
    _code, out, _err = call(capsys, "search", "docs", "年费 电池", "--json")
    assert json.loads(out)["hits"][0]["votes"][0]["leg"] != "rerank"


def test_a_folder_that_is_gone_is_told_and_words_go_on(capsys, docs, tmp_path, monkeypatch):
    folder = tiny.overlap_reranker(tmp_path / "m")
    monkeypatch.setenv("YINJU_RERANK_MODEL", str(folder))
    (folder / "tokenizer.json").unlink()
    code, out, err = call(capsys, "search", "docs", "年费")
    assert code == 0
    assert "one.md" in out
    assert "tokenizer" in err
    monkeypatch.setenv("YINJU_RERANK_MODEL", str(tmp_path / "nowhere"))
    code, out, err = call(capsys, "search", "docs", "年费")
    assert (code, "one.md" in out, "nowhere" in err) == (0, True, True)
    monkeypatch.setenv("YINJU_RERANK_URL", "no address")
    code, out, err = call(capsys, "search", "docs", "年费")
    assert (code, "one.md" in out, "重排" in err or "rerank" in err) == (0, True, True)


def test_what_the_environment_says_goes_first_and_is_told(capsys, docs, tmp_path, monkeypatch):
    folder = tiny.overlap_reranker(tmp_path / "m")
    monkeypatch.setenv("YINJU_RERANK_URL", "http://127.0.0.1:9/v1")
    code, _out, err = call(capsys, "model", "use", str(folder))
    assert (code, "YINJU_RERANK_URL" in err) == (0, True)


@pytest.mark.parametrize("name", ["x" * 5000, "a\0b", "~nobody-of-that-name/x", ""])
def test_names_that_are_no_paths(capsys, docs, name):
    assert call(capsys, "model", "use", name)[0] == 2


def test_an_embedding_model_from_a_folder(capsys, docs, tmp_path, monkeypatch):
    monkeypatch.delenv("YINJU_EMBED_MODEL")
    folder = tiny.pooled(tiny.table_embedder(tmp_path / "my-embedder"), prompts={"query": "query: "})
    code, out, _err = call(capsys, "model", "use", str(folder), "--json")
    assert (code, json.loads(out)["kind"]) == (0, "embedding")
    code, out, _err = call(capsys, "sync", "docs", "--json")
    assert json.loads(out)["embedded"] == 3
    _code, out, _err = call(capsys, "search", "docs", "年费", "--json", "--mode", "dense")
    assert json.loads(out)["coverage"]["dense"] == 1
    _code, out, _err = call(capsys, "status", "docs", "--json")
    assert json.loads(out)["embedder"].startswith("onnx/my-embedder/")
    _code, out, _err = call(capsys, "search", "docs", "年费", "--json", "--model", str(folder))
    assert json.loads(out)["coverage"]["dense"] == 1


def test_a_relative_path_is_the_same_folder(capsys, docs, tmp_path, monkeypatch):
    tiny.overlap_reranker(tmp_path / "m")
    monkeypatch.setenv("YINJU_RERANK_MODEL", "m")
    told = json.loads(call(capsys, "model", "list", "--json")[1])["models"]
    assert [model["used"] for model in told if model["name"] == "m"] == [True]


def test_a_model_that_is_none(capsys, docs, tmp_path):
    code, _out, err = call(capsys, "model", "use", "no-such-model")
    assert code == 2
    assert "e5" in err
    code, _out, err = call(capsys, "model", "use", str(tiny.table_embedder(tmp_path / "stranger")))
    assert code == 70
    assert "yinju.toml" in err
