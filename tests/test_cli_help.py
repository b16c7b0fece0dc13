"""Help of every command, in both languages, on 80 columns; the document made of it; completion in the shells that are there."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from yinju.cli import chinese, completing, helping, render, run
from yinju.cli.app import root_command
from yinju.messages import set_language

ROOT = Path(__file__).parent.parent


def everything(command: Any = None, path: str = "yinju") -> Iterator[tuple[str, Any]]:
    command = command or root_command()
    yield path, command
    for name, one in helping.subcommands(command):
        yield from everything(one, f"{path} {name}")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_page_fits_and_says_what_each_thing_is(language: str) -> None:
    set_language(language)
    for path, command in everything():
        lines = helping.page(command, path)
        for line in lines:
            assert render.width(line) <= 80, (path, line)
        for option in command.params:
            if option.param_type_name == "option":
                assert helping.option_meaning(option), (path, option.name)
            else:
                assert option.metavar in chinese.ARGUMENTS, (path, option.metavar)
        text = "\n".join(lines)
        assert not any(word in text for word in ("list[", "<path>", "None")), path


def test_the_chinese_is_complete_and_nothing_is_left_over() -> None:
    pages = list(everything())
    options = {one.help for _, command in pages for one in command.params if one.param_type_name == "option"}
    metavars = {one.metavar for _, command in pages for one in command.params if one.param_type_name == "argument"}
    assert set(chinese.OPTIONS) == options
    assert set(chinese.COMMANDS) == {path for path, _ in pages}
    assert set(chinese.ARGUMENTS) == metavars
    assert set(chinese.EXAMPLES) <= set(chinese.COMMANDS)


@pytest.mark.parametrize(("language", "words"), [("en", "Options:"), ("zh_CN.UTF-8", "选项：")])
@pytest.mark.parametrize("arguments", [["--help"], ["ask", "-h"], ["eval"], ["model", "use", "-h"], [], ["mcp", "-h"]])
def test_help_speaks_the_language_of_the_user(
    language: str, words: str, arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("YINJU_LANG", language)
    assert run(arguments) == 0
    assert words in capsys.readouterr().out


def test_the_document_is_what_the_commands_say() -> None:
    spec = importlib.util.spec_from_file_location("make_cli_docs", ROOT / "scripts" / "make_cli_docs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert (ROOT / "docs" / "cli.md").read_text(encoding="utf-8") == module.document()


@pytest.mark.parametrize(
    ("before", "begun", "found"),
    [
        ([], "se", ["search", "serve"]),
        (["eval"], "", ["run", "compare", "add", "make"]),
        (["ask"], "--re", ["--refuse-below", "--rewrite"]),
        (["ask", "--mode"], "l", ["lexical"]),
        (["ask", "--json", "--widen"], "", ["none", "neighbours", "section"]),
        (["completion"], "", ["bash", "zsh", "fish"]),
        (["ask", "--library"], "", []),
        (["ask"], "x", []),
        ([], "comp", ["completion"]),
    ],
)
def test_what_may_stand_there(before: list[str], begun: str, found: list[str]) -> None:
    assert [value for value, _ in completing.candidates(root_command(), before, begun)] == found


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("completed")
    for name in (
        "年费 方案.md",
        "a:b.md",
        "$(touch owned).md",
        "`touch owned`.md",
        "';touch owned;'.md",
        "\\$(touch owned).md",
        "plain.md",
    ):
        (folder / name).write_text("# 年费\n\n每年 168 元。\n", encoding="utf-8")
    (folder / "two\nlines.md").write_text("# x\n\ny\n", encoding="utf-8")
    return folder


@pytest.fixture
def completed(
    evil: Path, monkeypatch: pytest.MonkeyPatch, without_model: None, capsys: pytest.CaptureFixture[str]
) -> Path:
    monkeypatch.chdir(evil)
    assert run(["sync", ".", "--quiet", "--yes"]) in (0, 3)
    capsys.readouterr()
    return evil


@pytest.mark.slow
def test_sources_are_completed_without_a_model_and_without_making_a_library(
    completed: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def of(*words: str) -> list[str]:
        assert run(["complete", str(len(words) - 1), "--", *words]) == 0
        return capsys.readouterr().out.splitlines()

    assert of("yinju", "read", "年") == ["年费 方案.md"]
    assert len(of("yinju", "read", "")) == 7
    assert of("yinju", "why", "q", "--expect", "pl") == ["plain.md"]
    monkeypatch.chdir(tmp_path)
    assert of("yinju", "read", "") == []
    assert of("yinju", "read", "--library", str(completed / ".yinju"), "年") == ["年费 方案.md"]
    assert list(tmp_path.iterdir()) == []


SHELLS = {
    "bash": 'source <(yinju completion bash); COMP_WORDS=(yinju read ""); COMP_CWORD=2; _yinju; printf "%s\\n" "${COMPREPLY[@]}"',
    "fish": 'yinju completion fish | source; complete -C "yinju read " ',
}


@pytest.mark.slow
@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_completes_hostile_names_and_runs_none(shell: str, completed: Path) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"there is no {shell}")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        [program, "-c", SHELLS[shell]], capture_output=True, text=True, timeout=60, env={**os.environ, "PATH": path}, check=False
    )  # fmt: skip
    assert "plain.md" in done.stdout, done.stderr
    assert "年费" in done.stdout
    assert not list(completed.glob("owned*"))
