"""The real local model: its numbers, its sense, its limits. Built once for all tests of this file."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

from yinju.embed import e5_available, e5_file, open_e5
from yinju.testing import embedder_conformance

pytestmark = pytest.mark.model

# The first five numbers that the float32 network of the same weights gives for a whole sequence; ours has few bits.
CANONICAL = {
    ("query", "一年要付多少？"): [0.0406, 0.0047, -0.0360, -0.0387, 0.0548],
    ("passage", "年费方案每年 168 元。"): [0.0173, -0.0216, -0.0406, -0.0244, 0.0677],
    ("query", "How much is a year?"): [0.0156, 0.0056, -0.0611, -0.0550, 0.0548],
}
PASSAGES = (
    "年费方案每年 168 元。",
    "The yearly plan costs 168 yuan.",
    "电池保修六个月。",
    "The battery is under warranty for six months.",
)
PROBE = """
import json, sys, time
start = time.perf_counter()
from pathlib import Path
from yinju.embed import e5_file, e5_weights, open_e5
if sys.argv[2] == "build":
    e5_file.build(e5_weights.find(), Path(sys.argv[1]))
else:
    model = open_e5(Path(sys.argv[1]), threads=1)
    model.embed_queries(["一年要付多少？"])
first = time.perf_counter() - start
if sys.argv[2] == "embed":
    characters = "".join(map(chr, range(0x4E00, 0x9FA5)))  # rows all over the word table
    model.embed_passages(["电池保修六个月。" * 100, "The battery is under warranty. " * 100, characters])
status = Path("/proc/self/status")  # ru_maxrss would count the parent before exec
peak = int(status.read_text().split("VmHWM:")[1].split()[0]) * 1024 if status.exists() else 0
print(json.dumps({"peak": peak, "first": first}))
"""


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    if not e5_available(folder):
        pytest.skip("the weights of the local model are not installed")
    open_e5(folder).load()
    return folder


@pytest.fixture(scope="module")
def model(cache):
    opened = open_e5(cache, threads=2)
    yield opened
    opened.close()


def probe(cache, what):
    done = subprocess.run([sys.executable, "-c", PROBE, str(cache), what], capture_output=True, check=True, text=True)
    return json.loads(done.stdout)


def test_conformance(cache):
    embedder_conformance(lambda: open_e5(cache))


@pytest.mark.parametrize(("kind", "text"), CANONICAL)
def test_five_canonical_numbers(model, kind, text):
    embed = model.embed_queries if kind == "query" else model.embed_passages
    np.testing.assert_allclose(embed([text])[0, :5], CANONICAL[kind, text], atol=0.012)


def test_sense_in_chinese_in_english_and_across(model):
    queries = model.embed_queries(["一年要付多少？", "How much does a year cost?", "电池坏了能修吗", "battery repair"])
    cosines = queries @ model.embed_passages(PASSAGES).T
    assert [row.argmax() // 2 for row in cosines] == [0, 0, 1, 1]
    price, battery = cosines[:2], cosines[2:]
    assert (
        price[:, :2].min(axis=1) > price[:, 3]
    ).all()  # across: a price in the other language before the English battery
    assert (battery[:, 3] > battery[:, 1]).all()  # and in English the battery before the price


def test_a_vector_depends_on_its_text_alone(model):
    """Stronger than what batches allow, where int8 cosines move by 0.003 to 0.006."""
    together = model.embed_passages([*PASSAGES, "长文。" * 300])
    for text, row in zip(PASSAGES, together, strict=False):
        assert float(model.embed_passages([text])[0] @ row) > 0.99999


@pytest.mark.parametrize("filler", ["今天天气很好，我们去公园散步。", "The weather is fine and we walk in the park. "])
def test_the_tail_of_a_long_text_counts(model, filler):
    long = filler * 60
    secret = "暗号是蓝鲸四十二。" * 12
    question = model.embed_queries(["暗号是什么？"])[0]
    plain, with_tail = model.embed_passages([long, long + secret])
    assert float(question @ with_tail) > float(question @ plain) + 0.005


def test_a_long_text_is_the_mean_of_its_windows(model):
    text = "年费方案每年一百六十八元。" * 100
    engine = model._opened()
    tokens = engine._encode(text)
    from yinju.embed.e5 import windows

    front = engine._encode("passage: ")
    ranges = windows(len(tokens), 510 - len(front))
    assert len(ranges) > 1
    parts = [engine._window_vector([0, *front, *tokens[a:b], 2]) * (b - a) for a, b in ranges]
    mean = np.sum(parts, axis=0)
    np.testing.assert_allclose(model.embed_passages([text])[0], mean / np.linalg.norm(mean), atol=1e-5)


def test_size_and_memory_are_within_their_limits(cache, tmp_path):
    assert e5_file.path_in(cache).stat().st_size < 110e6
    assert probe(tmp_path, "build")["peak"] < 700e6
    assert probe(cache, "embed")["peak"] < 300e6


def test_two_processes_may_build_at_once(tmp_path):
    command = [sys.executable, "-c", PROBE, str(tmp_path), "build"]
    both = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(2)]
    assert [process.wait() for process in both] == [0, 0]
    assert [path.name for path in tmp_path.iterdir()] == [e5_file.NAME]
    e5_file.read(e5_file.path_in(tmp_path))
