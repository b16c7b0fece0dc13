"""Every way in which an embedding endpoint can be wrong, against a real server on loopback."""

from __future__ import annotations

import base64
import http.server
import json
import math
import struct
import threading
from collections.abc import Iterator

import numpy as np
import pytest

from yinju.embed import HttpEmbedder
from yinju.errors import ModelError, UsageError
from yinju.inference.wire import complaint, retry_after
from yinju.testing import FakeEmbedder, embedder_conformance

KEY = "sk-secret-0123456789"
PAGE = (200, b"<html><body>Log in</body></html>", {"content-type": "text/html"})


class Server:
    """Answers POST /v1/embeddings from a script of functions (request -> answer), the last one again and again."""

    def __init__(self, *script):
        self.script, self.requests = list(script), []
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True
            wbufsize = -1

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                server.requests.append((self.path, dict(self.headers), body))
                step = server.script.pop(0) if len(server.script) > 1 else server.script[0]
                answer = step(body) if callable(step) else step
                status, content, headers = answer if len(answer) == 3 else (*answer, {})
                content = content if isinstance(content, bytes) else json.dumps(content).encode()
                self.send_response(status)
                for name, value in ({"content-type": "application/json"} | headers).items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"
        threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True).start()


@pytest.fixture
def start() -> Iterator:
    opened = []

    def start(*script, **options):
        server = Server(*script)
        pauses = []
        embedder = HttpEmbedder(server.url, KEY, "m", sleep=pauses.append, **options)
        embedder.server, embedder.pauses = server, pauses
        opened.append((server, embedder))
        return embedder

    yield start
    for server, embedder in opened:
        embedder.close()
        server.http.shutdown()
        server.http.server_close()


def vector(text):
    """(length of the text, 1): told apart by the direction."""
    return [float(len(text)), 1.0]


def good(body, change=lambda items: items):
    items = [{"object": "embedding", "index": i, "embedding": vector(text)} for i, text in enumerate(body["input"])]
    return 200, {"data": change(items), "model": body["model"]}


def changed(change):
    return lambda body: good(body, change)


def unit(*numbers):
    return np.array(numbers, np.float32) / math.hypot(*numbers)


def fails(embedder, code, texts=("一二", "one")):
    with pytest.raises(ModelError) as caught:
        embedder.embed_passages(texts)
    error = caught.value
    assert error.code == code
    assert error.hint
    assert KEY not in f"{error.message} {error.hint} {error!r} {error.__cause__!r}"
    return error


def test_rows_come_in_the_order_of_the_texts_at_unit_length(start):
    embedder = start(good)
    rows = embedder.embed_passages(["三个字", "a"])
    np.testing.assert_allclose(rows, [unit(3, 1), unit(1, 1)], rtol=1e-6)
    assert rows.dtype == np.float32
    assert embedder.dimension == 2
    path, headers, body = embedder.server.requests[0]
    assert path == "/v1/embeddings"
    assert headers["authorization"] == f"Bearer {KEY}"
    assert body == {"model": "m", "input": ["三个字", "a"]}


def test_reordered_rows_are_put_right(start):
    rows = start(changed(lambda items: items[::-1])).embed_passages(["ab", "四个字了", "x"])
    np.testing.assert_allclose(rows, [unit(2, 1), unit(4, 1), unit(1, 1)], rtol=1e-6)


def test_rows_without_index_keep_their_order(start):
    rows = start(changed(lambda items: [{"embedding": i["embedding"]} for i in items])).embed_queries(["ab", "abc"])
    np.testing.assert_allclose(rows, [unit(2, 1), unit(3, 1)], rtol=1e-6)


def test_base64_is_asked_for_and_read(start):
    def as_base64(items):
        return [i | {"embedding": base64.b64encode(struct.pack("<2f", *i["embedding"])).decode()} for i in items]

    embedder = start(changed(as_base64), encoding="base64")
    np.testing.assert_allclose(embedder.embed_passages(["年费"]), [unit(2, 1)], rtol=1e-6)
    assert embedder.server.requests[0][2]["encoding_format"] == "base64"


