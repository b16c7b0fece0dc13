"""The page's texts: every key that a view says is there once its imports are, in both languages, with the same names to fill."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parent.parent / "src" / "yinju" / "web" / "page"
SOURCES = {path.name: path.read_text("utf-8") for path in PAGE.glob("*.js")}
_PAIR = re.compile(r"^\s*|(\w+): \[\s*'((?:[^'\\]|\\.)*)',\s*'((?:[^'\\]|\\.)*)',?\s*\]", re.M)
_SAID = re.compile(r"\bsay\('(\w+)'")
_NAME = re.compile(r"\{(\w+)\}")


def texts(source: str) -> dict[str, tuple[str, str]]:
    return {key: (english, chinese) for key, english, chinese in _PAIR.findall(source) if key}


def reach(name: str) -> set[str]:
    found, left = set(), [name]
    while left:
        one = left.pop()
        if one not in found:
            found.add(one)
            left += re.findall(r"from '\./([\w.]+)'", SOURCES[one])
    return found


@pytest.mark.parametrize("view", ["app.js", "ask.js", "library.js", "inspect.js", "quality.js"])
def test_what_a_view_says_is_there_in_both_languages(view: str) -> None:
    modules = reach(view) | {"words.js"}
    known = {key: pair for one in modules for key, pair in texts(SOURCES[one]).items()}
    assert {key for one in modules for key in _SAID.findall(SOURCES[one])} <= set(known)
    for english, chinese in known.values():
        assert set(_NAME.findall(english)) == set(_NAME.findall(chinese))
        assert english
        assert chinese


def test_no_key_means_two_things() -> None:
    meant: dict[str, tuple[str, str]] = {}
    for name in sorted(SOURCES):
        for key, pair in texts(SOURCES[name]).items():
            assert meant.setdefault(key, pair) == pair, f"{key} in {name}"


@pytest.mark.parametrize("name", sorted(SOURCES))
def test_nothing_is_parsed_as_markup(name: str) -> None:
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\(|new Function|srcdoc|https?://(?!www\.w3\.org/2000/svg)",
        SOURCES[name],
    )
