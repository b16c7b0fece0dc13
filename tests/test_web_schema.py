"""/openapi.json is true: schemathesis asks every route with what its schema allows and with what it forbids, in the process itself.

2,000 requests in all: `YINJU_REQUESTS` asks for another number. What depends on the library, such as a name that is there, is put into every
other request, since no generator would find one.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from browser import copy_of_examples
from yinju import Library
from yinju.embed.hashing import HashingEmbedder
from yinju.web import schema
from yinju.web.app import create_app
from yinju.web.guard import GuardOptions

if TYPE_CHECKING:
    from fastapi import FastAPI

REQUESTS = int(os.environ.get("YINJU_REQUESTS", "2000"))
GUARD = GuardOptions(hosts=("testserver",), burst=10**6, requests_per_second=10**6)
NOT_FOR_CONTENT = (400, 413, 415, 429)  # statuses that what the schema allows never has


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FastAPI]:
    folder = copy_of_examples(tmp_path_factory.mktemp("schema") / "help-centre")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("YINJU_DATA", str(folder.parent / "data"))
        patch.setenv("YINJU_OCR", "off")
        with Library.open(folder / ".yinju", embedder=HashingEmbedder()) as library:
            library.sync(folder / "zh")
            library.sync(folder / "files")
            yield create_app(library, GUARD)


def test_every_route_says_what_it_returns(app: FastAPI) -> None:
    known = schema.RETURNS.keys() | schema.EVENTS.keys() | set(schema.PICTURES)
    found = {f"{method} {path}" for path, methods in app.openapi()["paths"].items() for method in methods}
    assert found == known
    for path, methods in app.openapi()["paths"].items():
        for method, operation in methods.items():
            error = operation["responses"]["default"]["content"]["application/json"]["schema"]
            assert error == {"$ref": "#/components/schemas/Error"}, (method, path)
            assert "HTTPValidationError" not in str(operation)


@pytest.mark.slow
def test_no_request_breaks_the_server_or_its_schema(app: FastAPI) -> None:
    schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed")
    found = schemathesis.openapi.from_asgi("/openapi.json", app)
    operations = [result.ok() for result in found.get_all_operations()]
    modes = schemathesis.GenerationMode
    taking = [one for one in operations if one.body or one.query or one.path_parameters]
    names = _names(app)
    each = -(-(REQUESTS - len(operations) + len(taking)) // (2 * len(taking)))
    asked: Counter[str] = Counter()
    for operation in operations:
        for mode in (modes.POSITIVE, modes.NEGATIVE) if operation in taking else (modes.POSITIVE,):
            asked[operation.label] += _ask(operation, mode, each, names)
    print(f"{asked.total()} requests: {each} that the schema allows and {each} that it forbids of {len(taking)} routes")
    assert asked.total() >= REQUESTS
    assert all(asked[operation.label] for operation in operations)


def _names(app: FastAPI) -> dict[str, list[str]]:
    """Return what is there: names of sources, a job, a kept run."""
    from starlette.testclient import TestClient

    client = TestClient(app)
    sources = [one["source"] for one in client.get("/api/sources").json()["sources"]]
    cases = [{"question": "年费多少元？", "expect": [{"source": sources[0]}]}, {"question": "x", "answerable": False}]
    jobs = []
    for label in ("a", "b"):
        started = client.post("/api/eval", json={"cases": cases, "label": label}).json()["job"]
        assert app.state.yinju.jobs.get(started["id"]).wait(30)
        jobs.append(started["id"])
    runs = [one["id"] for one in client.get("/api/evaluations").json()["evaluations"]]
    assert len(runs) == 2
    return {"sources": sources, "jobs": jobs, "runs": runs}


def _ask(operation: Any, mode: Any, count: int, names: dict[str, list[str]]) -> int:
    """Ask one route; return how often it was asked."""
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import strategies as st
    from schemathesis.checks import CHECKS

    content, size = (CHECKS.get_by_names([name]) for name in ("positive_data_acceptance", "negative_data_rejection"))
    allowed = mode.is_positive
    told = 0

    @settings(
        max_examples=count, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )  # fmt: skip
    @given(case=operation.as_strategy(generation_mode=mode), place=st.integers(0, 5))
    def asked(case: Any, place: int) -> None:
        nonlocal told
        if allowed and place % 2:
            _fill(case, names, place)
        response = case.call()
        told += 1
        # What the library says of content is no matter of form, and what is too large is refused before anybody looks at its form.
        case.validate_response(response, excluded_checks=[*content, *(size if response.status_code == 413 else [])])
        assert not allowed or response.status_code not in NOT_FOR_CONTENT, (case.as_curl_command()[:500], response.text)

    asked()
    return told


def _fill(case: Any, names: dict[str, list[str]], place: int) -> None:
    """Put into a request what the library holds."""
    source = names["sources"][place % len(names["sources"])]
    given = {
        "source": source,
        "expect": f"{source}:1-3",
        "model": "yinju",
        "before": names["runs"][0],
        "after": names["runs"][1],
    }
    for part in (case.query, case.body):
        if isinstance(part, dict):
            kept = {key: value for key, value in given.items() if key in part and isinstance(part[key], type(value))}
            part.update(kept)
    if case.path_parameters:
        case.path_parameters["id"] = names["runs" if "evaluations" in case.path else "jobs"][place % 2]