WRONG = {
    "short by one": (lambda items: items[:-1], "bad-response"),
    "one too many": (lambda items: [*items, items[0]], "bad-response"),
    "index twice": (lambda items: [i | {"index": 0} for i in items], "bad-response"),
    "index beyond": (lambda items: [i | {"index": i["index"] + 1} for i in items], "bad-response"),
    "index as text": (lambda items: [i | {"index": str(i["index"])} for i in items], "bad-response"),
    "no embedding": (lambda items: [{"index": i["index"]} for i in items], "bad-response"),
    "not a number": (lambda items: [i | {"embedding": [math.nan, 1.0]} for i in items], "bad-vector"),
    "infinite": (lambda items: [i | {"embedding": [math.inf, 1.0]} for i in items], "bad-vector"),
    "too large": (lambda items: [i | {"embedding": [10**400, 1]} for i in items], "bad-vector"),
    "all zero": (lambda items: [items[0], items[1] | {"embedding": [0.0, 0.0]}], "bad-vector"),
    "ragged": (lambda items: [items[0], items[1] | {"embedding": [1.0, 2.0, 3.0]}], "bad-vector"),
    "empty": (lambda items: [i | {"embedding": []} for i in items], "bad-vector"),
    "null": (lambda items: [i | {"embedding": None} for i in items], "bad-vector"),
    "words": (lambda items: [i | {"embedding": ["1", "2"]} for i in items], "bad-vector"),
    "broken base64": (lambda items: [i | {"embedding": "@@@"} for i in items], "bad-vector"),
    "base64 of three bytes": (lambda items: [i | {"embedding": "AAAA"} for i in items], "bad-vector"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_answer_is_refused_whole(start, name):
    change, code = WRONG[name]
    embedder = start(changed(change))
    assert not fails(embedder, code).retryable
    assert len(embedder.server.requests) == 1


def test_a_dimension_that_was_not_asked_for_is_refused(start):
    error = fails(start(good, dimensions=3), "bad-vector")
    assert "2" in error.message
    assert "3" in error.message


def test_a_dimension_that_changes_is_refused(start):
    embedder = start(good, changed(lambda items: [i | {"embedding": [1.0, 2.0, 3.0]} for i in items]))
    embedder.embed_passages(["a"])
    fails(embedder, "bad-vector")


@pytest.mark.parametrize("answer", [PAGE, (200, b"[" * 100_000), (200, []), (200, {"data": {}}), (200, b"")])
def test_an_answer_of_another_kind_is_refused(start, answer):
    fails(start(answer), "bad-response")


def test_404_means_no_embeddings_and_is_not_tried_again(start):
    embedder = start((404, {"error": {"message": f"model 'm' not found for {KEY}"}}))
    error = fails(embedder, "no-embeddings")
    assert not error.retryable
    assert "not found for ***" in error.message
    assert len(embedder.server.requests) == 1


def test_the_key_refused(start):
    embedder = start((401, {"error": {"message": f"Incorrect API key provided: {KEY}"}}))
    assert not fails(embedder, "auth").retryable
    assert len(embedder.server.requests) == 1


def test_429_waits_as_long_as_it_is_asked_to(start):
    embedder = start((429, {}, {"retry-after": "7"}), good)
    assert embedder.embed_passages(["a"]).shape == (1, 2)
    assert embedder.pauses == [7.0]


def test_429_that_asks_for_an_hour_fails_at_once(start):
    embedder = start((429, {}, {"retry-after": "3600"}))
    assert fails(embedder, "rate-limited").retryable
    assert embedder.pauses == []


def test_500_then_good(start):
    embedder = start((500, b"oops"), (503, b"oops"), good)
    assert embedder.embed_passages(["a"]).shape == (1, 2)
    assert [0.5 <= embedder.pauses[0] <= 0.75, 1.0 <= embedder.pauses[1] <= 1.5] == [True, True]


def test_500_three_times(start):
    embedder = start((500, b"oops"))
    assert fails(embedder, "unavailable").retryable
    assert len(embedder.server.requests) == 3


def test_a_server_that_is_not_there():
    embedder = HttpEmbedder("http://127.0.0.1:9/v1", None, "m", sleep=lambda _: None)
    assert fails(embedder, "unreachable").retryable
    embedder.close()


def test_a_server_that_never_answers_is_left_at_the_deadline(start):
    embedder = start(lambda body: threading.Event().wait(0.6) or good(body), deadline=0.3)
    assert fails(embedder, "timeout").retryable
    assert len(embedder.server.requests) == 1  # one budget for all tries


@pytest.mark.parametrize(
    "answer",
    [
        (400, {"message": "batch size is invalid, it should not be larger than 10."}),
        (413, b"Payload Too Large"),
        (400, {"error": {"message": "一次最多 10 条，超过限制"}}),
    ],
)
def test_a_batch_that_is_too_large_is_halved_and_remembered(start, answer):
    embedder = start(lambda body: good(body) if len(body["input"]) <= 10 else answer)
    texts = ["字" * (i + 1) for i in range(35)]
    np.testing.assert_allclose(embedder.embed_passages(texts), [unit(i + 1, 1) for i in range(35)], rtol=1e-6)
    before = len(embedder.server.requests)
    embedder.embed_passages(texts)
    sizes = [len(body["input"]) for _, _, body in embedder.server.requests[before:]]
    assert sum(sizes) == 35
    assert max(sizes) <= 10


def test_another_400_is_not_tried_again(start):
    embedder = start((400, {"error": {"message": "dimensions is not supported"}}))
    assert "dimensions is not supported" in fails(embedder, "bad-request").message
    assert len(embedder.server.requests) == 1


def test_limits_of_a_batch_by_count_and_by_tokens(start):
    embedder = start(good, batch=4)
    embedder.embed_passages(["a"] * 9)
    assert [len(body["input"]) for _, _, body in embedder.server.requests] == [4, 4, 1]
    embedder = start(good, batch_tokens=20)
    embedder.embed_passages(["字" * 15] * 3)
    assert [len(body["input"]) for _, _, body in embedder.server.requests] == [1, 1, 1]


def test_a_long_text_is_sent_in_pieces_and_comes_back_as_one_vector(start):
    embedder = start(good, text_tokens=50)
    text = "电池保修六个月。" * 40
    rows = embedder.embed_passages(["a", text])
    sent = [piece for _, _, body in embedder.server.requests for piece in body["input"]]
    assert "".join(sent[1:]) == text
    assert len(sent) > 3
    assert rows.shape == (2, 2)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, rtol=1e-6)


def test_blank_texts_are_not_sent(start):
    embedder = start(good)
    rows = embedder.embed_passages(["", "ab", " \n"])
    np.testing.assert_allclose(rows, [[0, 0], unit(2, 1), [0, 0]], rtol=1e-6)
    assert embedder.server.requests[0][2]["input"] == ["ab"]


def test_prefixes_and_dimensions(start):
    embedder = start(good, query_prefix="问：", passage_prefix="文：", dimensions=2)
    embedder.embed_queries(["a"])
    embedder.embed_passages(["b"])
    first, second = (body for _, _, body in embedder.server.requests)
    assert (first["input"], second["input"]) == (["问：a"], ["文：b"])
    assert first["dimensions"] == 2


def test_voyage_says_what_a_text_is_for(start):
    embedder = start(good, style="voyage", dimensions=2)
    embedder.embed_queries(["a"])
    embedder.embed_passages(["b"])
    first, second = (body for _, _, body in embedder.server.requests)
    assert first == {
        "model": "m",
        "input": ["a"],
        "input_type": "query",
        "output_dtype": "float",
        "output_dimension": 2,
    }
    assert second["input_type"] == "document"


def test_fingerprint_needs_no_request_and_covers_what_changes_vectors():
    def of(url="https://a.example/v1", model="m", **options):
        return HttpEmbedder(url, KEY, model, **options).fingerprint

    others = [
        of(model="n"),
        of("https://b.example/v1"),
        of(dimensions=8),
        of(query_prefix="q"),
        of(passage_prefix="p"),
        of(style="voyage"),
    ]
    assert len({of(), *others}) == 7
    assert of() == of(batch=3, encoding="base64")
    assert KEY not in of()


def test_loopback_never_goes_through_a_proxy(start, monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    assert start(good).embed_passages(["a"]).shape == (1, 2)


@pytest.mark.parametrize(
    "url", ["", "api.example.com/v1", "ftp://a/v1", "http://", "http://a:b:c/v1", "https://a/v1?key=1"]
)
def test_a_url_that_cannot_be_right(url):
    with pytest.raises(UsageError):
        HttpEmbedder(url, KEY, "m")


def test_a_key_that_cannot_be_right_is_not_shown():
    with pytest.raises(UsageError) as caught:
        HttpEmbedder("https://a.example/v1", "密钥sk-1", "m")
    assert "sk-1" not in str(caught.value)


def test_a_password_in_the_url_is_not_shown():
    embedder = HttpEmbedder("http://user:hunter2@127.0.0.1:9/v1", None, "m", sleep=lambda _: None)
    assert "hunter2" not in fails(embedder, "unreachable").message
    embedder.close()


def test_conformance(start):
    fake = FakeEmbedder(16)

    def answer(body):
        rows = fake.embed_passages(body["input"])
        return 200, {
            "data": [{"index": i, "embedding": (row if row.any() else row + 1).tolist()} for i, row in enumerate(rows)]
        }

    url = start(answer).server.url
    made = [HttpEmbedder(url, KEY, "m") for _ in range(2)]
    embedder_conformance(iter(made).__next__)
    for embedder in made:
        embedder.close()


def test_what_servers_say_is_shown_short_and_on_one_line():
    assert complaint(b'{"error": {"message": "a\\n\\u001b[31mb"}}') == "a [31mb"
    assert complaint(b'{"detail": "d"}') == "d"
    assert complaint(b"<html>") == ""
    assert len(complaint(json.dumps({"error": "x" * 999}).encode())) == 200


def test_retry_after_is_a_number_or_a_date():
    assert retry_after("2") == 2.0
    assert retry_after("Wed, 21 Oct 2015 07:28:00 GMT") == 0.0
    assert [retry_after(v) for v in (None, "", "soon", "nan")] == [None] * 4
