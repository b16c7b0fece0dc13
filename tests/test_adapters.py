"""A library inside the frameworks that people use already, with their real packages: documents, nodes, tools, filters, and the async way."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator

import pytest

from yinju import Library
from yinju.testing import FakeEmbedder
from yinju.types import Document

pytestmark = pytest.mark.slow  # their packages take seconds to import
PLANS = "---\nowner: 财务\n---\n# 订阅方案\n\n## 年费\n\n年费方案每年 168 元。\n"
WARRANTY = "# Warranty\n\nThe battery is under warranty for six months.\n"
QUESTIONS = [("年费方案每年多少元", "zh/plans.md", "168"), ("battery under warranty", "en/warranty.md", "six months")]


@pytest.fixture(scope="module")
def library() -> Iterator[Library]:
    with Library.open(embedder=FakeEmbedder()) as opened:
        opened.add(
            [Document.from_text(PLANS, source="zh/plans.md"), Document.from_text(WARRANTY, source="en/warranty.md")]
        )
        yield opened


def _check(metadata: dict, library: Library, source: str) -> None:
    hit = library.search("年费方案每年多少元" if source.startswith("zh") else "battery under warranty", 1)[0]
    assert metadata["source"] == source
    assert metadata["id"] == hit.id
    assert metadata["lines"] == list(hit.lines or ())
    assert metadata["headings"] == list(hit.headings)
    assert metadata["score"] == pytest.approx(hit.score)
    assert 0 <= metadata["evidence"] <= 1
    start, end = metadata["span"]
    assert library.document(source).text[start:end] == hit.text


@pytest.mark.parametrize(("question", "source", "words"), QUESTIONS)
def test_langchain_retriever(library: Library, question: str, source: str, words: str) -> None:
    from yinju.adapters.langchain import YinjuRetriever

    retriever = YinjuRetriever(library=library, limit=1)
    found = retriever.invoke(question)
    assert words in found[0].page_content
    _check(found[0].metadata, library, source)
    later = asyncio.run(retriever.ainvoke(question))
    assert [one.id for one in later] == [one.id for one in found]
    assert [one[0].id for one in retriever.batch([question, question])] == [found[0].id] * 2


def test_langchain_filters_narrow(library: Library) -> None:
    from yinju.adapters.langchain import YinjuRetriever

    chinese = YinjuRetriever(library=library, where={"source": "zh/*"})
    assert {one.metadata["source"] for one in chinese.invoke("battery under warranty")} <= {"zh/plans.md"}
    assert chinese.invoke("年费每年多少元", where={"source": "en/*"}) == []
    everything = YinjuRetriever(library=library)
    assert {one.metadata["source"] for one in everything.invoke("年费", where={"source": "en/*"})} <= {"en/warranty.md"}
    assert YinjuRetriever(library=library, least_evidence=1.01).invoke("年费每年多少元") == []


def test_langchain_tools(library: Library) -> None:
    from langchain_core.utils.function_calling import convert_to_openai_tool

    from yinju import tools
    from yinju.adapters.langchain import langchain_tools

    made = {tool.name: tool for tool in langchain_tools(library)}
    for described in tools.schemas():
        converted = convert_to_openai_tool(made[described["function"]["name"]])["function"]
        assert converted["description"] == described["function"]["description"]
        assert set(converted["parameters"]["properties"]) == set(described["function"]["parameters"]["properties"])
    assert "168" in made["search"].invoke({"query": "年费每年多少元", "limit": 1})
    assert "six months" in asyncio.run(made["read"].ainvoke({"source": "en/warranty.md"}))
    assert made["read"].invoke({"source": "nothing.md"}).startswith("error:")
    called = made["search"].invoke(
        {"type": "tool_call", "name": "search", "id": "1", "args": {"query": "battery", "limit": "1"}}
    )
    assert "battery" in called.content
    assert [tool.name for tool in langchain_tools(library, ["grep", "read"])] == ["grep", "read"]


@pytest.mark.parametrize(("question", "source", "words"), QUESTIONS)
def test_llamaindex_retriever(library: Library, question: str, source: str, words: str) -> None:
    from llama_index.core.schema import MetadataMode

    from yinju.adapters.llamaindex import YinjuRetriever

    retriever = YinjuRetriever(library, limit=1)
    found = retriever.retrieve(question)
    assert words in found[0].text
    assert found[0].score == found[0].metadata["score"]
    _check(found[0].metadata, library, source)
    shown = found[0].node.get_content(metadata_mode=MetadataMode.LLM)
    assert source in shown
    assert "evidence" not in shown
    later = asyncio.run(retriever.aretrieve(question))
    assert [one.node.node_id for one in later] == [found[0].node.node_id]
    assert YinjuRetriever(library, where={"source": "none/*"}).retrieve(question) == []


def test_llamaindex_tools(library: Library) -> None:
    from yinju import tools
    from yinju.adapters.llamaindex import llamaindex_tools

    made = {tool.metadata.name: tool for tool in llamaindex_tools(library)}
    for described in tools.schemas():
        converted = made[described["function"]["name"]].metadata.to_openai_tool()["function"]
        assert converted["description"] == described["function"]["description"]
        assert set(converted["parameters"]["properties"]) == set(described["function"]["parameters"]["properties"])
    assert "168" in str(made["search"].call(query="年费每年多少元", limit=1))
    assert "six months" in str(asyncio.run(made["read"].acall(source="en/warranty.md")))
    assert str(made["grep"].call(pattern="(", regex=True)).startswith("error:")


def test_nobody_pays_for_a_framework_that_is_not_used() -> None:
    program = (
        "import sys, yinju, yinju.adapters, yinju.adapters.passages, yinju.tools\n"
        "assert not {'langchain_core', 'llama_index', 'pydantic', 'mcp', 'fastapi', 'rich'} & set(sys.modules)\n"
        "sys.modules['langchain_core'] = sys.modules['llama_index'] = None\n"
        "for name in ('langchain', 'llamaindex'):\n"
        "    try:\n        __import__(f'yinju.adapters.{name}')\n"
        "    except ImportError as error:\n        assert f'yinju[{name}]' in str(error)\n"
        "    else:\n        raise AssertionError(name)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
