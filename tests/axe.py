"""The accessibility checker axe-core, which judges the page in its browser. It is no part of this repository: 650 kB under MPL-2.0 that only
tests need, so one pinned version is fetched from npm once, checked by its hash, and kept in pytest's cache. Without npm or a network the tests
are skipped and say so."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

VERSION = "4.14.1"
DIGEST = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c"
SERIOUS = ("serious", "critical")


def source(cache: Path) -> str:
    """Return axe's source; skips the test where it cannot be had. Raises AssertionError where it is not what was pinned."""
    kept = cache / f"axe-{VERSION}.min.js"
    if not kept.is_file():
        _fetch(cache, kept)
    content = kept.read_bytes()
    assert hashlib.sha256(content).hexdigest() == DIGEST, f"{kept} is not the axe-core {VERSION} that was pinned"
    return content.decode()


def _fetch(cache: Path, kept: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("no npm on this machine: axe-core cannot be fetched")
    command = [npm, "pack", f"axe-core@{VERSION}", "--silent", "--ignore-scripts", "--pack-destination", str(cache)]
    done = subprocess.run(command, cwd=cache, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        pytest.skip(f"axe-core cannot be fetched from npm: {done.stderr.strip()[-200:]}")
    packed = cache / f"axe-core-{VERSION}.tgz"
    with tarfile.open(packed) as archive:
        member = archive.extractfile("package/axe.min.js")
        assert member is not None
        kept.write_bytes(member.read())
    packed.unlink()


def faults(page: Page, least: tuple[str, ...] = SERIOUS) -> list[str]:
    """Return what axe finds on a page that was opened with its source, one line a fault."""
    found: dict[str, Any] = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
    assert found["passes"], "axe looked at nothing"
    return [
        f"{one['impact']} {one['id']}: {node['target']} {node['html'][:120]} {node['failureSummary'][:300]}"
        for one in found["violations"]
        if one["impact"] in least
        for node in one["nodes"]
    ]
