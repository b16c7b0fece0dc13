"""S28-S35, S37: whoever asks, whatever is asked and by which door, no response shows a word of a document that the asker may not see.

500 requests with a fixed seed. More, or others, by one command:

    YINJU_CANARY_REQUESTS=10000 YINJU_SEED=1 pytest tests/test_web_canaries.py -m slow -s
"""

from __future__ import annotations

import json
import logging
import os
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.asking_as import MCP, MODERN, Door, doors, message, routes
from tests.canaries import KINDS, PEOPLE, Asked, Echo, Paper, Requests, Words, leaks, lists, paper, shown
from tests.pdf_writer import lines, make_pdf
from tests.test_web_tokens import WHO

from yinju import Library, tokens
from yinju.testing import FakeEmbedder

pytestmark = pytest.mark.slow
REQUESTS = int(os.environ.get("YINJU_CANARY_REQUESTS", "500"))
SEED = int(os.environ.get("YINJU_SEED", "20261130"))
PAPERS = 24
CHANGE_EVERY = 12  # requests between two changes of who may see what


class World:
    """The papers, who may see them, and a server over them."""

    def __init__(
        self, door: Door, library: Library, papers: list[Paper], rng: random.Random, requests: Requests
    ) -> None:
        self.door, self.library, self.papers, self.rng, self.requests = door, library, papers, rng, requests
        self.model = Echo(requests)
        self.people = dict(PEOPLE)

    def hidden(self, name: str) -> list[Paper]:
        return [one for one in self.papers if not one.visible_to(name, self.people[name])]

    def seen(self, name: str) -> list[Paper]:
        return [one for one in self.papers if one.visible_to(name, self.people[name])]

    def send(self, name: str | None, asked: Asked) -> Any:
        """Send a request as somebody, None: the owner."""
        kind, given = asked.kind, asked.given
        if kind.startswith(("GET ", "POST ")):
            method, _, path = kind.partition(" ")
            return self.door.ask(name, method, path, **given)
        if kind.startswith("tool "):
            tool = kind.removeprefix("tool ")
            return self._mcp(name, "tools/call", {"name": tool, "arguments": dict(given)}, tool)
        return self._mcp(name, kind, given, str(given.get("uri", "")))

    def _mcp(self, name: str | None, method: str, params: Mapping[str, Any], about: str) -> Any:
        if self.rng.random() < 0.5 or not about.isascii():
            return self.door.mcp(name, method, params)
        prefix = "io.modelcontextprotocol/"
        meta = {
            prefix + "clientInfo": {"name": "t", "version": "1"},
            prefix + "protocolVersion": MODERN,
            prefix + "clientCapabilities": {},
        }
        headers = {"mcp-protocol-version": MODERN, "mcp-method": method} | ({"mcp-name": about} if about else {})
        return self.door.mcp(name, method, {**params, "_meta": meta}, **headers)

    def change(self) -> None:
        """Change who may see what: a list of the owner's, one that a document states, or somebody's groups."""
        one, new = self.rng.choice([one for one in self.papers if "skipped" not in one.lists]), lists(self.rng)
        way = self.rng.choice(["owner", "owner", "document", "groups"])
        if way == "groups":
            name = self.rng.choice(list(self.people))
            self.people[name] = tuple(self.rng.sample(["hr", "sales", "法务部"], self.rng.choice([0, 1, 2])))
            tokens.set_groups(self.door.file, name, self.people[name])
            return
        if way == "document" and not one.source.endswith(".md"):
            way = "owner"
        one.lists = {origin: names for origin, names in one.lists.items() if origin != way}
        if way in new:
            one.lists[way] = new[way]
        if way == "owner":
            self.library.restrict(one.source, one.lists.get("owner"))
        else:
            self.library.add([one.document])


@contextmanager
def world(folder: Path, seed: int) -> Iterator[World]:
    rng = random.Random(seed)
    words = Words(rng)
    papers = [paper(words, rng, number) for number in range(PAPERS)]
    requests = Requests(rng, papers)
    for one in papers:
        one.lists = lists(rng)
    with Library.open(folder / "library", embedder=FakeEmbedder()) as library:
        library.add([one.document for one in papers])
        papers += _files(folder / "files", library, words)
        for one in papers:
            if "owner" in one.lists:
                library.restrict(one.source, one.lists["owner"])
        with doors(library, folder, PEOPLE) as door:
            there = World(door, library, papers, rng, requests)
            library.chat_model = there.model
            yield there


