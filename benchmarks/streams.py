"""Measure how answers hold on their way: `python -m benchmarks.streams`.

Three things are counted. Streams: twenty answers with markers in every form, made of sentences of the public sets, are cut at random, as
characters and as bytes of server-sent events; text, sentences and citations have to be those of the whole answer. Faults: a thousand
requests to a chat server of which a fifth fails; no answer may take longer than the deadline and a second, nothing wrong may be called
verified, nothing may stay open. Orders: how many passages of the public sets and handbooks, none of which speaks to a model, are taken for
one that does.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

from benchmarks import sets
from benchmarks.verification import Source, sources
from yinju.answer import answer, answer_stream
from yinju.answer.instructions import instruction
from yinju.llm import Limits, OpenAICompatible
from yinju.llm.events import EventReader, part_of
from yinju.testing import ScriptedChatModel
from yinju.testing.chat_server import Script, event, raw, reply, said, serving, silent, streaming
from yinju.types import Answer, Citation, SearchResult

SETS = ("xquad-zh", "xquad-en", "cmrc2018-dev", "clapnq-dev")
ORDERS = (*SETS, "dragonball-zh", "cranfield", "rgb-zh-refine")
HANDBOOKS = ("docs-tidb-zh", "docs-gitlab-handbook")  # folders of Markdown, full of instructions to people
FORMS = (
    " [{}]", "[{}]", "【{}】", "［{}］", "[^{}]", "[ID:{}]", "[来源 {}]", " [citation:{}]", "[[{}]]", "（见资料 {}）", " (source {})", "[{},9]",
)  # fmt: skip
LIMITS = Limits(connect=1.0, first_token=0.6, between_tokens=0.4, whole=3.0, backoff=0.01, retry_after=0.2)
SEED = 20261130


def written(rng: random.Random, about: Sequence[Source]) -> tuple[str, SearchResult]:
    """Return an answer out of sentences of a passage and its neighbours, and the result of the search that it answers."""
    own = rng.choice(about)
    hits = (own.hit, *own.neighbours)
    lines = []
    for _ in range(rng.randrange(2, 6)):
        sentence = rng.choice(own.sentences)
        marker = rng.choice(FORMS).format(rng.randrange(1, len(hits) + 2))
        end = sentence[-1] if sentence[-1] in "。！？.!?" else ""
        lines.append(f"{sentence[: len(sentence) - len(end)]}{marker}{end}")
    start = rng.choice(("", "<think>[1] 和 [2]</think>", "- ", "结论：\n\n"))
    return start + rng.choice(("", " ", "\n- ")).join(lines), SearchResult("?", "hybrid", hits, evidence=0.9)


def pieces(text: str, rng: random.Random) -> list[str]:
    places = sorted({0, len(text), *(rng.randrange(len(text) + 1) for _ in range(rng.randrange(1, 15)))})
    return [text[a:b] for a, b in pairwise(places)]


def over_the_wire(text: str, rng: random.Random) -> list[str]:
    """Return what a client reads from events of the text, whose bytes come in any pieces."""
    data = "".join(f"{event(piece)}" for piece in pieces(text, rng)).encode()
    places = sorted({0, len(data), *(rng.randrange(len(data) + 1) for _ in range(40))})
    reader, found = EventReader(), []
    for a, b in pairwise(places):
        found += reader.feed(data[a:b])
    return [part.text for each in [*found, *reader.finish()] if (part := part_of(each)) is not None]


def outcome(parts: Sequence[str], result: SearchResult) -> tuple[object, ...]:
    *seen, last = answer_stream("这是什么？", result, chat_model=ScriptedChatModel(list(parts)))
    assert isinstance(last, Answer)
    cited = tuple(part for part in seen if isinstance(part, Citation))
    visible = "".join(part for part in seen if isinstance(part, str))
    return visible, cited, last.text, last.sentences, last.complete


def streams(bench: Path, texts: int = 20, splits: int = 25) -> tuple[int, int]:
    """Return how many random splits ended as the whole text does, and of how many."""
    rng = random.Random(SEED)
    found = [source for name in SETS for source in rng.sample(sources(name, bench), 20)]
    same = 0
    for _ in range(texts):
        text, result = written(rng, found)
        whole = outcome([text], result)
        for turn in range(splits):
            same += outcome(over_the_wire(text, rng) if turn % 2 else pieces(text, rng), result) == whole
    return same, texts * splits


def scripts(rng: random.Random, good: str, wrong: str) -> Iterator[Script]:
    half = event(good[: len(good) * 2 // 3])
    faulty = (
        silent(9.0), raw(), raw(b"\x00"), reply(401, "{}"), reply(429, "{}", retry_after="3600"), reply(503, "later", "text/plain"),
        reply(200, "<html>", "text/html"), reply(200, '{"choices": []}'), reply(200, "{"), streaming(half), streaming(half, 0.05, reset=True),
        streaming(half, 9.0), streaming(half, "data: {\n\n"), streaming(half, 'data: {"error": {"message": "oom"}}\n\n'),
        streaming(half, *[event("word ")] * 3_000), said(wrong),
    )  # fmt: skip
    while True:
        yield rng.choice(faulty) if rng.random() < 0.2 else said(good)


def faults(bench: Path, requests: int = 1_000) -> dict[str, float]:
    """Return what was counted in so many requests."""
    rng = random.Random(SEED)
    source = next(each for each in sources("xquad-zh", bench) if any(letter.isdigit() for letter in each.sentences[0]))
    right = source.sentences[0].rstrip("。")
    changed = "".join(str((int(letter) + 1) % 10) if letter.isdecimal() else letter for letter in right)
    result = SearchResult("?", "hybrid", (source.hit, *source.neighbours), evidence=0.9)
    source_of_scripts, lock = scripts(rng, f"{right} [1]。", f"{changed} [1]。此事并非如此 [99]。"), threading.Lock()

    def play(handler: object) -> None:
        with lock:
            script = next(source_of_scripts)
        script(handler)  # type: ignore[arg-type]

    def one(chat: OpenAICompatible) -> tuple[Answer, float]:
        start = time.monotonic()
        return answer("这是什么？", result, chat_model=chat), time.monotonic() - start

    with serving(play) as server:
        one(OpenAICompatible(server.url, None, "m", limits=LIMITS))
        threads, files = threading.active_count(), opened()
        # One model for each four requests, so that no circuit spares the others their faults.
        models = [OpenAICompatible(server.url, None, "m", limits=LIMITS) for _ in range(requests // 4)]
        start = time.monotonic()
        with ThreadPoolExecutor(12) as pool:
            answers = list(pool.map(one, [model for model in models for _ in range(4)]))
        took = time.monotonic() - start
        for model in models:
            model.close()
        end = time.monotonic() + 5
        while time.monotonic() < end and (server.open or threading.active_count() > threads):
            time.sleep(0.05)
        gc.collect()
        left = (threading.active_count() - threads, opened() - files)
    wrongly = sum(
        sentence.status in ("verified", "moved") and (changed in sentence.text or "并非" in sentence.text)
        for given, _ in answers
        for sentence in given.sentences
    )
    return {
        "requests": len(answers), "failed": sum(given.failure is not None for given, _ in answers), "seconds": took,
        "longest": max(took for _, took in answers), "deadline": LIMITS.whole, "wrongly verified": wrongly,
        "threads left": left[0], "descriptors left": left[1], "without text": sum(not given.text for given, _ in answers),
    }  # fmt: skip


def opened() -> int:
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.exists() else 0


def orders(bench: Path, most: int = 1_500) -> dict[str, tuple[int, int]]:
    """Return for each set how many of its passages are taken for an order to a model, and of how many."""
    found = {}
    for name in (*ORDERS, *HANDBOOKS):
        rng = random.Random(SEED)
        if name in HANDBOOKS:
            files = sorted((bench / name).rglob("*.md"))
            texts = [
                part for path in files for part in path.read_text(encoding="utf-8", errors="replace").split("\n\n")
            ]
        else:
            texts = [document.text for document in sets.documents(name, bench)]
        chosen = rng.sample(texts, min(most, len(texts)))
        found[name] = (sum(instruction(text[:3_000]) is not None for text in chosen), len(chosen))
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.streams", description=__doc__)
    parser.add_argument("--bench", type=Path, default=sets.BENCH, help="folder of the public sets")
    parser.add_argument("--requests", type=int, default=1_000)
    parser.add_argument("--only", choices=("streams", "faults", "orders"))
    given = parser.parse_args(arguments)
    try:
        if given.only in (None, "streams"):
            same, of = streams(given.bench)
            print(f"streams: {same} of {of} random splits end as the whole answer does")
        if given.only in (None, "faults"):
            counted = {name: round(value, 2) for name, value in faults(given.bench, given.requests).items()}
            print(f"faults: {json.dumps(counted)}")
        if given.only in (None, "orders"):
            for name, (taken, count) in orders(given.bench).items():
                print(f"orders: {name}: {taken} of {count} passages are taken for an order to a model")
    except sets.SetMissing as missing:
        print(missing, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
