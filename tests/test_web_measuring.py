"""Why, explain, compare, evaluations and feedback over HTTP; and that every route is in docs/http-api.md."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from web_client import over, served
from yinju import Library, evaluate
from yinju.errors import SourceMissing, UsageError
from yinju.evaluate import figures, kept
from yinju.evaluate.records import Record
from yinju.testing import FakeEmbedder
from yinju.types import Document
from yinju.web import measuring
from yinju.web.app import create_app

DOCS = Path(__file__).parent.parent / "docs" / "http-api.md"
PLANS = "# 订阅方案\n\n## 年费\n\n年费方案每年 168 元。\n\n## 在校生\n\n在校生上传学生证后按七折结算。\n"
WARRANTY = "# Warranty\n\nThe battery is under warranty for six months.\n"
CASES = [
    {"question": "年费方案每年多少元？", "source": "plans.md", "lines": [5, 5], "kind": "price"},
    {"question": "How long is the battery under warranty?", "source": "warranty.md", "line": 3, "kind": "time"},
    {"question": "Who was the first person on the moon?", "answerable": False, "kind": "none"},
]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    folder = tmp_path_factory.mktemp("measuring")
    with Library.open(folder / ".yinju", embedder=FakeEmbedder()) as library:
        library.add([Document.from_text(PLANS, source="plans.md"), Document.from_text(WARRANTY, source="warranty.md")])
        with served(library) as opened:
            opened.folder = folder / ".yinju"  # type: ignore[attr-defined]
            yield opened


def test_every_route_is_documented() -> None:
    text = DOCS.read_text(encoding="utf-8")
    with Library.open() as library:
        paths = create_app(library).openapi()["paths"]
    routes = {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}
    documented = set(re.findall(r"`((?:GET|POST|PUT|DELETE) /[^`]*)`", text))
    assert routes - documented == set()
    assert {
        one for one in documented if "/mcp" not in one and not one.endswith(("openapi.json", "GET /"))
    } - routes == set()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "expect", "source"),
    [
        ("年费方案每年多少元", "plans.md:5", "plans.md"),
        ("battery warranty", {"source": "warranty.md", "quote": "six months"}, "warranty.md"),
    ],
)
def test_why_tells_each_step(client: httpx.Client, question: str, expect: object, source: str) -> None:
    found = client.post("/api/why", json={"question": question, "expect": expect, "answers": False}).json()
    (one,) = found["expected"]
    assert one["source"] == source
    assert [step["name"] for step in one["steps"]] == list(evaluate.diagnose.__globals__["STEPS"])
    assert one["steps"][3]["state"] == "ok"
    lost = client.post(
        "/api/why", json={"question": question, "expect": ["nothing.md", "plans.md:999"], "answers": False}
    )
    assert [one["lost"] for one in lost.json()["expected"]] == ["read", "read"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "source"), [("年费方案每年多少元", "plans.md"), ("battery warranty", "warranty.md")]
)
def test_explain_shows_every_leg(client: httpx.Client, question: str, source: str) -> None:
    asked = {"query": question, "where": {"source": "*.md"}, "expect": source, "limit": 1}
    found = client.post("/api/explain", json=asked).json()
    assert [leg["leg"] for leg in found["legs"]] == ["words", "bigrams", "dense"]
    assert found["filters"] == [{"key": "source", "pattern": "*.md"}]
    assert found["passages"]["all"] == found["passages"]["allowed"] >= 2
    searched = client.post("/api/search", json={"query": question, "where": {"source": "*.md"}, "limit": 1}).json()
    assert [(row["id"], row["score"], row["votes"]) for row in found["hits"]] == [
        (hit["id"], hit["score"], hit["votes"]) for hit in searched["hits"]
    ]
    hit = found["hits"][0]
    assert hit["expected"]
    for leg in found["legs"]:
        assert [row["rank"] for row in leg["passages"]] == list(range(1, len(leg["passages"]) + 1))
        values = [row["value"] for row in leg["passages"]]
        assert values == sorted(values, reverse=True)
        vote = next(vote for vote in hit["votes"] if vote["leg"] == leg["leg"])
        row = next(row for row in leg["passages"] if row["id"] == hit["id"])
        assert (row["rank"], row["share"]) == (vote["rank"], round(vote["share"], 6))
        assert found["expected"][0]["ranks"][leg["leg"]] == vote["rank"] == 1
    assert found["expected"][0]["rank"] == 1
    by_words = client.post("/api/explain", json={"query": question, "mode": "lexical"}).json()
    assert [leg["leg"] for leg in by_words["legs"]] == ["words", "bigrams"]
    assert by_words["expected"] == []


@pytest.mark.slow
def test_two_settings_are_compared(client: httpx.Client) -> None:
    asked = {"query": "年费", "before": {"mode": "lexical", "limit": 1}, "after": {"where": {"source": "warranty.md"}}}
    found = client.post("/api/compare", json=asked).json()
    assert found["before"]["hits"][0]["source"] == "plans.md"
    assert {hit["source"] for hit in found["after"]["hits"]} == {"warranty.md"}
    assert {(row["source"], row["before"]) for row in found["moved"] if row["after"] is None} == {("plans.md", 1)}
    assert all(row["after"] for row in found["moved"] if row["source"] == "warranty.md")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        ("why", {"question": "x", "expect": []}, 422, "usage"),
        ("why", {"question": "x", "expect": {"source": "plans.md", "lines": [3, 1]}}, 422, "usage"),
        ("why", {"question": "x", "expect": {"source": "plans.md", "path": "/etc/passwd"}}, 422, "usage"),
        ("explain", {"query": "", "depth": 1}, 422, "usage"),
        ("explain", {"query": "x", "mode": "dense; drop table"}, 422, "usage"),
        ("compare", {"query": "x", "before": {"colour": 1}}, 422, "usage"),
        ("eval", {}, 422, "usage"),
        ("eval", {"cases": [{"question": "x"}]}, 422, "usage"),
        ("eval", {"cases": [{"question": "x", "source": "a", "colour": 1}]}, 422, "usage"),
        ("eval", {"file": "../../etc/passwd"}, 404, "no-cases"),
        ("feedback", {"question": "x", "verdict": "up", "source": "../../etc/passwd"}, 404, "no-source"),
        ("feedback", {"question": "x", "verdict": "sideways"}, 422, "usage"),
        ("feedback", {"question": "x", "verdict": "up", "lines": [1, 2]}, 422, "usage"),
        ("feedback", {"question": "x", "verdict": "up", "source": "plans.md", "lines": [-1, 2]}, 422, "usage"),
        ("feedback", {"question": "x", "verdict": "up", "source": "plans.md", "lines": [9, 2]}, 422, "usage"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told(client: httpx.Client, path: str, body: dict, status: int, code: str) -> None:
    answer = client.post(f"/api/{path}", json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert answer.json()["error"]["hint"]


@pytest.mark.slow
def test_cases_are_asked_kept_and_compared(client: httpx.Client) -> None:
    first = over(client, client.post("/api/eval", json={"cases": CASES, "label": "前 <b>"}).json()["job"])
    assert (first["state"], first["progress"]["stage"], first["progress"]["done"]) == ("done", "ask", 3)
    run = first["report"]
    assert run["report"]["questions"] == 3
    assert [one["kind"] for one in run["kinds"]] == ["none", "price", "time"]
    assert run["kinds"][1]["hit@5"] == {"value": 1.0, "n": 1, "low": None, "high": None}
    assert run["kinds"][0]["hit@5"] is None
    assert sum(one["n"] for one in run["calibration"]["bins"]) == 3
    assert len(run["slowest"]) == 3
    assert client.get(f"/api/evaluations/{run['id']}").json() == run
    asked = {"cases": CASES, "label": "after", "mode": "lexical", "answers": False}
    second = over(client, client.post("/api/eval", json=asked).json()["job"])["report"]
    listed = client.get("/api/evaluations").json()["evaluations"]
    assert [one["label"] for one in listed] == ["after", "前 <b>"]
    assert listed[0] | {"id": second["id"], "questions": 3, "hit@5": 1.0, "mode": "lexical"} == listed[0]
    compared = client.get("/api/comparison", params={"before": run["id"], "after": second["id"]}).json()
    assert compared["questions"] == 3
    assert compared["measures"]["hit@5"]["difference"] == 0
    assert compared["kinds"]["before"] == run["kinds"]
    for id in ("nothing", "..", "../library", "a" * 300):
        assert client.get("/api/comparison", params={"before": id, "after": id}).status_code in (404, 422)


@pytest.mark.slow
def test_an_evaluation_is_cancelled_between_two_questions(client: httpx.Client) -> None:
    many = [CASES[0] | {"question": f"第 {number} 号方案每年多少元？"} for number in range(300)]
    job = client.post("/api/eval", json={"cases": many, "answers": False}).json()["job"]
    assert client.post(f"/api/jobs/{job['id']}/cancel", json={}).status_code == 200
    ended = over(client, job)
    assert (ended["state"], ended["report"], ended["error"]["code"]) == ("cancelled", None, "cancelled")


@pytest.mark.slow
def test_feedback_becomes_cases_that_can_be_asked(client: httpx.Client) -> None:
    hostile = 'x"}\n{"question": "年费\u2028\x00 <script>alert(1)</script>'
    said = [
        {"question": "年费多少？", "verdict": "up", "source": "plans.md", "lines": [5, 5], "note": "对"},
        {"question": hostile, "verdict": "down", "source": "warranty.md", "quote": "six months", "note": hostile},
        {"question": "Who was first on the moon?", "verdict": "down", "answerable": False},
        {"question": "年费多少？", "verdict": "up", "source": "plans.md", "lines": [5, 5]},
        {"question": hostile, "verdict": "down", "note": hostile},
    ]
    told = [client.post("/api/feedback", json=one).json() for one in said]
    assert [one["added"] for one in told] == [True, True, True, False, True]
    assert [one["file"] for one in told] == ["feedback.jsonl"] * 4 + ["feedback-open.jsonl"]
    path = client.folder / "feedback.jsonl"  # type: ignore[attr-defined]
    cases = evaluate.read(path)
    assert [case.question for case in cases] == ["年费多少？", hostile, "Who was first on the moon?"]
    assert [case.answerable for case in cases] == [True, True, False]
    assert cases[1].golds[0].quote == "six months"
    assert [json.loads(line)["note"] for line in path.read_text(encoding="utf-8").split("\n") if line] == [
        "up: 对",
        f"down: {hostile}",
        "down",
    ]
    found = client.get("/api/feedback").json()
    assert found["cases"] == 3
    assert found["open"][0]["question"] == hostile
    assert client.get("/api/cases").json()["files"] == [{"name": "feedback.jsonl", "questions": 3, "problem": None}]
    run = over(client, client.post("/api/eval", json={"file": "feedback.jsonl", "answers": False}).json()["job"])
    assert run["report"]["report"]["questions"] == 3


@pytest.mark.slow
def test_feedback_of_many_at_once_loses_no_line(client: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    path = client.folder / "feedback.jsonl"  # type: ignore[attr-defined]
    before = len(evaluate.read(path)) if path.exists() else 0

    def say(number: int) -> int:
        asked = {"question": f"第 {number} 问？", "verdict": "up", "source": "plans.md", "lines": [9, 9]}
        return client.post("/api/feedback", json=asked).status_code

    with ThreadPoolExecutor(8) as people:
        assert set(people.map(say, range(24))) == {200}
    assert len(evaluate.read(path)) == before + 24
    monkeypatch.setattr(measuring, "MOST_FEEDBACK_BYTES", 10)
    refused = client.post("/api/feedback", json={"question": "more", "verdict": "up", "source": "plans.md"})
    assert refused.json()["error"]["code"] == "feedback-full"


@pytest.mark.slow
def test_a_library_in_memory_measures_and_keeps_nothing() -> None:
    with Library.open(embedder=FakeEmbedder()) as library, served(library) as client:
        assert client.post("/api/eval", json={"cases": CASES}).json()["error"]["code"] == "no-documents"
        library.add([Document.from_text(PLANS, source="plans.md")])
        run = over(client, client.post("/api/eval", json={"cases": CASES[:1], "answers": False}).json()["job"])[
            "report"
        ]
        assert run["id"] is None
        assert client.get("/api/evaluations").json() == {"evaluations": []}
        assert client.get("/api/cases").json() == {"files": []}
        assert client.get("/api/feedback").json() == {"cases": 0, "open": []}
        said = client.post("/api/feedback", json={"question": "x", "verdict": "up"})
        assert said.json()["error"]["code"] == "no-folder"


# kept runs and figures alone


def record(id: str, *, answerable: bool = True, evidence: float = 0.9, rank: int | None = 1, kind: str = "a") -> Record:
    return Record(
        id, f"年费 {id}?", kind, answerable=answerable, evidence=evidence, refused=evidence < 0.5,
        ranks=(rank,) if answerable else (), quoted=(False,) if answerable else (), grades=(1,) if answerable and rank == 1 else (), search_ms=1.0,
    )  # fmt: skip


def test_calibration_bins_add_up_to_the_error() -> None:
    records = [record("1", evidence=0.95), record("2", evidence=0.85), record("3", answerable=False, evidence=0.15)]
    found = figures.calibration(records)
    bins = {one["low"]: one for one in found["bins"] if one["n"]}
    assert {low: (one["n"], one["evidence"], one["answerable"]) for low, one in bins.items()} == {
        0.1: (1, 0.15, 0.0), 0.8: (1, 0.85, 1.0), 0.9: (1, 0.95, 1.0)
    }  # fmt: skip
    assert found["error"] == round((0.05 + 0.15 + 0.15) / 3, 4)
    assert sum(one["n"] for one in found["bins"]) == 3
    assert figures.calibration(records[:2]) == {"bins": [], "error": None}


def test_kinds_have_intervals() -> None:
    records = [record(str(number), rank=1 if number % 2 else None, kind="价格") for number in range(20)]
    (one,) = figures.kinds(records)
    assert one["hit@5"]["value"] == 0.5
    assert one["hit@5"]["low"] < 0.5 < one["hit@5"]["high"]


def test_kept_runs_survive_what_people_do_to_them(tmp_path: Path) -> None:
    folder = tmp_path / "evaluations"
    run = kept.save(folder, [record("1")], "标签 \u2028 <i>")
    assert kept.read(folder, run.id) == (run, [record("1")])
    (folder / f"{run.id}.json").write_text("{}", encoding="utf-8")
    (folder / "broken.records.jsonl").write_text("{}\n", encoding="utf-8")
    (folder / "empty.records.jsonl").write_text("", encoding="utf-8")
    evaluate.keep(folder / "by hand.records.jsonl", [record("1"), record("2", rank=None)])
    assert {one.id: one.questions for one in kept.runs(folder)} == {run.id: 1, "by hand": 2, "empty": 0}
    assert kept.runs(tmp_path / "nothing") == []
    for id in ("..", "nothing", f"../evaluations/{run.id}"):
        with pytest.raises(SourceMissing):
            kept.read(folder, id)
    for id in ("broken", "empty"):
        with pytest.raises(UsageError):
            kept.read(folder, id)
