"""An answer as a person sees it: unproved sentences marked where they stand, links to files, a conversation with its commands."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from yinju import Library
from yinju.cli import answers, chatting, links, render, run
from yinju.cli.answers import marked
from yinju.errors import ModelError
from yinju.settings import Settings
from yinju.testing import ScriptedChatModel
from yinju.testing.chat_server import said, serving
from yinju.types import Answer, Citation, Document, Sentence, Span, Status, Step


def answer(text: str, *sentences: tuple[str, Status]) -> Answer:
    return Answer("q", text, "q", sentences=tuple(Sentence(said, (), status) for said, status in sentences))


@pytest.mark.parametrize(
    ("text", "sentences", "shown"),
    [
        ("It costs 3 [1]. It is red.", [("It costs 3.", "verified"), ("It is red.", "unsupported")], "It costs 3 [1]. It is red. ✗"),
        ("它是红的 [2]。每年 168 元 [1]。", [("它是红的。", "unsupported"), ("每年 168 元。", "verified")], "它是红的 [2]。 ✗每年 168 元 [1]。"),
        ("Red. [1][2] Blue.", [("Red.", "unsupported"), ("Blue.", "unsupported")], "Red. [1][2] ✗ Blue. ✗"),
        ("Red. Red.", [("Red.", "verified"), ("Red.", "unsupported")], "Red. Red. ✗"),
        ("Red\n\n- is [1] what\n  it is", [("Red - is what it is", "unsupported")], "Red\n\n- is [1] what\n  it is ✗"),
        ("Red.", [("Blue.", "unsupported"), ("", "unsupported")], "Red."),
        ("\x1b[31mRed.", [("\x1b[31mRed.", "unsupported")], "\\u001b[31mRed. ✗"),
    ],
)  # fmt: skip
def test_a_sentence_without_proof_is_marked_where_it_stands(
    text: str, sentences: list[tuple[str, Status]], shown: str
) -> None:
    assert marked(answer(text, *sentences)) == shown


def test_steps_and_failures_are_told() -> None:
    found = Answer("q", "a", "q", failure="llm-busy", steps=(Step("grep", "pattern: 年费", "2 lines", (3, 4)),))
    assert list(answers.steps(found)) == ["Looked further:", "  1. grep  pattern: 年费 → 2 lines [3][4]"]
    assert list(answers._notices(found)) == ["The model failed: llm-busy"]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environment", "found"),
    [
        ({}, "file:///d/%E5%B9%B4%20%1B.md"),
        ({"TERM": "xterm-kitty"}, "file:///d/%E5%B9%B4%20%1B.md#9"),
        ({"TERM_PROGRAM": "vscode"}, "vscode://file/d/%E5%B9%B4%20%1B.md:9:1"),
    ],
)
def test_an_address_is_encoded_and_names_the_line_as_the_terminal_reads_it(
    environment: dict[str, str], found: str
) -> None:
    assert links.address(Path("/d/年 \x1b.md"), 9, environment) == found


def test_links_and_colours_only_on_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "plans.md").write_text("# 年费\n\n每年 168 元。\n", encoding="utf-8")
    with Library.open(settings=Settings(embed_model="none")) as library:
        library.sync(tmp_path, embed=False)
        assert links.Links(library).on("plans.md:3", "plans.md", (3, 3)) == "plans.md:3"
        monkeypatch.setattr("sys.stdout", Terminal())
        monkeypatch.setenv("TERM", "xterm-256color")
        linked = links.Links(library)
        uri = (tmp_path / "plans.md").as_uri()
        assert linked.on("plans.md:3", "plans.md", (3, 3)) == f"\x1b]8;;{uri}\x1b\\plans.md:3\x1b]8;;\x1b\\"
        assert linked.on("gone.md", "gone.md", None) == "gone.md"
        citation = Citation(1, "c", "plans.md", "d", (), (3, 3), None, Span(0, 1), "每", "verified")
        assert render.citations([citation], linked).startswith("[1] \x1b]8;;file:")
        assert "\x1b[32m" in render.citations([citation])
        monkeypatch.setenv("NO_COLOR", "1")
        assert "\x1b" not in render.citations([citation])
        monkeypatch.delenv("NO_COLOR")
        monkeypatch.setenv("TERM", "dumb")
        assert "\x1b" not in render.citations([citation], links.Links(library))


TWINS = [
    ("# 订阅方案\n\n年费方案每年 168 元。\n\n家庭方案每年 268 元。\n", "年费方案每年多少元？", "那家庭方案呢？"),
    (
        "# Plans\n\nThe annual plan costs 168 yuan.\n\nThe family plan costs 268 yuan.\n",
        "What does the annual plan cost?",
        "And the family plan?",
    ),
]


@pytest.fixture(params=TWINS, ids=["zh", "en"])
def talk(request: pytest.FixtureRequest) -> Iterator[tuple[chatting.Talk, Library, str, str]]:
    text, first, second = request.param
    settings = {"refuse_below": 0.0, "mode": "hybrid", "where": {}}
    with Library.open(settings=Settings(embed_model="none")) as library:
        library.add([Document.from_text(text, source="plans.md")], embed=False)
        yield chatting.Talk(library, [], settings, as_json=False, quiet=False), library, first, second


def test_a_conversation_with_its_commands(
    talk: tuple[chatting.Talk, Library, str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    heard, _library, first, second = talk
    heard.hear("/sources")
    assert capsys.readouterr().err
    heard.hear(first)
    assert "168" in capsys.readouterr().out
    heard.hear(second)
    told = capsys.readouterr()
    assert "268" in told.out
    assert "Searched for" in told.err or "检索" in told.err
    heard.hear("/sources")
    assert "[1] plans.md:" in capsys.readouterr().out
    heard.hear("/why")
    assert "plans.md" in capsys.readouterr().out
    heard.hear("/why plans.md:5")
    assert "✓" in capsys.readouterr().out
    heard.hear("/why plans.md:9-3")
    assert capsys.readouterr().err
    heard.hear("/help")
    out = capsys.readouterr().out
    assert all(name in out for name in chatting.COMMANDS)
    assert all(render.width(line) <= 80 for line in out.split("\n"))
    heard.hear("/new")
    capsys.readouterr()
    heard.hear(first)
    assert "Searched" not in capsys.readouterr().err


def test_what_stops_an_answer_does_not_end_the_conversation(
    talk: tuple[chatting.Talk, Library, str, str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    heard, library, first, _second = talk
    library.chat_model = ScriptedChatModel(KeyboardInterrupt(), ModelError("It fails.", code="llm-busy"))
    with pytest.raises(KeyboardInterrupt):
        heard.hear(first)
    monkeypatch.setattr("sys.stdin", Terminal())
    library.chat_model = ScriptedChatModel(KeyboardInterrupt(), ModelError("It fails.", code="llm-busy"))
    heard.hear(first)
    assert capsys.readouterr().err
    heard.hear(first)
    told = capsys.readouterr()
    assert "168" in told.out
    assert "It fails" in told.err


@pytest.mark.parametrize(("how", "shown"), [("mark", True), ("remove", False)])
def test_sentences_without_proof_are_marked_or_removed(
    talk: tuple[chatting.Talk, Library, str, str], capsys: pytest.CaptureFixture[str], how: str, shown: bool
) -> None:
    _heard, library, first, _second = talk
    chinese = "年" in first
    library.chat_model = ScriptedChatModel(
        "年费方案每年 168 元 [1]。食堂九点开门 [1]。"
        if chinese
        else "The annual plan costs 168 yuan [1]. The canteen opens at nine [1]."
    )
    answers.answer_and_print(library, first, [], as_json=False, quiet=True, refuse_below=0.0, unsupported=how)
    out = capsys.readouterr().out
    assert ("食堂" in out or "canteen" in out) is shown
    assert ("✗" in out) is shown


@pytest.mark.slow
def test_how_is_mark_or_remove(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ask", "年费多少？", "--unsupported", "hide"]) == 2
    assert "mark" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "question", "claim"),
    [
        (TWINS[0][0], TWINS[0][1], "年费方案每年要付 168 元 [1]。"),
        (TWINS[1][0], TWINS[1][1], "A year of the annual plan costs 168 yuan [1]."),
    ],
    ids=["zh", "en"],
)
def test_a_model_may_take_back_what_it_said_in_words_of_its_own(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    question: str,
    claim: str,
) -> None:
    (tmp_path / "plans.md").write_text(text, encoding="utf-8")
    path = str(tmp_path)
    assert run(["sync", path, "-q", "--no-embed"]) == 0
    verdict = '{"1": {"reason": "-", "verdict": "not stated"}}'
    monkeypatch.setenv("YINJU_CHAT_MODEL", "small")
    with serving(said(claim), said(claim), said(verdict), said(claim), said(verdict)) as server:
        monkeypatch.setenv("YINJU_CHAT_URL", server.url)
        flags = ["--refuse-below", "0", "--mode", "lexical", "--model", "none"]
        for check, mark in (["--no-check"], False), (["--check"], True):
            capsys.readouterr()
            assert run(["ask", path, question, *flags, *check]) == 0
            told = capsys.readouterr()
            assert ("✗" in told.out) is mark
            assert ("1 sentence(s)" in told.err or "1 句话" in told.err) is mark
        monkeypatch.setattr("sys.stdin", io.StringIO(f"{question}\n\n"))
        assert run(["chat", path, *flags, "--check"]) == 0
        assert "✗" in capsys.readouterr().out
        assert [bool(request.get("response_format")) for request in server.requests] == [
            False,
            False,
            True,
            False,
            True,
        ]
