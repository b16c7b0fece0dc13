"""The server as a process of its own, and what the system says about it: memory, descriptors, threads, processor time (Linux)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from benchmarks.load.corpus import FoldedHashing

FOLDED = "folded"  # the embedder of `corpus`; everything else is as the settings say
STARTED_S = 120


@dataclass(frozen=True, slots=True)
class Sample:
    """One look at a process: seconds of the clock, bytes, counts, seconds of processor time. -1 where the system does not tell."""

    at: float
    resident: int
    descriptors: int
    threads: int
    processor_s: float


class Server:
    """Started at once; `address` is (host, port) once it serves, `started_s` how long that took."""

    def __init__(
        self, library: Path, folder: Path | None, embedder: str, environment: Mapping[str, str], log: Path
    ) -> None:
        began = time.monotonic()
        command = [
            sys.executable,
            "-m",
            "benchmarks.load.served",
            str(library),
            embedder,
            *([str(folder)] if folder else []),
        ]
        self._log = log.open("wb")
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=self._log, env={**os.environ, **environment, "PYTHONUTF8": "1"}
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline().decode()
        if not line.startswith("http"):
            raise RuntimeError(f"the server did not start; see {log}")
        self.address = ("127.0.0.1", int(line.strip().rsplit(":", 1)[1]))
        self.started_s = time.monotonic() - began

    def sample(self) -> Sample:
        """Look at the process."""
        place = Path("/proc") / str(self.process.pid)
        if not place.is_dir():
            return Sample(time.monotonic(), -1, -1, -1, -1.0)
        status = dict(line.split(":\t", 1) for line in (place / "status").read_text().splitlines() if ":\t" in line)
        times = (place / "stat").read_text().rsplit(") ", 1)[1].split()
        ticks = os.sysconf("SC_CLK_TCK")
        return Sample(
            time.monotonic(), int(status["VmRSS"].split()[0]) * 1024, len(os.listdir(place / "fd")), int(status["Threads"]),
            (int(times[11]) + int(times[12])) / ticks,
        )  # fmt: skip

    def stop(self) -> int:
        """Stop it as Ctrl-C does; return its exit status."""
        self.process.send_signal(signal.SIGINT)
        try:
            return self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()
        finally:
            self._log.close()


def main() -> None:
    """Serve: `python -m benchmarks.load.served LIBRARY EMBEDDER [FOLDER]`; the address is printed."""
    from yinju import Library
    from yinju.web.serve import serve

    library, embedder, *folders = sys.argv[1:]
    chosen = FoldedHashing() if embedder == FOLDED else None
    with suppress(KeyboardInterrupt), Library.open(library, embedder=chosen) as opened:
        serve(opened, port=0, folders=folders, ready=lambda address: print(address, flush=True))


if __name__ == "__main__":
    main()
