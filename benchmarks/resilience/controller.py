"""Start the processes that are killed, hear what they say, end them."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 60.0  # seconds for anything a child has to do


@dataclass(frozen=True, slots=True)
class Kill:
    """When a process is killed: after `lines` acknowledgements and then `seconds`; None: never."""

    lines: int = 0
    seconds: float | None = None


@dataclass(slots=True)
class Run:
    """What a process said and how it ended (negative: by that signal)."""

    lines: list[dict[str, Any]] = field(default_factory=list)
    code: int = 0
    errors: str = ""
    binding: int | None = None  # lines; those after them were told while the power went

    @property
    def acknowledged(self) -> dict[str, str]:
        """By source the last outcome that was told."""
        return {line["source"]: line["outcome"] for line in self.lines[: self.binding] if "source" in line}

    @property
    def killed(self) -> bool:
        """Whether it was ended in the middle."""
        return self.code == -signal.SIGKILL

    def said(self, key: str) -> Any:
        """Return what the line with this key says, None where there is none."""
        return next((line[key] for line in self.lines if key in line), None)


def environment(**more: str) -> dict[str, str]:
    """Return an environment in which nothing of the person who runs this is used."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("YINJU_") or name == "YINJU_CACHE"}
    path = os.pathsep.join((str(ROOT / "src"), str(ROOT)))
    return kept | {"PYTHONPATH": path, "YINJU_LANG": "en", "YINJU_OCR": "off", "YINJU_EMBED_MODEL": "hashing"} | more


class Nursery:
    """A process that forks one for each order (see child). Close it, or use it in a `with`."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.resilience.child"],
            cwd=ROOT, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self._process.stdout is not None
        self._lines = _listen(self._process.stdout)

    def __enter__(self) -> Nursery:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End it, its child too."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        self._process.wait(PATIENCE)

    def send(self, order: dict[str, Any]) -> int:
        """Start the order and return the process that carries it out."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return int(self._next()["pid"])

    def hear(self, run: Run, until: float | None = None, lines: int | None = None) -> bool:
        """Take lines into the run until it ended (True), a moment of `time.monotonic` came, or so many acknowledgements (False)."""
        while lines is None or len(run.acknowledged) < lines:
            try:
                line = self._next(PATIENCE if until is None else max(0.0, until - time.monotonic()))
            except queue.Empty:
                if until is None:
                    raise TimeoutError("the child hangs") from None
                return False
            if "ended" in line:
                run.code = line["ended"]
                return True
            run.lines.append(line)
        return False

    def carry_out(self, order: dict[str, Any], kill: Kill = Kill()) -> Run:
        """Let the order be carried out, or be begun and killed."""
        run = Run()
        pid = self.send(order)
        if kill.seconds is None:
            self.hear(run)
            return run
        if not self.hear(run, lines=kill.lines) and not self.hear(run, until=time.monotonic() + kill.seconds):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)
            self.hear(run)
        return run

    def _next(self, timeout: float = PATIENCE) -> dict[str, Any]:
        line = self._lines.get(timeout=timeout)
        if line is None:
            raise ChildProcessError("the nursery ended")
        return dict(json.loads(line))


def command(arguments: list[str], kill: Kill = Kill(), **variables: str) -> Run:
    """Run the `yinju` command as a process group and, at its time, kill all of it. JSON lines of stderr are taken as said."""
    process = subprocess.Popen(
        [sys.executable, "-m", "yinju", *arguments], cwd=ROOT, env=environment(**variables),
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    assert process.stderr is not None
    heard, errors, run = _listen(process.stderr), [], Run()
    ends = time.monotonic() + (PATIENCE if kill.seconds is None else kill.seconds)
    waits_for_lines = kill.seconds is not None and kill.lines > 0
    while True:
        try:
            line = heard.get(timeout=PATIENCE if waits_for_lines else max(0.0, ends - time.monotonic()))
        except queue.Empty:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            ends, waits_for_lines = time.monotonic() + PATIENCE, False
            continue
        if line is None:
            break
        if line.startswith('{"source"') and line.endswith("\n"):
            run.lines.append(json.loads(line))
            if waits_for_lines and len(run.lines) >= kill.lines:
                waits_for_lines = False
                ends = time.monotonic() + (kill.seconds or 0.0)
        else:
            errors.append(line)
    run.code, run.errors = process.wait(), "".join(errors)
    return run


def _listen(stream: Any) -> queue.Queue[str | None]:
    heard: queue.Queue[str | None] = queue.Queue()

    def listen() -> None:
        with stream:
            for line in stream:
                heard.put(line)
        heard.put(None)

    threading.Thread(target=listen, daemon=True).start()
    return heard
