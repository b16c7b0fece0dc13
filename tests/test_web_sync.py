"""Jobs, syncs, uploads and removals over HTTP: what they do, refuse and survive."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from web_client import over, served
from yinju import Library
from yinju.errors import UsageError
from yinju.testing import FakeEmbedder
from yinju.web.jobs import WAITING, Job, Jobs, JobsFull
from yinju.web.receiving import LONGEST_NAME, Receiver, store
from yinju.web.receiving import safe_name as named

# jobs alone: no library, no server


class Held:
    """Work that waits until it is let go, and sees whether it was cancelled."""

    def __init__(self) -> None:
        self.go, self.at_it = threading.Event(), threading.Event()

    def __call__(self, job: Job) -> dict[str, Any]:
        self.at_it.set()
        assert self.go.wait(10)
        return {"cancelled": job.is_cancelled()}


def test_one_job_at_a_time_four_wait_and_the_next_is_refused() -> None:
    jobs, held = Jobs(), Held()
    first = jobs.start("sync", {}, held)
    waiting = [jobs.start("sync", {"n": n}, lambda job: {"n": job.asked["n"]}) for n in range(WAITING)]
    assert held.at_it.wait(5)
    assert [job.state for job in waiting] == ["waiting"] * WAITING
    with pytest.raises(JobsFull):
        jobs.start("sync", {}, held)
    assert jobs.start("eval", {}, lambda job: {}).wait(5)  # measuring has a lane of its own
    jobs.cancel(waiting[1])
    assert waiting[1].state == "cancelled"
    assert waiting[1].error is not None
    held.go.set()
    assert all(job.wait(5) for job in (first, *waiting))
    assert first.report == {"cancelled": False}
    assert [job.report for job in waiting] == [{"n": 0}, None, {"n": 2}, {"n": 3}]
    assert jobs.all()[-1] is first


def test_a_cancelled_job_reports_what_it_did() -> None:
    jobs, held = Jobs(), Held()
    job = jobs.start("sync", {}, held)
    jobs.cancel(job)
    held.go.set()
    assert job.wait(5)
    assert (job.state, job.report) == ("cancelled", {"cancelled": True})


def test_errors_of_a_job_have_the_shape_of_all_errors() -> None:
    def fails(job: Job) -> dict[str, Any]:
        raise UsageError("no", "do yes")

    job = Jobs().start("sync", {}, fails)
    assert job.wait(5)
    assert (job.state, job.error) == ("failed", {"code": "usage", "message": "no", "hint": "do yes"})


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_fault_of_ours_ends_its_job_and_not_the_lane() -> None:
    jobs = Jobs()
    job = jobs.start("sync", {}, lambda job: {"x": 1 / 0})
    after = jobs.start("sync", {}, lambda job: {"fine": True})
    assert after.wait(5)
    for thread in [one for one in threading.enumerate() if one.name == "yinju-job"]:
        thread.join(5)  # Python tells of the fault here, not in a later test
    assert job.state == "failed"
    assert job.error is not None
    assert "division" not in json.dumps(job.error)
    assert after.report == {"fine": True}


def test_readers_see_the_newest_state_and_leave_nothing_behind() -> None:
    jobs, held = Jobs(), Held()
    threads = threading.active_count()

    async def read() -> tuple[list[str], int]:
        job = jobs.start("sync", {}, held)
        readers = [job.events() for _ in range(50)]
        for reader in readers:
            assert (await anext(reader)).startswith("event: job")
        with_readers = job.readers, threading.active_count()
        for reader in readers[1:]:
            await reader.aclose()  # type: ignore[attr-defined]
        assert with_readers[0] == 50
        assert with_readers[1] <= threads + 1
        assert job.readers == 1
        for done in range(1_000):
            job.tell({"stage": "read", "done": done, "source": "年费\n\nevent: report"})
        held.go.set()
        return [part async for part in readers[0]], job.readers

    told, left = asyncio.run(read())
    assert left == 0
    assert [part.split("\n", 1)[0] for part in told if "waiting" not in part][-1] == "event: report"
    progress = [json.loads(part.split("data: ")[1]) for part in told if part.startswith("event: progress")]
    assert progress[-1]["done"] == 999
    assert len(progress) <= 2


def test_only_so_many_jobs_are_remembered() -> None:
    jobs = Jobs()
    for _ in range(60):
        assert jobs.start("eval", {}, lambda job: {}).wait(5)
    assert len(jobs.all()) <= 51


# names of uploads


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("plans.md", "plans.md"),
        ("年费 方案.md", "年费 方案.md"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\me\\Desktop\\报价.docx", "报价.docx"),
        ("..", "document"),
        ("", "document"),
        ("///", "document"),
        (".gitignore", "gitignore"),
        (".env.md", "env.md"),
        ("~$offer.docx", "$offer.docx"),
        ("CON.md", "_CON.md"),
        ("con", "_con"),
        ("LPT¹.txt", "_LPT¹.txt"),
        ("console.md", "console.md"),
        ("a\x00b\n\x1b[31mc.md", "ab[31mc.md"),
        ("invoice\u202efdp.exe.md", "invoicefdp.exe.md"),
        ("a.md.", "a.md"),
        ("a.md . .", "a.md"),
        ("cafe\u0301.md", "café.md"),
        ('a<b>"c|d?.md', "a_b__c_d_.md"),
        ("report.pdf:evil.exe", "report.pdf_evil.exe"),
        ("\ud800x.md", "x.md"),
    ],
)
def test_names_become_plain_ones(given: str, name: str) -> None:
    assert named(given) == name


@pytest.mark.parametrize("letter", ["a", "年", "😀"])
def test_long_names_keep_their_suffix(letter: str) -> None:
    name = named(letter * 500 + ".md")
    assert name.endswith(letter + ".md")
    assert len(name.encode()) <= LONGEST_NAME
    assert len(named(letter * 500).encode()) <= LONGEST_NAME
    assert len(named("a." + letter * 500).encode()) <= LONGEST_NAME


def form(*files: tuple[str, bytes], field: str = "files") -> tuple[str, bytes]:
    """Return content type and body of a form as httpx writes it."""
    request = httpx.Request("POST", "http://x", files=[(field, file) for file in files])
    return request.headers["content-type"], request.read()


@pytest.mark.parametrize("size", [1, 7, 100_000])
def test_a_body_in_pieces_of_any_size_is_the_same_files(tmp_path: Path, size: int) -> None:
    kind, body = form(("年费.md", "年费\r\n--x".encode()), ("b.md", bytes(range(256))))
    with Receiver(str(tmp_path), kind) as receiver:
        for start in range(0, len(body), size):
            receiver.feed(body[start : start + size])
        receiver.finish()
        stored = [store(file, str(tmp_path)) for file in receiver.files]
    assert [one.stored_as for one in stored] == ["年费.md", "b.md"]
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        "年费.md": "年费\r\n--x".encode(),
        "b.md": bytes(range(256)),
    }


def test_equal_names_are_numbered_and_the_same_file_is_kept_once(tmp_path: Path) -> None:
    kind, body = form(("a.md", b"one"), ("x/a.md", b"two"), ("A/a.md", b"one"), ("a.gif", b"GIF89a"), ("b.md", b""))
    with Receiver(str(tmp_path), kind) as receiver:
        receiver.feed(body)
        receiver.finish()
        found = [store(file, str(tmp_path)) for file in receiver.files]
    assert [getattr(one, "stored_as", None) for one in found] == ["a.md", "a-2.md", "a.md", None, None]
    assert [getattr(one, "code", None) for one in found] == [None, None, None, "unknown-type", "empty"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a-2.md", "a.md"]


@pytest.mark.parametrize("change", ["cut", "field", "none", "garbage", "boundary"])
def test_a_broken_form_leaves_nothing(tmp_path: Path, change: str) -> None:
    kind, body = form(("a.md", b"x" * 10_000), field="other" if change == "field" else "files")
    body = {"cut": body[:5_000], "garbage": b"\x00" * 100, "none": b""}.get(change, body)

    def receive() -> None:
        with Receiver(str(tmp_path), "multipart/form-data" if change == "boundary" else kind) as receiver:
            receiver.feed(body)
            receiver.finish()

    with pytest.raises(UsageError):
        receive()
    assert list(tmp_path.iterdir()) == []


# over HTTP


class Burning(FakeEmbedder):
    """Burns processor time in Python, once, when passages are embedded: the worst that a model can do to others in its process."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds, self.burnt = seconds, threading.Event()

    def embed_passages(self, texts: Sequence[str]) -> Any:
        until = time.perf_counter() + (0 if self.burnt.is_set() else self.seconds)
        while time.perf_counter() < until:
            sum(range(1_000))
        self.burnt.set()
        return super().embed_passages(texts)


