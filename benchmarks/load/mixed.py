"""The phases of mixed load, one after another on one server."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.load import attacks, clients
from benchmarks.load.clients import Address, Client, Editing, Tally, looping
from benchmarks.load.corpus import Words
from benchmarks.load.report import Report
from benchmarks.load.served import Server
from yinju.testing.chat_server import serving

SLOW, SILENT = 50, 200  # connections
WARMING, WARMING_S = 16, 3.0  # clients, seconds
SETTLES_S = (
    20.0  # at most, after the load, for what ends by itself (a model that is silent, a connection that is closed)
)


@dataclass(frozen=True, slots=True)
class Plan:
    """How long and how much."""

    seconds: float
    searching: int = 8
    asking: int = 4
    crowd: int = 128
    crowd_s: float = 20.0
    faults: float = 0.1
    files: int = 200
    model: str = "hashing"
    lingering_s: float = 75.0  # how long silent connections are watched; a server closes them after a minute


def mixed(plan: Plan, home: Path) -> Report:
    """Run all phases and return what was found."""
    report = Report(seconds=plan.seconds)
    folder = home / "docs"
    folder.mkdir()
    editing = Editing(folder, 5)
    editing.write(plan.files)
    with serving(attacks.model(plan.faults, 3)) as chat:
        environment = {
            "YINJU_EMBED_MODEL": plan.model, "YINJU_CHAT_URL": chat.url, "YINJU_CHAT_MODEL": "small", "YINJU_OCR": "off",
        }  # fmt: skip
        server = Server(home / "library", folder, "settings", environment, home / "server.log")
        try:
            _first_sync(server.address)
            _warm_up(server)
            _mixed(server, plan, report, editing, chat.requests)
            if plan.crowd:
                _overload(server, plan, report)
            _slow(server, plan, report)
            _at_rest(server, report)
        finally:
            report.exit_status = server.stop()
    for line in (home / "server.log").read_text("utf-8", "replace").splitlines()[-20:]:
        print(f"server: {line}")
    return report


def _first_sync(address: Address) -> None:
    client = Client(address, 0)
    while client.ask("GET", "/api/jobs")[1].count(b'"running"') + client.ask("GET", "/api/jobs")[1].count(b'"waiting"'):
        time.sleep(0.1)
    client.close()


def _warm_up(server: Server) -> None:
    """Let pools of threads and of connections grow to the size that they keep: what is more in the end is a leak."""
    loops = [_loop(server.address, 800 + n, Tally(), "search", clients.search(Words(800 + n))) for n in range(WARMING)]
    with _running(loops):
        time.sleep(WARMING_S)


@contextmanager
def _running(loops: list[Callable[[threading.Event], None]]) -> Iterator[threading.Event]:
    stop = threading.Event()
    threads = [threading.Thread(target=loop, args=(stop,)) for loop in loops]
    for thread in threads:
        thread.start()
    try:
        yield stop
    finally:
        stop.set()
        for thread in threads:
            thread.join(clients.TIMEOUT_S + 10)


def _loop(
    address: Address, number: int, tally: Tally, route: str, call: Any, pause_s: float = 0.0
) -> Callable[[threading.Event], None]:
    return lambda stop: looping(Client(address, number), tally, stop, route, call, pause_s)


def _mixed(server: Server, plan: Plan, report: Report, editing: Editing, requests: list[dict[str, Any]]) -> None:
    address, tally = server.address, report.load
    loops = [
        _loop(address, number, tally, "search", clients.search(Words(100 + number))) for number in range(plan.searching)
    ]
    for number in range(plan.asking):
        stream = number % 2 == 0
        call = clients.ask(Words(200 + number), stream=stream)
        loops.append(_loop(address, 50 + number, tally, "ask stream" if stream else "ask", call))
    loops.append(_loop(address, 70, tally, "health", clients.health, 0.2))

    def syncing(stop: threading.Event) -> None:
        looping(Client(address, 71), tally, stop, "sync", lambda client: editing.round(client, stop), 0.5)

    loops.append(syncing)
    end = time.monotonic() + plan.seconds
    with _running(loops):
        time.sleep(min(10.0, plan.seconds / 4))
        report.warm = server.sample()
        while time.monotonic() < end:
            report.growth.append(server.sample())
            requests.clear()  # the fake remembers what it was asked
            time.sleep(min(5.0, max(0.1, end - time.monotonic())))
    report.rounds, report.failed_syncs = editing.rounds, editing.failed
    report.warm = _settled(server)


def _settled(server: Server) -> Any:
    """Return a sample once nothing ends any more: what the load needed and keeps (pools of threads) is there, and nothing of a request."""
    time.sleep(SETTLES_S / 4)
    return server.sample()


def _overload(server: Server, plan: Plan, report: Report) -> None:
    report.crowd_seconds = plan.crowd_s
    address = server.address
    loops = [
        _loop(address, 300 + number, report.crowd, "search", clients.search(Words(300 + number)))
        for number in range(plan.crowd)
    ]
    with _running(loops):
        time.sleep(plan.crowd_s)
    began = time.monotonic()
    probe = Client(address, 90)
    calm = (
        sorted(report.load.seconds["search"])[len(report.load.seconds["search"]) // 2]
        if report.load.seconds["search"]
        else 0.1
    )
    while time.monotonic() - began < 30:
        asked = time.monotonic()
        status, *_ = probe.ask("POST", "/api/search", {"query": "fee"})
        if status == 200 and time.monotonic() - asked <= calm * 2:
            break
        time.sleep(0.1)
    report.recovery_s = time.monotonic() - began
    probe.close()


def _slow(server: Server, plan: Plan, report: Report) -> None:
    address = server.address
    slow, silent = attacks.slow_loris(address, SLOW), attacks.idle(address, SILENT)
    loops = [
        _loop(address, 600 + n, report.beside_slow, "search", clients.search(Words(600 + n)), 0.1) for n in range(4)
    ]
    try:
        with _running(loops):
            report.idle_closed_s = silent.wait_closed(plan.lingering_s, lambda: slow.drip(b"a"))
            report.slow_closed_s = slow.wait_closed(0.5)
    finally:
        slow.close()
        silent.close()


def _at_rest(server: Server, report: Report) -> None:
    end = time.monotonic() + SETTLES_S
    while time.monotonic() < end:
        report.rest = server.sample()
        if max(report.left) <= 0:
            break
        time.sleep(1.0)
    before = server.sample()
    time.sleep(5.0)
    after = server.sample()
    report.rest = after
    report.idle_share = (after.processor_s - before.processor_s) / (after.at - before.at)
