"""Nobody learns of a document that they may not see, whatever they ask and however the lists change.

Each document carries words that stand nowhere else, in text, title, heading, metadata and name. All that a library can be asked is asked; no
such word of a hidden document may come back. Stronger still: the answers are those of a library in which the hidden documents never were.

`YINJU_PERMISSION_EXAMPLES` says how many examples are tried (500); `python -m benchmarks.permissions` tries 10,000.
"""

from __future__ import annotations

import os
import re
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from access_world import NAMES, QUESTIONS, READS, Page, World, told
from yinju import Library
from yinju.embed.hashing import HashingEmbedder
from yinju.principal import Principal
from yinju.testing import FakeEmbedder

EXAMPLES = int(os.environ.get("YINJU_PERMISSION_EXAMPLES", "500"))
LISTS = st.none() | st.lists(st.sampled_from(NAMES), max_size=2, unique=True).map(tuple)
STATED = LISTS | st.sampled_from(["hr", "甲", 7, {"hr": True}, ["hr", 3], True])
PRINCIPALS = st.builds(
    Principal, st.sampled_from(["ann", "甲", "nobody"]), st.sampled_from([(), ("hr",), ("法务", "hr")])
)
PAGES = st.lists(
    st.builds(Page, st.integers(0, 7), STATED, LISTS, LISTS, st.booleans()),
    min_size=1,
    max_size=5,
    unique_by=lambda page: page.number,
)


def leaks(world: World, principal: Principal, question: str, source: str, view: Library) -> list[tuple[str, str]]:
    """Return (method, word) for each word of a hidden document that came back."""
    said = told(view, question, source)
    hidden = [canary for page in world.hidden(principal) for canary in page.canaries]
    return [(name, canary) for name, text in said.items() for canary in hidden if canary in text]


def draw_question(data: st.DataObject, world: World) -> tuple[str, str]:
    canaries = [canary for page in world.pages.values() for canary in page.canaries]
    question = data.draw(st.sampled_from([*QUESTIONS, *canaries]), label="question")
    sources = [page.source for page in world.pages.values()]
    source = data.draw(st.sampled_from([*sources, "资料/zqbnamevy.md", "nothing.md"]), label="source")
    return question, source


def change(data: st.DataObject, world: World) -> None:
    """Change one document or its lists, in one of the ways in which that happens."""
    page = data.draw(st.sampled_from(sorted(world.pages.values(), key=lambda page: page.number)), label="page")
    how = data.draw(st.sampled_from(["relist", "put", "remove"]), label="how")
    if how == "relist":
        world.relist(replace(page, rules=data.draw(LISTS), owner=data.draw(LISTS)))
    elif how == "put":
        world.put(replace(page, stated=data.draw(STATED)))
    elif len(world.pages) > 1:
        world.remove(page.number)


@pytest.mark.slow
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_no_word_of_a_hidden_document_ever_comes_back(data: st.DataObject) -> None:
    world = World(HashingEmbedder())
    world.put(*data.draw(PAGES, label="pages"))
    principal = data.draw(PRINCIPALS, label="principal")
    view = world.library.seen_by(principal)
    try:
        view.search("fruit 水果")  # it has seen the library before it changes
        change(data, world)
        question, source = draw_question(data, world)
        assert leaks(world, principal, question, source, view) == []
        visible = {page.source for page in world.pages.values() if page.is_for(principal)}
        assert {summary.source for summary in view.sources()} == visible
    finally:
        world.library.close()


def alone(world: World, principal: Principal) -> Library:
    """A library of nothing but what the principal may see."""
    other = World(world.embedder)
    other.put(*(Page(page.number, copies=page.copies) for page in world.pages.values() if page.is_for(principal)))
    return other.library


def comparable(text: str) -> str:
    """Without what differs between two libraries of the same documents: times, generations, rows, the stated lists."""
    text = re.sub(r"'?(took_ms|generation|rowid|milliseconds)'?[=:] ?(\{[^}]*\}|[\d.]+)", r"\1", text)
    return re.sub(r", 'access': ('[^']*'|\([^)]*\)|\[[^\]]*\]|\{[^}]*\}|True|\d+)", "", text)


@pytest.mark.slow
@settings(max_examples=max(20, EXAMPLES // 10), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_all_answers_are_those_of_a_library_without_the_hidden_documents(data: st.DataObject) -> None:
    world = World(data.draw(st.sampled_from([HashingEmbedder(), FakeEmbedder()])))
    world.put(*data.draw(PAGES, label="pages"))
    principal = data.draw(PRINCIPALS, label="principal")
    view, control = world.library.seen_by(principal), alone(world, principal)
    try:
        question, source = draw_question(data, world)
        reads = [name for name in READS if name not in ("status", "close")]
        ours, theirs = told(view, question, source, reads), told(control, question, source, reads)
        for name in reads:
            assert comparable(ours[name]) == comparable(theirs[name]), name
        assert view.status()["chunks"] == control.status()["chunks"]
        assert view.status()["embedded"] == control.status()["embedded"]
    finally:
        control.close()
        world.library.close()
