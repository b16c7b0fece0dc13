"""Print what an installation takes: a fresh one of the base package in a temporary environment, and the built local model."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def megabytes(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink()) / 1e6


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        venv.create(home / "venv", with_pip=True)
        python = home / "venv" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
        before = megabytes(home / "venv")
        print("installing the base package into an empty environment ...", file=sys.stderr)
        subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", str(ROOT)], check=True)
        installed = megabytes(home / "venv") - before
        build = "from pathlib import Path; from yinju.embed import open_e5; open_e5(Path({!r})).embed_queries(['a'])"
        subprocess.run([python, "-c", build.format(str(home / "cache"))], check=True)
        model = megabytes(home / "cache")
    print(
        f"base installation {installed:.0f} MB; built local model {model:.0f} MB; together {installed + model:.0f} MB (goal: under 700)"
    )
    return 0 if installed + model < 700 else 1


if __name__ == "__main__":
    raise SystemExit(main())
