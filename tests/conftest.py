"""Every test has its own cache of nothing personal: no settings, library or endpoint of the person who runs the tests is used."""

import os
import shutil
from pathlib import Path

import pytest

from browser import chromium, help_centre, served, visit  # noqa: F401  fixtures of the page
from yinju.cli import run
from yinju.messages import set_language

EXAMPLES = Path(__file__).parent.parent / "examples" / "help-centre"
ENDPOINTS = [name for name in os.environ if name.startswith("YINJU_") and name != "YINJU_CACHE"]


@pytest.fixture(autouse=True)
def nothing_personal(tmp_path_factory, monkeypatch):
    """Keep the user's settings, data and endpoints out of the tests, and speak English unless a test says otherwise."""
    set_language(None)
    for name in ENDPOINTS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("YINJU_LANG", "en")
    monkeypatch.setenv("YINJU_OCR", "off")  # installed or not: a test that reads pictures says so
    monkeypatch.setenv("YINJU_DATA", str(tmp_path_factory.getbasetemp() / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.getbasetemp() / "config"))
    monkeypatch.setattr(os, "nice", lambda by: by, raising=False)  # a `sync` would slow down all later tests


@pytest.fixture
def with_ocr(monkeypatch):
    """Read text in pictures, where the extra is installed."""
    monkeypatch.delenv("YINJU_OCR")


@pytest.fixture
def without_model(monkeypatch):
    """Work by words only."""
    monkeypatch.setenv("YINJU_EMBED_MODEL", "none")


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    """Return a copy of the Chinese help centre."""
    folder = tmp_path_factory.mktemp("help") / "zh"
    shutil.copytree(EXAMPLES / "zh", folder, ignore=shutil.ignore_patterns(".yinju"))
    folder.chmod(0o755)
    return folder


@pytest.fixture
def folder(example, without_model, monkeypatch, capsys):
    """Work in a synced copy of the Chinese help centre, by words only."""
    monkeypatch.chdir(example)
    assert run(["sync", str(example), "--quiet"]) == 0
    capsys.readouterr()
    return example
