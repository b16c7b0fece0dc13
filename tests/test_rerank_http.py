"""Every way in which a rerank endpoint can be wrong, against a real server on loopback."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from test_embed_http import Server
from yinju.errors import ModelError, UsageError
from yinju.rerank import HttpReranker
from yinju.rerank.http_answer import as_probabilities, scores
from yinju.rerank.shorten import shortened
from yinju.testing import FakeReranker, reranker_conformance
from yinju.text.tokens import estimate

KEY = "sk-secret-0123456789"
MISSING_TEXTS = (422, b"Failed to deserialize the JSON body into the target type: missing field `texts` at line 1")
MISSING_DOCUMENTS = (400, {"error": {"message": "[{'type': 'missing', 'loc': ('body', 'documents')}]"}})


@pytest.fixture
def start() -> Iterator:
    opened = []

    def start(*script, path="/v1", key=KEY, model="m", **options):
        server = Server(*script)
        reranker = HttpReranker(server.url.removesuffix("/v1") + path, key, model, sleep=lambda _s: None, **options)
        reranker.server = server
        opened.append((server, reranker))
        return reranker

    yield start
    for server, reranker in opened:
        reranker.close()
        server.http.shutdown()
        server.http.server_close()


def own(query, texts):
    return FakeReranker().score(query, texts)


def jina(body, change=lambda items: items, score=own):
    """As Jina, Cohere, vLLM and Xinference answer: best first."""
    given_ = score(body["query"], body["documents"])
    items = [{"index": i, "relevance_score": value} for i, value in enumerate(given_)]
    return 200, {"results": change(sorted(items, key=lambda item: -item["relevance_score"])), "model": "m"}


def tei(body):
    items = [{"index": i, "score": value} for i, value in enumerate(own(body["query"], body["texts"]))]
    return 200, sorted(items, key=lambda item: -item["score"])


def dashscope(body):
    given_ = own(body["input"]["query"], body["input"]["documents"])
    items = [{"index": i, "relevance_score": value} for i, value in enumerate(given_)]
    return 200, {"output": {"results": items[::-1]}, "usage": {"total_tokens": 9}, "request_id": "r"}


def logits(*values):
    return lambda body: jina(body, score=lambda _q, _t: values)


def fails(reranker, code, texts=("一二", "one")):
    with pytest.raises(ModelError) as caught:
        reranker.score("问题 question", texts)
    error = caught.value
    assert error.code == code
    assert error.hint
    assert KEY not in f"{error.message} {error.hint} {error!r} {error.__cause__!r}"
    return error


def test_a_reordered_answer_is_put_right(start):
    reranker = start(jina)
    assert reranker.score("电池保修", ["年费方案", "电池保修六个月"]) == own("电池保修", ["年费方案", "电池保修六个月"])
    path, headers, body = reranker.server.requests[0]
    assert path == "/v1/rerank"
    assert headers["authorization"] == f"Bearer {KEY}"
    assert body == {"model": "m", "query": "电池保修", "documents": ["年费方案", "电池保修六个月"], "top_n": 2}


@pytest.mark.parametrize(
    ("path", "address"),
    [
        ("/v2/", "/v2/rerank"),
        ("/v2/rerank", "/v2/rerank"),
        ("/compatible-api/v1/reranks", "/compatible-api/v1/reranks"),
        ("", "/rerank"),
    ],
)
def test_a_base_url_or_a_whole_address(start, path, address):
    reranker = start(jina, path=path)
    reranker.score("q", ["a"])
    assert reranker.server.requests[0][0] == address


def test_the_tei_form_is_found_by_its_refusal_and_remembered(start):
    reranker = start(MISSING_TEXTS, tei, path="")
    assert reranker.score("battery", ["plan", "battery"]) == [0, 1]
    reranker.score("battery", ["plan"])
    bodies = [body for _path, _headers, body in reranker.server.requests]
    assert ["documents" in body for body in bodies] == [True, False, False]
    assert bodies[1] == {"query": "battery", "texts": ["plan", "battery"], "truncate": True, "raw_scores": False}


def test_without_a_model_tei_is_tried_first_and_the_other_form_found(start):
    reranker = start(MISSING_DOCUMENTS, jina, model=None)
    assert reranker.score("battery", ["plan", "battery"]) == [0, 1]
    assert "model" not in reranker.server.requests[1][2]
    reranker = start(tei, model=None, key=None)
    assert reranker.score("电池", ["年费", "电池"]) == [0, 1]
    assert "authorization" not in reranker.server.requests[0][1]


def test_dashscope_is_known_by_its_address(start):
    reranker = start(dashscope, path="/api/v1/services/rerank/text-rerank/text-rerank", model="gte-rerank-v2")
    assert reranker.score("电池", ["年费", "电池"]) == [0, 1]
    body = reranker.server.requests[0][2]
    assert body["input"] == {"query": "电池", "documents": ["年费", "电池"]}
    assert body["parameters"] == {"return_documents": False, "top_n": 2}


def test_a_refusal_for_another_reason_changes_no_form(start):
    reranker = start((400, {"error": "model not found"}))
    assert "model not found" in fails(reranker, "bad-request").message
    assert len(reranker.server.requests) == 1


def test_a_complaint_about_texts_is_not_taken_for_the_other_form(start):
    too_long = (400, {"error": {"message": "the texts are too long"}})
    needs_documents = (422, {"detail": [{"type": "missing", "loc": ["body", "documents"]}]})

    def server(body):
        if "documents" not in body:
            return needs_documents
        return jina(body) if len(body["documents"]) == 1 else too_long

    reranker = start(server)
    assert reranker.score("电池", ["电池", "年费"]) == [1, 0]
    assert "documents" in reranker.server.requests[-1][2]


def test_a_tei_server_that_takes_few_texts(start):
    few = (422, {"error": "batch size 5 > maximum allowed batch size 2", "error_type": "Validation"})

    def server(body):
        if "texts" not in body:
            return MISSING_TEXTS
        return tei(body) if len(body["texts"]) <= 2 else few

    assert start(server, path="").score("电池", ["电池", "年费", "a", "b", "电池"]) == [1, 0, 0, 0, 1]


def test_batches_arrive_in_order_and_blank_texts_are_not_sent(start):
    reranker = start(jina, batch=3)
    texts = ["电池", "", "年费", "battery", " \n", "电池", "plan"]
    assert reranker.score("电池", texts) == [1, 0, 0, 0, 0, 1, 0]
    assert [len(body["documents"]) for _p, _h, body in reranker.server.requests] == [3, 2]
    assert reranker.score("电池", ["", " "]) == [0, 0]
    assert len(reranker.server.requests) == 2


def test_a_batch_that_is_too_large_is_halved_and_that_is_remembered(start):
    refusal = (400, {"error": {"message": "batch size 8 > maximum allowed batch size 3"}})
    reranker = start(lambda body: jina(body) if len(body["documents"]) <= 3 else refusal)
    texts = ["电池" if n % 3 else "年费" for n in range(8)]
    assert reranker.score("电池", texts) == [float(n % 3 > 0) for n in range(8)]
    asked = len(reranker.server.requests)
    reranker.score("电池", texts)
    assert len(reranker.server.requests) == asked + 4  # two at a time


def test_a_text_that_is_too_long_is_cut_further(start):
    refusal = (400, {"error": {"message": "This model's maximum context length is 100 tokens"}})
    reranker = start(lambda body: jina(body) if len(body["documents"][0]) <= 150 else refusal, text_tokens=1000)
    assert reranker.score("电池", ["电池" * 500]) == [1]
    assert len(reranker.server.requests[-1][2]["documents"][0]) <= 150


def test_a_text_that_is_always_too_long_ends(start):
    reranker = start((413, b""))
    fails(reranker, "bad-request", ["电池" * 500, "b"])
    assert len(reranker.server.requests) < 12


@pytest.mark.parametrize(
    "change",
    [
        lambda items: items[:1],
        lambda items: [],
        lambda items: [*items, items[0]],
        lambda items: [items[0], items[0]],
        lambda items: [{**items[0], "index": 2}, items[1]],
        lambda items: [{**items[0], "index": -1}, items[1]],
        lambda items: [{**items[0], "index": "0"}, items[1]],
        lambda items: [{**items[0], "index": True}, items[1]],
        lambda items: [{**items[0], "relevance_score": None}, items[1]],
        lambda items: [{**items[0], "relevance_score": "0.9"}, items[1]],
        lambda items: [{**items[0], "relevance_score": math.nan}, items[1]],
        lambda items: [{**items[0], "relevance_score": 10**400}, items[1]],
        lambda items: [1, 2],
        lambda items: {"0": 1},
        lambda items: None,
    ],
)
def test_an_answer_that_does_not_add_up_is_no_answer(start, change):
    fails(start(lambda body: jina(body, change)), "bad-response")


@pytest.mark.parametrize("content", [b"", b"null", b"7", b'"x"', b"{}", b"[[]]", b"[" * 100_000, b"\xff\xfe"])
def test_an_answer_of_another_kind_is_no_answer(start, content):
    fails(start((200, content)), "bad-response")


def test_a_login_page_is_told_apart(start):
    error = fails(start((200, b"<!DOCTYPE html><html>Log in</html>", {"content-type": "text/html"})), "bad-response")
    assert "web page" in error.message


@pytest.mark.parametrize(
    ("status", "code"), [(401, "auth"), (403, "auth"), (404, "no-rerank"), (302, "no-rerank"), (400, "bad-request")]
)
def test_refusals_have_a_name_and_hide_the_key(start, status, code):
    error = fails(start((status, {"error": {"message": f"no: {KEY}"}})), code)
    assert "YINJU_RERANK" in f"{error.hint}" or code == "bad-request"


def test_it_tries_again_where_that_helps(start):
    reranker = start((503, {}), (200, {"code": 429, "message": "rate limit"}), jina)
    assert reranker.score("电池", ["电池"]) == [1]
    assert len(reranker.server.requests) == 3
    reranker = start((503, {"error": "loading"}))
    assert fails(reranker, "unavailable").retryable
    assert len(reranker.server.requests) == 3


def test_nobody_there():
    reranker = HttpReranker("http://127.0.0.1:9", KEY, "m", sleep=lambda _s: None)
    assert fails(reranker, "unreachable").retryable


def test_one_deadline_for_all_batches(start):
    import time

    def slow(body):
        time.sleep(0.15)
        return jina(body)

    reranker = start(slow, batch=1, deadline=0.4)
    began = time.monotonic()
    fails(reranker, "timeout", ["a"] * 20)
    assert time.monotonic() - began < 2


def test_logits_become_probabilities_each_alone(start):  # fault 88
    def sigmoid(x):
        return 1 / (1 + math.exp(-x))

    reranker = start(logits(-8.1, 6.2), logits(2.0), logits(0.5, 0.5, 0.5), logits(30, 31, 32))
    assert reranker.score("q", ["a", "b"]) == pytest.approx([sigmoid(-8.1), sigmoid(6.2)])
    assert reranker.score("q", ["a"]) == pytest.approx([sigmoid(2.0)])
    assert reranker.score("q", ["a", "b", "c"]) == pytest.approx([sigmoid(0.5)] * 3)
    first, second, third = reranker.score("q", ["a", "b", "c"])
    assert first < second < third <= 1


def test_probabilities_stay_as_they_are(start):
    assert start(logits(0.0, 0.25, 1.0)).score("q", ["a", "b", "c"]) == [0.0, 0.25, 1.0]


@given(st.lists(st.floats(-1e308, 1e308)))
def test_every_logit_becomes_a_probability(values):
    assert all(0 <= value <= 1 for value in as_probabilities(values))


@given(st.permutations(range(5)))
def test_every_order_is_put_right(order):
    assert scores(json.dumps([{"index": i, "score": i / 8} for i in order]).encode(), 5) == [
        0,
        1 / 8,
        2 / 8,
        3 / 8,
        4 / 8,
    ]


@given(st.text(max_size=400), st.integers(1, 50))
@example("\x80", 1)  # one character, two tokens
def test_a_shortened_text_is_the_longest_beginning_within_the_budget(text, most):
    short = shortened(text, most)
    assert text.startswith(short)
    assert estimate(short) <= most
    assert short == text or estimate(text[: len(short) + 1]) > most


@pytest.mark.parametrize(
    "url", ["", "api.jina.ai", "ftp://x/rerank", "https://", "https://x/rerank?key=1", "http://[x"]
)
def test_a_url_that_cannot_be_right(url):
    with pytest.raises(UsageError) as caught:
        HttpReranker(url, KEY, "m")
    assert caught.value.hint
    with pytest.raises(UsageError):
        HttpReranker("https://x/v1", "键", "m")
    with pytest.raises(UsageError):
        HttpReranker("https://x/v1", KEY, "m", form="other")


def test_the_fingerprint_tells_models_apart_and_needs_no_request(start):
    reranker = start(jina)
    assert reranker.fingerprint.startswith("http/m/")
    assert reranker.fingerprint != HttpReranker("https://x/v1", KEY, "m").fingerprint
    assert not reranker.server.requests
    assert KEY not in reranker.fingerprint
    assert KEY not in repr(reranker)


def test_it_conforms(start):
    url = start(jina).server.url
    reranker_conformance(lambda: HttpReranker(url, KEY, "m"))
    reranker_conformance(FakeReranker)
