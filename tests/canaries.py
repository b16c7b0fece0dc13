"""A library in which every document holds words that stand nowhere else, who may see each, and random requests of every kind.

A response holds a leak where it shows a word of a document that its asker may not see. The Chinese words are made of characters that no other
text here uses, so one character is enough to tell; the English ones are told by their first six letters. What a request itself says may come back.
"""

from __future__ import annotations

import json
import random
import string
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import yinju
from yinju.protocols import ChatPart, Message, ToolCall
from yinju.testing import ScriptedChatModel
from yinju.text.normalize import fold
from yinju.types import Document

GROUPS = ("hr", "sales", "法务部")
PEOPLE: dict[str, tuple[str, ...]] = {
    "alice": ("hr",), "bob": ("sales",), "carol": ("hr", "sales"), "dave": (), "王小明": ("法务部",), "erin": ("hr", "法务部"),
}  # fmt: skip
THEMES = (("travel", "差旅"), ("salary", "薪资"), ("warranty", "保修"), ("network", "网络"), ("privacy", "隐私"))
STEM = 6  # letters of an English word that are enough to tell it
SOURCE = Path(yinju.__file__).parent
Lists = dict[str, tuple[str, ...]]  # by origin


@dataclass(slots=True)
class Paper:
    """One document, its words, and the lists that say who may see it."""

    source: str
    english: tuple[str, ...]
    chinese: tuple[str, ...]
    text: str
    lists: Lists = field(default_factory=dict)

    @property
    def marks(self) -> Iterable[str]:
        """Yield what tells that this document is shown."""
        yield from (word[:STEM] for word in self.english)
        yield from (letter for word in self.chinese for letter in word)

    def visible_to(self, name: str, groups: Iterable[str]) -> bool:
        """Whether somebody may see it: on every list that there is. Written down here once more, not asked of the product."""
        names = {name, *groups, "*"}
        return all(names & set(one) for one in self.lists.values())

    @property
    def document(self) -> Document:
        """Return it as one that is no file."""
        stated = {"access": list(self.lists["document"])} if "document" in self.lists else {}
        about = {"author": self.english[3], "标签": self.chinese[3]}
        return Document.from_text(self.text, source=self.source, metadata={**about, **stated})


def rare() -> list[str]:
    """Return Chinese characters that no message and no other text here uses, and that the index folds to nothing else."""
    ours = [*SOURCE.rglob("*.py"), *SOURCE.rglob("*.md"), Path(__file__)]
    used = set().union(*(path.read_text(encoding="utf-8") for path in ours))
    return [one for number in range(0x7100, 0x9F00) if fold(one := chr(number)) == one and one not in used]


class Words:
    """Where words come from that stand nowhere else."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._rare = rare()
        rng.shuffle(self._rare)
        self._known: set[str] = set()

    def english(self) -> str:
        while True:
            word = "q" + "".join(self._rng.choices(string.ascii_lowercase, k=9))
            if word[:STEM] not in self._known:
                self._known.add(word[:STEM])
                return word

    def chinese(self) -> str:
        return "".join(self._rare.pop() for _ in range(3))


def paper(words: Words, rng: random.Random, number: int) -> Paper:
    """Return a document about what the others are about, too."""
    english, chinese = tuple(words.english() for _ in range(5)), tuple(words.chinese() for _ in range(5))
    (en, zh), (also_en, also_zh) = rng.sample(THEMES, 2)
    price = 100 + number
    source = rng.choice([f"{english[0]}/{chinese[0]}.md", f"{chinese[0]}.md", f"部门/{english[0]} {number}.md"])
    text = f"""# {zh}方案 {chinese[1]} {english[1]}

The yearly {en} plan costs {price} dollars. Its code is {english[2]}, and it is approved by the {also_en} office.

## {zh}流程 {english[4]}

{zh}方案每年 {price} 元，代号为{chinese[2]}，由{also_zh}办公室批准。详见《{chinese[4]}》。