def _files(folder: Path, library: Library, words: Words) -> list[Paper]:
    """Sync two PDFs, one of them for hr, and a file that cannot be read, whose name is nobody's to know."""
    folder.mkdir()
    found = []
    for number in range(2):
        english, chinese = tuple(words.english() for _ in range(5)), tuple(words.chinese() for _ in range(5))
        text = [
            f"The yearly travel plan costs {number} dollars.",
            f"Its code is {english[2]}.",
            f"差旅方案的代号为{chinese[2]}。",
        ]
        (folder / f"{english[0]}.pdf").write_bytes(make_pdf([lines(text)], {"Title": english[1], "Author": english[3]}))
        found.append(Paper(f"{english[0]}.pdf", english, chinese, "\n".join(text)))
    english, chinese = tuple(words.english() for _ in range(5)), tuple(words.chinese() for _ in range(5))
    name = f"{english[0]} {chinese[0]}.docx"
    (folder / name).write_bytes(b"PK\x03\x04 no document")
    found[0].lists = {"owner": ("hr",)}
    library.sync(folder, embed=False)
    skipped = Paper(name, english, chinese, "", {"skipped": ()})  # on a list of nobody
    return [*found, skipped]


def test_every_way_to_read_is_asked() -> None:
    with Library.open() as library:
        from yinju.web.app import create_app

        app = create_app(library)
    http = {f"{method} {path}" for (method, path), whose in WHO.items() if whose == "asker" and path != "/mcp"}
    assert {kind for kind in KINDS if kind.startswith(("GET ", "POST "))} == http
    assert routes(app) == set(WHO)


