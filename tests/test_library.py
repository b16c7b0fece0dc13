"""The facade as a program uses it, without network and without a model."""

import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import yinju
from yinju import Answer, Citation, Document, Library, asking
from yinju.errors import SourceMissing, StoreBusy
from yinju.testing import FakeEmbedder, ScriptedChatModel

EXAMPLES = Path(__file__).parent.parent / "examples" / "help-centre"


@pytest.fixture
def folder(tmp_path):
    target = tmp_path / "help"
    shutil.copytree(EXAMPLES / "zh", target, ignore=shutil.ignore_patterns(".yinju"))
    return target


@pytest.fixture
def no_network(monkeypatch):
    def refuse(*_arguments, **_options):
        raise AssertionError("something opened a socket")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def test_sync_search_ask_and_context_need_no_network(folder, no_network):
    with Library.open(folder / ".yinju", embedder=FakeEmbedder()) as library:
        report = library.sync(folder)
        assert report.added == len(list(folder.glob("*.md")))
        assert report.embedded == report.chunks
        assert library.search("在校生")[0].source == "plans.md"
        assert "168 元" in library.ask("年费方案每年多少元？", mode="lexical").text
        assert "168 元" in library.context("年费方案每年多少元？").text


@pytest.mark.model
def test_the_local_model_needs_no_network_either(folder, no_network):
    with Library.open(folder / ".yinju") as library:
        report = library.sync(folder)
        assert report.embedded == report.chunks > 0
        assert library.search("在校生能便宜吗")[0].source == "plans.md"
        assert "168 元" in library.ask("一年要付多少？").text
        assert "168 元" in library.context("一年要付多少？").text


def test_every_citation_quotes_its_document(folder):
    with Library.open(folder / ".yinju", embedder=FakeEmbedder()) as library:
        library.sync(folder)
        for question in ("年费方案每年多少元？", "忘记密码怎么办？", "设备保修多久？", "E-4031 是什么？"):
            for citation in library.ask(question, refuse_below=0).citations:
                assert citation.span.of(library.document(citation.source).text) == citation.quote


def test_documents_without_files_are_found_and_replaced_and_a_sync_leaves_them(folder):
    with Library.open(folder / ".yinju", embedder=FakeEmbedder()) as library:
        library.add([Document.from_text("会议定在周五。", source="memo.md", metadata={"room": "三楼"})])
        library.sync(folder)
        assert library.search("会议", mode="lexical", where={"room": "三*"})[0].text == "会议定在周五。"
        library.add([Document.from_text("会议改到周一。", source="memo.md")])
        assert [hit.text for hit in library.search("会议", 1, "lexical")] == ["会议改到周一。"]
        library.remove("memo.md")
        with pytest.raises(SourceMissing):
            library.document("memo.md")


def test_a_stream_ends_with_the_answer_and_its_text_is_what_was_streamed(folder):
    with Library.open(folder / ".yinju", embedder=FakeEmbedder()) as library:
        library.sync(folder)
        parts = list(library.ask_stream("年费方案每年多少元？", refuse_below=0))
        assert isinstance(parts[-1], Answer)
        assert "".join(part for part in parts if isinstance(part, str)) == parts[-1].text
        assert [part for part in parts if isinstance(part, Citation)] == list(parts[-1].citations)


def test_markers_that_a_model_swapped_come_out_right(tmp_path):
    """The model cites [1] for what passage 2 says and the reverse."""
    pages = [("a.md", "年费方案每年 168 元。"), ("b.md", "在校生按七折结算。")]
    with Library.open(embedder=FakeEmbedder()) as library:
        library.add([Document.from_text(text, source=source) for source, text in pages])
        context = library.context("年费 在校生", mode="lexical")
        number = {passage.hit.source: passage.marker for passage in context.passages}
        swapped = f"年费方案每年 168 元 [{number['b.md']}]。在校生按七折结算 [{number['a.md']}]。"
        library.chat_model = ScriptedChatModel([swapped])
        answer = library.ask("年费 在校生", mode="lexical", refuse_below=0)
    assert {(citation.source, citation.status) for citation in answer.citations} == {
        ("a.md", "moved"),
        ("b.md", "moved"),
    }
    assert re.sub(r"\s", "", answer.text).startswith(f"年费方案每年168元[{number['a.md']}]")


def test_a_refusal_does_not_call_the_model(folder):
    model = ScriptedChatModel([])
    with Library.open(folder / ".yinju", embedder=FakeEmbedder(), chat_model=model) as library:
        library.sync(folder)
        answer = library.ask("火星基地的食堂几点开门？", refuse_below=0.99)
    assert answer.refused
    assert model.calls == []


def test_two_writers_one_is_told_who_the_other_is(folder):
    with (
        Library.open(folder / ".yinju", embedder=FakeEmbedder()) as one,
        Library.open(folder / ".yinju", embedder=FakeEmbedder()) as two,
    ):
        one.sync(folder, embed=False)
        (folder / "new.md").write_text("新的一页", encoding="utf-8")
        with one.store.writer(), pytest.raises(StoreBusy) as caught:
            two.sync(folder)
        assert str(os.getpid()) in caught.value.message
        assert two.search("在校生", mode="lexical")


def test_public_names():
    assert yinju.__all__ == [
        "Answer", "Chunk", "Citation", "Context", "Document", "Hit", "Library", "Mark", "Principal", "Query", "Span", "SyncReport",
        "YinjuError",
    ]  # fmt: skip
    for name in yinju.__all__:
        assert getattr(yinju, name).__name__ == name
    with pytest.raises(AttributeError):
        yinju.Nothing  # noqa: B018


def test_importing_yinju_imports_nothing_heavy():
    code = "import sys, yinju; print(sorted({m.split('.')[0] for m in sys.modules} & {'numpy','apsw','onnxruntime','typer','rich','openai'}))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.slow
def test_a_script_without_a_main_guard_can_sync(tmp_path, folder):
    """Workers are not made by importing the user's script again."""
    script = tmp_path / "script.py"
    script.write_text(
        "import os\nfrom yinju import Library\n"
        f"with Library.open({str(folder / '.yinju')!r}) as library:\n    print(library.sync({str(folder)!r}, embed=False).added)\n",
        encoding="utf-8",
    )
    environment = {**os.environ, "YINJU_EMBED_MODEL": "none"}
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout == f"{len(list(folder.glob('*.md')))}\n"


def test_a_second_round_can_be_asked_for_or_left_out(monkeypatch):
    asked, search = [], asking.retrieve.search

    def watched(store, query, *rest, **more):
        asked.append(query.hops)
        return search(store, query, *rest, **more)

    monkeypatch.setattr(asking.retrieve, "search", watched)
    with Library.open(embedder=FakeEmbedder()) as library:
        library.add([Document.from_text("年费 168 元。", source="memo.md")])
        for hops in (True, False, None):
            assert library.search("年费", hops=hops) == list(library.find("年费", hops=hops).hits)
    assert asked == [True, True, False, False, None, None]