| 项目 item | 金额 amount |
|---|---|
| {zh} {chinese[2]} | {price} |
| {en} {english[2]} | {price + 1} |
"""
    return Paper(source, english, chinese, text)


def lists(rng: random.Random) -> Lists:
    """Return some lists: often none, sometimes one that lets nobody in, sometimes several that have to agree."""
    everybody = [*GROUPS, *PEOPLE, "*", "nobody-here"]
    found: Lists = {}
    for origin, share in (("document", 0.5), ("owner", 0.3)):
        if rng.random() < share:
            found[origin] = tuple(rng.sample(everybody, rng.choice([0, 1, 1, 2, 3])))
    return found


@dataclass(frozen=True, slots=True)
class Asked:
    """One request: over HTTP, or a message of the Model Context Protocol."""

    kind: str  # "POST /api/search", "tool search", "resources/read"
    given: Mapping[str, Any]

    @property
    def said(self) -> str:
        """Return all that the request says."""
        return json.dumps(self.given, ensure_ascii=False)


class Requests:
    """Random requests about these papers, of every kind that there is."""

    def __init__(self, rng: random.Random, papers: list[Paper]) -> None:
        self._rng, self._papers = rng, papers

    def any(self) -> Asked:
        """Return one of any kind."""
        return self.of(self._rng.choice(list(KINDS)))

    def of(self, kind: str) -> Asked:
        """Return one of this kind."""
        return Asked(kind, KINDS[kind](self))

    def source(self) -> str:
        name = self._rng.choice(self._papers).source
        return self._rng.choice(
            [
                name,
                name,
                name,
                name,
                name.upper(),
                f"../{name}",
                name[:-1],
                "nothing.md",
                f"a.zip!/{name}",
                name.rpartition("/")[2],
            ]
        )

    def question(self) -> str:
        rng, (en, zh), one = self._rng, self._rng.choice(THEMES), self._rng.choice(self._papers)
        return rng.choice(
            [
                f"What does the {en} plan cost?", f"{zh}方案每年多少元？", f"{zh} {en}", "代号 code", f"all {en} plans", f"一共有几个{zh}方案？",
                f"Which office approves the {en} plan, and what is its code?", f"哪些方案由{zh}办公室批准？", f"code {one.english[2]}",
                f"代号为{one.chinese[2]}的方案多少钱", one.source, f"{one.english[1]} OR 1=1", f'NEAR({en} plan) AND "', "' OR tenant:B --",
                "*", f"{zh}*",
            ]
        )  # fmt: skip

    def pattern(self) -> str:
        en, zh = self._rng.choice(THEMES)
        return self._rng.choice(
            [zh, en, "代号", "code is", "元", self._rng.choice(self._papers).chinese[4], "|", "plan costs 1"]
        )

    def where(self) -> dict[str, str]:
        one, rng = self._rng.choice(self._papers), self._rng
        return rng.choice(
            [
                {},
                {},
                {"source": "部门/*"},
                {"source": one.source},
                {"author": one.english[3]},
                {"标签": "*"},
                {"source": "[!a]*"},
                {"access": "*"},
            ]
        )

    def http_question(self, name: str, **more: Any) -> dict[str, Any]:
        mode = self._rng.choice(["hybrid", "lexical", "dense"])
        return {
            "json": {
                name: self.question(),
                "mode": mode,
                "limit": self._rng.choice([1, 5, 100]),
                "where": self.where(),
                **more,
            }
        }

    def of_source(self, **more: Any) -> dict[str, Any]:
        return {"params": {"source": self.source(), **more}}

    def picture(self) -> dict[str, Any]:
        pages = [one.source for one in self._papers if one.source.endswith(".pdf")]
        return self.of_source(page=1, width=100) | (
            {"params": {"source": self._rng.choice(pages), "page": 1}} if pages else {}
        )

    def expect(self) -> Any:
        name = self.source()
        return self._rng.choice(
            [name, f"{name}:3", {"source": name, "quote": "The yearly"}, {"source": name, "heading": "流程"}]
        )

    def history(self) -> list[dict[str, str]]:
        if self._rng.random() < 0.7:
            return []
        return [{"role": "user", "content": self.question()}, {"role": "assistant", "content": "168 [1]."}]

    def ask(self) -> dict[str, Any]:
        rng = self._rng
        asked = {
            "agent": rng.choice([False, False, True, {"rounds": 3, "calls": 12}]),
            "rewrite": rng.choice([None, "rules", "model"]),
            "prefer": rng.choice([None, "newest"]),
            "unsupported": rng.choice(["mark", "remove"]),
            "stream": self._rng.random() < 0.5,
            "refuse_below": 0,
            "history": self.history(),
            "widen": self._rng.choice(["none", "neighbours", "section"]),
        }
        return self.http_question("question", **asked)

    def chat(self) -> dict[str, Any]:
        messages = [*self.history(), {"role": "user", "content": self.question()}]
        return {"json": {"model": "yinju", "messages": messages, "stream": self._rng.random() < 0.5}}

    def compare(self) -> dict[str, Any]:
        before, after = {"mode": "lexical", "limit": 20}, {"mode": "dense", "limit": 20, "collapse": False}
        return {"json": {"query": self.question(), "before": before, "after": after, "expect": self.expect()}}

    def grep(self) -> dict[str, Any]:
        return {"pattern": self.pattern(), "regex": self._rng.random() < 0.2, "limit": 200}

    def only(self, **more: Any) -> dict[str, Any]:
        found = {**more, "tokens": self._rng.choice([100, 4_000, 20_000])}
        return found | ({"only": self._rng.choice(["部门/*", self.source()])} if self._rng.random() < 0.3 else {})


KINDS: dict[str, Callable[[Requests], dict[str, Any]]] = {
    "GET /api/status": lambda _: {},
    "GET /api/sources": lambda _: {},
    "POST /api/search": lambda r: r.http_question("query", collapse=r._rng.random() < 0.5, history=r.history()),
    "POST /api/context": lambda r: r.http_question("question", widen="section", tokens=2_000),
    "POST /api/ask": lambda r: r.ask(),
    "POST /v1/chat/completions": lambda r: r.chat(),
    "GET /v1/models": lambda _: {},
    "GET /api/receipt": lambda r: r.of_source(),
    "GET /api/read": lambda r: r.of_source(),
    "GET /api/view": lambda r: r.of_source(start=0, end=900),
    "GET /api/outline": lambda r: r.of_source(),
    "GET /api/boxes": lambda r: r.of_source(start=0, end=900),
    "GET /api/page": lambda r: r.picture(),
    "POST /api/grep": lambda r: {"json": r.grep() | {"where": r.where()}},
    "POST /api/verify": lambda r: {"json": {"text": r.question(), "source": r._rng.choice([None, r.source()])}},
    "POST /api/why": lambda r: {"json": {"question": r.question(), "expect": r.expect(), "history": r.history()}},
    "POST /api/explain": lambda r: r.http_question("query", depth=200, expect=r.expect()),
    "POST /api/compare": lambda r: r.compare(),
    "tool search": lambda r: r.only(query=r.question(), limit=20),
    "tool context": lambda r: r.only(question=r.question()),
    "tool read": lambda r: {"source": r.source()},
    "tool outline": lambda r: {"source": r.source()},
    "tool grep": lambda r: r.only(**r.grep()),
    "tool list_sources": lambda r: r._rng.choice([{}, {"like": "q"}, {"like": "部门"}]),
    "tool verify_quote": lambda r: {"text": r.question(), "source": r.source()},
    "tool status": lambda _: {},
    "tool ask": lambda r: r.only(question=r.question()),
    "tools/list": lambda _: {},
    "resources/list": lambda r: r._rng.choice([{}, {"cursor": "0"}]),
    "resources/templates/list": lambda _: {},
    "resources/read": lambda r: {"uri": "yinju://source/" + r._rng.choice([quote, str])(r.source())},
}
"""What can be asked by somebody who is not the owner."""


class Echo(ScriptedChatModel):
    """A model that tries every tool on documents that it knows of, and then says all that it was shown. `said`: what it asked for."""

    def __init__(self, requests: Requests) -> None:
        super().__init__("")
        self._requests, self.said = requests, ""

    def stream(self, messages: Sequence[Message], **given: Any) -> Iterator[ChatPart]:
        """Call tools first, where there are any; then echo."""
        self.calls.append(list(messages))
        if given.get("tools") and not any(one.role == "tool" for one in messages):
            asked = [(name.removeprefix("tool "), self._requests.of(name).given) for name in KINDS if name in AGENTS]
            calls = tuple(ToolCall(f"c{n}", name, json.dumps(given)) for n, (name, given) in enumerate(asked))
            self.said += "\n".join(json.dumps(given, ensure_ascii=False) for _, given in asked)
            yield ChatPart(tool_calls=calls, finish_reason="tool_calls")
            return
        lines = [line for one in messages for line in one.content.split("\n") if len(line) > 8]
        yield ChatPart("\n".join(f"{line} [1]" for line in lines[-60:]), finish_reason="stop")


AGENTS = tuple(f"tool {name}" for name in ("search", "read", "outline", "grep", "list_sources", "verify_quote"))


def shown(text: str) -> str:
    """Return what a reader of a response sees: JSON and addresses have other ways to write a letter."""

    def letters(part: str) -> str:
        try:
            return json.dumps(json.loads(part), ensure_ascii=False)
        except ValueError:
            return part

    lines = [letters(line.removeprefix("data: ")) for line in text.split("\n")]
    whole = "\n".join(lines)
    return f"{whole}\n{unquote(whole)}".lower()


def leaks(text: str, papers: Iterable[Paper], asked: str) -> list[str]:
    """Return the marks of these papers that a response shows, though the request does not say them."""
    seen, said = shown(text), shown(asked)
    return [mark for one in papers for mark in one.marks if mark in seen and mark not in said]