def test_every_tool_and_method_is_asked(tmp_path: Path) -> None:
    with Library.open() as library, doors(library, tmp_path, {"a": ()}) as door:
        hello = {"protocolVersion": MCP, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        able = message(door.mcp("a", "initialize", hello))["result"]["capabilities"]
        assert set(able) - {"experimental"} == {"tools", "resources"}, "a new kind of thing that clients may read"
        assert not able.get("experimental")
        listed = {f"tool {one['name']}" for one in message(door.mcp("a", "tools/list"))["result"]["tools"]}
        assert listed == {kind for kind in KINDS if kind.startswith("tool ")}
        for method in (
            "prompts/list",
            "completion/complete",
            "logging/setLevel",
            "resources/subscribe",
            "tasks/list",
            "roots/list",
        ):
            assert message(door.mcp("a", method, {"level": "debug"}))["error"]["code"] in (-32601, -32602), method


def test_no_response_shows_what_its_asker_may_not_see(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG, "yinju")
    would_have, statuses, by_kind = Counter[str](), Counter[int](), Counter[str]()
    with world(tmp_path, SEED) as there:
        requests, model = there.requests, there.model
        for number in range(REQUESTS):
            if number % CHANGE_EVERY == 0:
                there.change()
            name = there.rng.choice(list(there.people))
            asked = requests.of(list(KINDS)[number]) if number < len(KINDS) else requests.any()
            del model.calls[:]
            model.said, logged = "", len(caplog.records)
            response = there.send(name, asked)
            hidden, said = there.hidden(name), f"{asked.said}\n{model.said}"
            where = f"request {number} of seed {SEED}: {name} {there.people[name]} {asked.kind} {asked.said[:300]}"
            is_picture = (
                response.headers["content-type"] == "image/png"
            )  # of a source that may be seen, see _check_whole
            told = f"{'' if is_picture else response.text}\n{dict(response.headers)}"
            assert not leaks(told, hidden, said), where
            prompts = "\n".join(one.content for call in model.calls for one in call)
            assert not leaks(prompts, hidden, said), f"the prompt of {where}"
            written = "\n".join(
                str(record.__dict__) for record in caplog.records[logged:] if record.name.startswith("yinju")
            )
            assert not leaks(written, hidden, said), f"the log of {where}"
            assert str(tmp_path).lower() not in shown(told), f"the owner's folders: {where}"
            assert response.status_code < 500, f"{where}: {response.text[:300]}"
            statuses[response.status_code] += 1
            by_kind[asked.kind] += 1
            _check_whole(there, name, asked, response, where)
            if number % 4 == 0 and leaks(there.send(None, asked).text, hidden, f"{asked.said}\n{model.said}"):
                would_have[asked.kind] += 1
            caplog.clear()
        assert would_have.total() > REQUESTS // 20, "the requests ask for nothing that is hidden"
        assert set(by_kind) == set(KINDS)
        assert not _written(tmp_path, there.papers)
    assert not leaks(capfd.readouterr().err, there.papers, "")
    with capfd.disabled():
        control = (
            f"the owner was shown a word that the asker may not see in {would_have.total()} of {(REQUESTS + 3) // 4}"
        )
        print(f"\n{REQUESTS} requests, 0 leaks; {control}; {dict(statuses)}")


def _check_whole(there: World, name: str, asked: Asked, response: Any, where: str) -> None:
    """What may be seen is there, whole: nothing leaks, too, from a server that shows nothing."""
    seen = [one for one in there.seen(name) if "skipped" not in one.lists]
    if asked.kind == "GET /api/sources":
        assert sorted(one["source"] for one in response.json()["sources"]) == sorted(one.source for one in seen), where
    elif asked.kind == "GET /api/status":
        assert (response.json()["documents"], response.json()["skipped"]) == (len(seen), 0), where
    elif "params" in asked.given:
        wanted = next((one for one in there.papers if one.source == asked.given["params"]["source"]), None)
        if wanted is not None:
            assert (response.status_code == 404) is (wanted not in seen), where
            assert wanted not in seen or asked.kind != "GET /api/read" or wanted.english[2] in response.text, where


def _written(folder: Path, papers: Sequence[Paper]) -> list[str]:
    """Return the files, other than the library's own and the documents, that hold a word of any document."""
    ours = {folder / "files", folder / "library"}
    found = [path for path in folder.rglob("*") if path.is_file() and not ours & {*path.parents}]
    beside = (folder / "library").rglob("*.json*")
    return [
        str(path) for path in (*found, *beside) if leaks(path.read_text(encoding="utf-8", errors="replace"), papers, "")
    ]


VOLATILE = ("took_ms", "generation", "id", "created")


def _plain(response: Any) -> Any:
    """Return status and body without what differs between any two requests."""
    text = re.sub("={5}[0-9a-f]{12}={5}", "=====", response.text)
    text = re.sub(r"chatcmpl-\w+|generation: \d+", "", text)
    return response.status_code, [_without(line.removeprefix("data: ")) for line in text.split("\n")]


def _without(line: str) -> Any:
    try:
        value = json.loads(line)
    except ValueError:
        return line

    def cut(one: Any) -> Any:
        if isinstance(one, dict):
            return {key: cut(inner) for key, inner in one.items() if key not in VOLATILE}
        return [cut(inner) for inner in one] if isinstance(one, list) else one

    return cut(value)


@pytest.mark.parametrize("name", ["alice", "王小明"])
def test_a_library_of_nothing_else_would_have_said_the_same(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever may see some documents cannot tell whether there are others; what is said of a hidden source is what is said of an absent one."""
    monkeypatch.setattr(
        "secrets.token_hex", lambda size: "0" * 2 * size
    )  # the marks of tools take room, more or less of it
    rng = random.Random(SEED)
    words = Words(rng)
    papers = [paper(words, rng, number) for number in range(PAPERS)]
    for one in papers:
        one.lists = lists(rng)
        one.lists.pop("owner", None)
    seen = [one for one in papers if one.visible_to(name, PEOPLE[name])]
    assert 4 < len(seen) < PAPERS - 4
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    with (
        Library.open(tmp_path / "a" / "library", embedder=FakeEmbedder()) as whole,
        Library.open(tmp_path / "b" / "library", embedder=FakeEmbedder()) as part,
        doors(whole, tmp_path / "a", PEOPLE) as first,
        doors(part, tmp_path / "b", PEOPLE) as second,
    ):
        whole.add([one.document for one in papers])
        part.add([one.document for one in seen])
        requests = Requests(rng, papers)
        one, other = (
            World(door, library, papers, random.Random(1), requests)
            for door, library in ((first, whole), (second, part))
        )
        for kind in [*KINDS] * max(3, REQUESTS // 200):
            asked = requests.of(kind)
            assert _plain(one.send(name, asked)) == _plain(other.send(name, asked)), f"{kind} {asked.said}"