class Waiting(FakeEmbedder):
    """Waits inside the embedding of passages until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.go, self.at_it = threading.Event(), threading.Event()

    def embed_passages(self, texts: Sequence[str]) -> Any:
        self.at_it.set()
        assert self.go.wait(20)
        return super().embed_passages(texts)


def write(folder: Path, count: int) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        text = f"# 方案 {number}\n\n第 {number} 号方案每年 {number} 元。\n\nPlan {number} costs {number} yuan a year.\n"
        (folder / f"plan{number}.md").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.slow
def test_plan_sync_and_the_refusal_to_delete_much(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", 30)
    with Library.open(folder / ".yinju", embedder=FakeEmbedder()) as library, served(library) as client:
        assert client.post("/api/sync", json={}).json()["error"]["code"] == "usage"  # knows no folder
        for path, code in (("/", "outside"), (str(tmp_path), "outside"), ("docs", "usage"), (f"{folder}\0", "usage")):
            assert client.post("/api/sync", json={"paths": [path]}).json()["error"]["code"] == code
    with (
        Library.open(folder / ".yinju", embedder=FakeEmbedder()) as library,
        served(library, folders=(str(folder),)) as client,
    ):
        first = client.get("/api/jobs").json()["jobs"][0]
        assert over(client, first)["report"]["added"] == 30
        (folder / "new.md").write_text("# 新增\n\n新的一页。\n", encoding="utf-8")
        (tmp_path / "secret.md").write_text("# 秘密\n", encoding="utf-8")
        (folder / "link.md").symlink_to(tmp_path / "secret.md")
        for path in (folder / "link.md", folder / ".." / "secret.md"):
            assert client.post("/api/sync", json={"paths": [str(path)]}).status_code == 403
        (folder / "link.md").unlink()
        planned = over(client, client.post("/api/sync", json={"plan": True}).json()["job"])
        assert (planned["kind"], planned["report"]["planned"], planned["report"]["added"]) == ("plan", True, 1)
        answer = client.post("/api/sync", json={"paths": [str(folder / "new.md")]})
        assert answer.status_code == 202
        done = over(client, answer.json()["job"])
        assert (done["state"], done["report"]["added"]) == ("done", 1)
        assert (
            done["report"]["files"][0] | {"source": "new.md", "outcome": "indexed", "covered": 8}
            == done["report"]["files"][0]
        )
        assert (
            client.post("/api/search", json={"query": "新的一页", "limit": 1}).json()["hits"][0]["source"] == "new.md"
        )
        for path in folder.glob("plan*.md"):
            path.unlink()
        refused = over(client, client.post("/api/sync", json={}).json()["job"])
        assert (refused["state"], refused["error"]["code"], refused["report"]) == ("failed", "mass-delete", None)
        assert (
            over(client, client.post("/api/sync", json={"allow_mass_delete": True}).json()["job"])["report"]["removed"]
            == 30
        )
        assert client.get("/api/roots").json()["roots"][-1]["files"] == 1


@pytest.mark.slow
def test_a_folder_that_is_gone_and_another_writer_are_told(tmp_path: Path) -> None:
    first, second = write(tmp_path / "one", 2), write(tmp_path / "二", 2)
    with Library.open(tmp_path / ".yinju") as library:
        library.sync([first, second])
        with served(library) as client:
            second.rename(tmp_path / "away")
            (first / "new.md").write_text("# 新增\n", encoding="utf-8")
            report = over(client, client.post("/api/sync", json={}).json()["job"])["report"]
            assert (report["added"], report["removed"]) == (1, 0)
            assert any(str(second) in notice for notice in report["notices"])
            named = over(client, client.post("/api/sync", json={"paths": [str(second)]}).json()["job"])
            assert named["error"]["code"] == "missing"
            (first / "newer.md").write_text("# 更新\n", encoding="utf-8")
            with library.store.writer():  # as another process would
                busy = over(client, client.post("/api/sync", json={"paths": [str(first)]}).json()["job"])
            assert (busy["state"], busy["error"]["code"]) == ("failed", "busy")
            removed = client.post("/api/remove", json={"sources": ["new.md"]}).json()["job"]
            assert over(client, removed)["report"]["removed"] == 1


@pytest.mark.slow
def test_files_are_uploaded_read_and_removed(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", 2)
    with (
        Library.open(folder / ".yinju", embedder=FakeEmbedder()) as library,
        served(library, folders=(str(folder),)) as client,
    ):
        over(client, client.get("/api/jobs").json()["jobs"][0])
        files = [
            ("files", ("../保修.md", "# 保修\n\n电池保修六个月。\n".encode())),
            ("files", ("warranty.txt", b"The battery is covered for six months.")),
            ("files", ("picture.gif", b"GIF89a....")),
            ("files", ("scan.pdf", b"no pdf at all \x00\x01")),
            ("files", ("plan0.md", "# 方案\n\n另一个方案。".encode())),
        ]
        answer = client.post("/api/upload", files=files)
        assert answer.status_code == 202
        found = answer.json()
        assert [one["stored_as"] for one in found["stored"]] == ["保修.md", "warranty.txt", "scan.pdf", "plan0.md"]
        assert [(one["name"], one["code"]) for one in found["refused"]] == [("picture.gif", "unknown-type")]
        assert found["refused"][0]["hint"]
        report = over(client, found["job"])["report"]
        outcomes = {one["source"]: (one["outcome"], (one["reason"] or "").split(":")[0]) for one in report["files"]}
        assert outcomes == {
            "uploads/保修.md": ("indexed", ""), "uploads/warranty.txt": ("indexed", ""), "uploads/plan0.md": ("indexed", ""),
            "uploads/scan.pdf": ("skipped", "damaged"),
        }  # fmt: skip
        for question, source in (
            ("电池保修多久", "uploads/保修.md"),
            ("battery covered months", "uploads/warranty.txt"),
        ):
            assert (
                client.post("/api/search", json={"query": question, "limit": 1}).json()["hits"][0]["source"] == source
            )
        assert client.post("/api/remove", json={"sources": ["uploads/nothing.md"]}).status_code == 404
        gone = ["uploads/保修.md", "uploads/scan.pdf", "plan1.md"]
        removed = over(client, client.post("/api/remove", json={"sources": gone}).json()["job"])["report"]
        assert removed["removed"] == 3
        assert "plan1.md" in removed["notices"][0]
        assert "uploads" not in removed["notices"][0]
        assert sorted(path.name for path in (folder / ".yinju" / "uploads").iterdir()) == ["plan0.md", "warranty.txt"]
        assert over(client, client.post("/api/sync", json={}).json()["job"])["report"]["added"] == 1
        assert {one["source"] for one in client.get("/api/sources").json()["sources"]} == {
            "plan0.md", "plan1.md", "uploads/plan0.md", "uploads/warranty.txt"
        }  # fmt: skip


@pytest.mark.slow
def test_uploads_have_limits(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", 1)
    with Library.open(folder / ".yinju") as library, served(library) as client:
        many = [("files", (f"{number}.md", b"x")) for number in range(101)]
        assert client.post("/api/upload", files=many).status_code == 413
        assert client.post("/api/upload", files=[("other", ("a.md", b"x"))]).json()["error"]["code"] == "usage"
        assert client.post("/api/upload", content=b"x", headers={"content-type": "application/json"}).status_code == 415

        def endless() -> Iterator[bytes]:
            yield b'--b\r\nContent-Disposition: form-data; name="files"; filename="a.md"\r\n\r\n'
            for _ in range(201):
                yield b"x" * 1024 * 1024

        kind = {"content-type": "multipart/form-data; boundary=b"}
        with suppress(httpx.TransportError):  # the server hangs up before all is sent
            assert client.post("/api/upload", content=endless(), headers=kind).status_code in (413, 422)
        assert [path for path in (folder / ".yinju").rglob("*") if "uploads" in path.parts and path.is_file()] == []
    with Library.open() as library, served(library) as client:
        assert client.post("/api/upload", files=[("files", ("a.md", b"x"))]).json()["error"]["code"] == "no-folder"


CHANGES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("/api/sync", {"json": {}}),
    ("/api/remove", {"json": {"sources": ["plan0.md"]}}),
    ("/api/remove", {"json": {"sources": ["plan0.md"], "purge": True}}),
    ("/api/undo", {"json": {}}),
    ("/api/upload", {"files": [("files", ("a.md", b"x"))]}),
    ("/api/feedback", {"json": {"question": "x", "verdict": "up", "source": "plan0.md"}}),
)


@pytest.mark.slow
def test_a_server_that_only_reads_refuses_every_change(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", 1)
    with Library.open(folder / ".yinju", embedder=FakeEmbedder()) as library:
        library.sync(folder)
        before = library.status()["generation"]
        with served(library, read_only=True, folders=(str(folder),)) as client:
            for path, body in CHANGES:
                answer = client.post(path, **body)
                assert (path, answer.status_code, answer.json()["error"]["code"]) == (path, 403, "read-only")
            assert client.get("/api/jobs").json()["jobs"] == []
            assert client.get("/api/roots").json()["read_only"] is True
            assert over(client, client.post("/api/sync", json={"plan": True}).json()["job"])["state"] == "done"
        assert library.status()["generation"] == before


@pytest.mark.slow
def test_a_sync_is_cancelled_and_the_next_one_goes_on(tmp_path: Path) -> None:
    folder, embedder = write(tmp_path / "docs", 200), Waiting()
    with (
        Library.open(folder / ".yinju", embedder=embedder) as library,
        served(library, folders=(str(folder),)) as client,
    ):
        job = client.get("/api/jobs").json()["jobs"][0]
        assert embedder.at_it.wait(20)
        later = [client.post("/api/sync", json={}) for _ in range(WAITING + 1)]
        assert [answer.status_code for answer in later] == [202] * WAITING + [409]
        assert later[-1].json()["error"]["code"] == "jobs-full"
        for answer in later[1:WAITING]:
            assert client.post(f"/api/jobs/{answer.json()['job']['id']}/cancel", json={}).json()["state"] == "cancelled"
        assert client.post(f"/api/jobs/{job['id']}/cancel", json={}).status_code == 200
        embedder.go.set()
        cancelled = over(client, job)
        assert cancelled["state"] == "cancelled"
        assert cancelled["report"]["embedded"] < 200
        last = over(client, later[0].json()["job"])
        assert last["state"] == "done"
        status = client.get("/api/status").json()
        assert (status["documents"], status["embedded"]) == (200, status["chunks"])


@pytest.mark.slow
def test_a_sync_outlives_its_readers_who_leave_no_thread(tmp_path: Path) -> None:
    folder, embedder = write(tmp_path / "docs", 20), Waiting()
    with (
        Library.open(folder / ".yinju", embedder=embedder) as library,
        served(library, folders=(str(folder),)) as client,
    ):
        job = client.get("/api/jobs").json()["jobs"][0]
        assert embedder.at_it.wait(20)
        there = client.app.state.yinju.jobs.get(job["id"])  # type: ignore[attr-defined]
        threads = threading.active_count()
        for _ in range(20):
            with client.stream("GET", f"/api/jobs/{job['id']}/events") as answer:
                assert next(answer.iter_text()).startswith("event: job")
        until = time.monotonic() + 10
        while there.readers and time.monotonic() < until:
            client.get("/health")
        assert there.readers == 0
        assert threading.active_count() <= threads
        embedder.go.set()
        assert over(client, job)["report"]["added"] == 20


def asked_meanwhile(client: httpx.Client, path: str, goes_on: Callable[[], bool]) -> tuple[list[float], list[float]]:
    """Ask /health and a search every 100 ms while something goes on, and return how long each took, in milliseconds."""
    took: tuple[list[float], list[float]] = ([], [])
    while goes_on():
        for times, (method, route, body) in zip(
            took, (("GET", "/health", None), ("POST", path, {"query": "每年多少元", "mode": "lexical"})), strict=True
        ):
            began = time.perf_counter()
            assert client.request(method, route, json=body).status_code == 200
            times.append((time.perf_counter() - began) * 1_000)
        time.sleep(0.1)
    return took


@pytest.mark.slow
def test_a_model_that_burns_the_processor_blocks_nobody(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, embedder = write(tmp_path / "docs", 5), Burning(5)
    with (
        Library.open(folder / ".yinju", embedder=embedder) as library,
        served(library, folders=(str(folder),)) as client,
    ):
        health, search = asked_meanwhile(client, "/api/search", lambda: not embedder.burnt.is_set())
        second = client.post("/api/sync", json={})
        assert second.status_code in (202, 409)
        assert over(client, second.json()["job"])["state"] == "done"
    with capsys.disabled():
        print(f"\nmodel burns 5 s: /health median {statistics.median(health):.0f} ms, longest {max(health):.0f}; "
              f"/search median {statistics.median(search):.0f} ms, longest {max(search):.0f} ({len(health)} times)")  # fmt: skip
    assert len(health) >= 10
    assert statistics.median(health) < 200
    assert statistics.median(search) < 1_000


@pytest.mark.slow
def test_health_answers_while_eight_search_and_a_sync_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write(tmp_path / "docs", 1_500)
    with (
        Library.open(folder / ".yinju", embedder=FakeEmbedder()) as library,
        served(library, folders=(str(folder),)) as client,
    ):
        client.get("/health")  # its job is there once the server is
        job = client.app.state.yinju.jobs.all()[0]  # type: ignore[attr-defined]
        asked = [0] * 8

        def search(number: int) -> None:
            with httpx.Client(base_url=client.base_url, timeout=60) as own:
                while not job.is_over:
                    question = {"query": f"第 {number} 号方案每年多少元"}
                    assert own.post("/api/search", json=question).status_code == 200
                    asked[number] += 1

        with ThreadPoolExecutor(8) as searching:
            waiting = [searching.submit(search, number) for number in range(8)]
            health = []
            while not job.is_over:
                began = time.perf_counter()
                assert client.get("/health").status_code == 200
                health.append((time.perf_counter() - began) * 1_000)
                time.sleep(0.05)
            for one in waiting:
                one.result(60)
        assert job.report["added"] == 1_500
    with capsys.disabled():
        print(f"\n8 clients search ({sum(asked)} searches) while a sync of 1,500 files runs ({job.report['took_s']:.0f} s): "
              f"/health median {statistics.median(health):.0f} ms, longest {max(health):.0f} ({len(health)} times)")  # fmt: skip
    assert statistics.median(health) < 200


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
def test_ctrl_c_while_a_sync_runs_ends_it_after_its_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write(tmp_path / "docs", 3_000)
    environment = os.environ | {"YINJU_EMBED_MODEL": "none"}
    command = [sys.executable, "-m", "yinju", "serve", str(folder), "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, env=environment, encoding="utf-8") as process:
        assert process.stderr is not None
        address = re.search(r"http://\S+", process.stderr.readline())
        assert address is not None
        with httpx.Client(base_url=address[0], timeout=20) as client:
            job = client.get("/api/jobs").json()["jobs"][0]
            with client.stream("GET", f"/api/jobs/{job['id']}/events") as answer:  # a reader who stays
                lines = answer.iter_lines()
                for line in lines:
                    if line.startswith("data: ") and '"read"' in line and json.loads(line[6:])["done"] > 100:
                        break
                process.send_signal(signal.SIGINT)
                began = time.monotonic()
                rest = "\n".join(lines)
        assert process.wait(20) in (0, -signal.SIGINT, 130)
        took = time.monotonic() - began
        said = process.stderr.read()
    with capsys.disabled():
        print(f"\nCtrl-C in the middle of a sync: the process has ended after {took:.1f} s")
    assert took < 10
    assert "Traceback" not in said
    assert '"cancelled"' in rest
    report = json.loads(rest.rsplit("data: ", 1)[-1].strip())
    with Library.open(folder / ".yinju") as library:
        kept = library.status()["documents"]
        assert 100 <= report["added"] == kept < 3_000
        assert library.store.check() == []
        assert library.sync(folder).added == 3_000 - kept


HANGS = """
import sys, time
from yinju import Library
from yinju.testing import FakeEmbedder
from yinju.web.serve import serve

class Hangs(FakeEmbedder):
    def embed_passages(self, texts):
        print("hangs", flush=True)
        time.sleep(60)

with Library.open(sys.argv[1] + "/.yinju", embedder=Hangs()) as library:
    serve(library, port=0, folders=(sys.argv[1],))
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
def test_a_model_that_hangs_does_not_hold_the_process(tmp_path: Path) -> None:
    folder = write(tmp_path / "文档", 20)
    command = [sys.executable, "-c", HANGS, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "hangs\n"
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        process.communicate(timeout=30)
        assert time.monotonic() - began < 10
    with Library.open(folder / ".yinju") as library:
        assert library.store.check() == []
        assert library.sync(folder).unchanged == 20  # read before, and on disk
