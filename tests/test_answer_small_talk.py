"""Small talk is no question to the documents: at every door a sentence of ours answers it, in its language, without a citation."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from web_client import served
from yinju import Library, tools
from yinju.answer.rewrite import asked_before
from yinju.answer.small_talk import MODEL, small_talk
from yinju.cli import run
from yinju.protocols import Message
from yinju.testing import FakeEmbedder, ScriptedChatModel
from yinju.types import Answer, Document

ABLE, WELCOME, ALL_RIGHT = "I am Yinju", "You are welcome", "All right"
ABLE_ZH, WELCOME_ZH, ALL_RIGHT_ZH = "我是引据", "不客气", "好的。"


@pytest.mark.parametrize(
    ("message", "begins"),
    [
        ("Hello!", f"Hello! {ABLE}"), ("HI", f"Hello! {ABLE}"), ("What can you do?", ABLE), ("hi, what can you do?", ABLE),
        ("thanks", WELCOME), ("Thank you very much!", WELCOME), ("ok, thanks.", WELCOME), ("OK", ALL_RIGHT), ("Got it.", ALL_RIGHT),
        ("你好！", f"您好！{ABLE_ZH}"), ("你能做什么？", ABLE_ZH), ("您好，你是谁？", ABLE_ZH), ("谢谢啦", WELCOME_ZH), ("好的，谢谢！", WELCOME_ZH),
        ("多 谢 ～", WELCOME_ZH), ("好的", ALL_RIGHT_ZH), ("明白了。", ALL_RIGHT_ZH),
    ],
)  # fmt: skip
def test_the_whole_message_is_small_talk(message: str, begins: str) -> None:
    said = small_talk(message)
    assert said is not None
    assert said.text.startswith(begins)
    assert said == Answer(message, said.text, message, model=MODEL)  # no refusal, complete, nothing cited


@pytest.mark.parametrize(
    "message",
    [
        "", "?", "thanks, and the battery?", "Hello World", "hello: what is it?", "ok button", "What can you do about it?", "why?", "OK-1",
        "好的，运费谁出？", "谢谢哪里", "你好是什么意思？", "好吗？", "为什么？", "你能做什么检查？", "好的话呢？",
    ],
)  # fmt: skip
def test_a_question_is_none(message: str) -> None:
    assert small_talk(message) is None


def test_ok_is_said_in_the_language_of_the_conversation() -> None:
    for question, begins in (("怎么退货？", ALL_RIGHT_ZH), ("How do I return it?", ALL_RIGHT)):
        said = small_talk("ok", [Message("user", question), Message("assistant", "[1]")])
        assert said is not None
        assert said.text.startswith(begins)


def test_a_follow_up_leans_on_the_question_before_the_thanks() -> None:
    for question, thanks in (("怎么退货？", "你能做什么？"), ("How do I return it?", "what can you do?")):
        assert asked_before([Message("user", question), Message("assistant", "."), Message("user", thanks)]) == [
            question
        ]


@pytest.fixture
def library() -> Iterator[Library]:
    with Library.open(embedder=FakeEmbedder(), chat_model=ScriptedChatModel("nobody asked me")) as opened:
        opened.add([Document.from_text("Hello Bob, thanks for the 168 yuan. 你好，谢谢。", source="mail.md")])
        yield opened


@pytest.mark.slow
@pytest.mark.parametrize(("message", "begins"), [("thanks", WELCOME), ("谢谢", WELCOME_ZH)])
def test_every_door(library: Library, message: str, begins: str) -> None:
    history = [{"role": "user", "content": "168?"}]
    assert library.ask(message, history, agent=True).text.startswith(begins)
    assert tools.call(library, "ask", {"question": message}).startswith(begins)
    with served(library) as client:
        answer = client.post("/api/ask", json={"question": message}).json()
        messages = [*history, {"role": "user", "content": message}]
        completion = client.post("/v1/chat/completions", json={"model": "yinju", "messages": messages}).json()
    assert (answer["text"].startswith(begins), answer["refused"], answer["citations"]) == (True, False, [])
    assert completion["choices"][0]["message"]["content"] == answer["text"]
    assert (completion["choices"][0]["finish_reason"], completion["citations"]) == ("stop", [])
    assert isinstance(library.chat_model, ScriptedChatModel)
    assert not library.chat_model.calls


@pytest.mark.slow
@pytest.mark.parametrize(("message", "begins"), [("Hello!", "Hello!"), ("你好！", "您好！")])
def test_the_command_line(folder, capsys, monkeypatch, message: str, begins: str) -> None:
    assert run(["ask", message, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["text"].startswith(begins), told["context"]["passages"]) == (True, [])
    typed = iter([message])

    def next_line(_prompt: str) -> str:
        line = next(typed, None)
        if line is None:
            raise EOFError
        return line

    monkeypatch.setattr("builtins.input", next_line)
    assert run(["chat", "-q"]) == 0
    assert capsys.readouterr().out.startswith(begins)
