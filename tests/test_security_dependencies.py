"""The libraries that an installation brings, by name or through another one: none binds those who ship Yinju."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

HOUSE = Path(__file__).parent.parent
# Licences whose terms reach those who ship a program that uses the library, or who may use it; LGPL and MPL end at the file or the library.
BINDING = re.compile(
    r"(?<!L)(?<!lesser )\bA?GPL|affero|(?<!lesser )general public licen|sspl|server side public"
    r"|non-?commercial|cc.by.nc|busl|business source|elastic.licen"
    r"|commons clause|polyform|research only", re.IGNORECASE
)  # fmt: skip
FINE = re.compile(
    r"apache|\bmit\b|bsd|isc|psf|python software foundation|mozilla|mpl"
    r"|lgpl|zlib|unlicense|public domain|cc0|osi approved|any.osi|hpnd|0bsd", re.IGNORECASE
)  # fmt: skip


def required(name: str, seen: dict[str, metadata.Distribution], extra: str = "") -> None:
    """Note what this distribution requires on this system, and what that does."""
    marker = pytest.importorskip("packaging.requirements")
    try:
        found = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return  # of another system
    for line in found.requires or []:
        wanted = marker.Requirement(line)
        if wanted.marker is not None and not wanted.marker.evaluate({"extra": extra}):
            continue
        key = re.sub(r"[-_.]+", "-", wanted.name).lower()
        if key not in seen:
            try:
                seen[key] = metadata.distribution(wanted.name)
            except metadata.PackageNotFoundError:
                continue
            for more in (*wanted.extras, ""):
                required(wanted.name, seen, more)


@pytest.fixture(scope="module")
def tree() -> dict[str, metadata.Distribution]:
    found: dict[str, metadata.Distribution] = {}
    required("yinju", found)
    for extra in ("ocr", "models", "langchain", "llamaindex"):
        required("yinju", found, extra)
    return found


def licences(found: metadata.Distribution) -> Iterator[str]:
    about = found.metadata
    yield about.get("License-Expression") or ""
    yield (about.get("License") or "")[:200]
    yield from (line for line in about.get_all("Classifier") or [] if line.startswith("License ::"))


def test_no_library_that_comes_along_binds_those_who_ship_it(tree: dict[str, metadata.Distribution]) -> None:
    assert {"apsw", "lxml", "openai", "starlette", "pydantic"} <= set(tree)
    binding, unknown = {}, {}
    for name, found in tree.items():
        said = [one for one in licences(found) if one]
        if any(BINDING.search(one) for one in said) and not any(" OR " in one and FINE.search(one) for one in said):
            binding[name] = said
        if not any(FINE.search(one) for one in said):
            unknown[name] = said
    assert binding == {}
    assert set(unknown) <= set(STATED), unknown


# Their metadata say nothing; their files and docs/dependencies.md do.
STATED: dict[str, str] = {}


@pytest.mark.parametrize(
    ("text", "binds"),
    [
        ("GPL-3.0-only", True), ("GNU Affero General Public License v3", True), ("AGPL-3.0", True), ("CC-BY-NC-4.0", True), ("SSPL-1.0", True),
        ("BUSL-1.1", True), ("PolyForm Noncommercial", True), ("MIT", False), ("LGPL-2.1-or-later", False), ("Apache-2.0", False), ("MPL-2.0", False),
        ("GNU Lesser General Public License v2 (LGPLv2)", False),
    ],
)  # fmt: skip
def test_a_binding_licence_is_known_by_its_name(text: str, binds: bool) -> None:
    assert bool(BINDING.search(text)) is binds


def test_what_reads_hostile_bytes_has_a_lower_bound() -> None:
    """An old version would come with faults that are known."""
    import tomllib

    asked = tomllib.loads((HOUSE / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    assert all(re.search(r"[>=~]=", line) for line in asked), asked
    assert sys.version_info >= (3, 11)
