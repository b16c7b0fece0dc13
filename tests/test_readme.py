"""The READMEs say what really happens: their first screen is the output of their first command, their Python runs, and they are twins."""

import re
import shutil
from pathlib import Path

import pytest

from yinju import Library
from yinju.cli import run

ROOT = Path(__file__).parent.parent
READMES = ("README.md", "README.zh.md")


def blocks(name: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / name).read_text(encoding="utf-8"), re.DOTALL)


def test_both_show_the_same_session_and_the_same_python():
    for language in ("console", "python"):
        assert blocks(READMES[0], language) == blocks(READMES[1], language)


def test_both_have_the_same_sections():
    english, chinese = ((ROOT / name).read_text(encoding="utf-8") for name in READMES)
    assert english.count("\n## ") == chinese.count("\n## ")


@pytest.mark.model
@pytest.mark.parametrize("name", READMES)
def test_the_first_screen_is_what_a_user_sees(name, tmp_path, monkeypatch, capsys):
    session = blocks(name, "console")[0]
    command, expected = session.split("\n", 1)
    (question,) = re.findall(r'"(.+)"', command)
    target = tmp_path / "examples" / "help-centre" / "zh"
    shutil.copytree(ROOT / "examples" / "help-centre" / "zh", target, ignore=shutil.ignore_patterns(".yinju"))
    monkeypatch.chdir(tmp_path)
    assert run(["ask", "examples/help-centre/zh", question]) == 0
    assert capsys.readouterr().out == expected


@pytest.mark.model
def test_the_python_of_the_readme_runs(tmp_path, monkeypatch, capsys):
    shutil.copytree(
        ROOT / "examples" / "help-centre" / "zh", tmp_path / "help-centre", ignore=shutil.ignore_patterns(".yinju")
    )
    monkeypatch.chdir(tmp_path)
    exec(compile(blocks(READMES[0], "python")[0], "README.md", "exec"), {})
    out = capsys.readouterr().out
    assert "plans.md (" in out
    assert "168 元" in out
    with Library.open("help-centre/.yinju") as library:
        assert library.search("会议", 1, "lexical")[0].source == "memo.md"
