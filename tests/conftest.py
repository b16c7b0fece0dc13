"""Every test has its own cache of nothing personal: no settings, library or endpoint of the person who runs the tests is used."""

import os

import pytest

from yinju.messages import set_language

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


@pytest.fixture
def with_ocr(monkeypatch):
    """Read text in pictures, where the extra is installed."""
    monkeypatch.delenv("YINJU_OCR")


@pytest.fixture
def without_model(monkeypatch):
    """Work by words only."""
    monkeypatch.setenv("YINJU_EMBED_MODEL", "none")
