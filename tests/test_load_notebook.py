# ruff: noqa: E501 (samples stand in one line each)
from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yinju.errors import DocumentError
from yinju.load import Loaded, load


def read(*cells: dict[str, Any], **more: Any) -> Loaded:
    return load(json.dumps({"cells": cells, "nbformat": 4, **more}).encode(), "a.ipynb")


def code(source: str, *outputs: dict[str, Any]) -> dict[str, Any]:
    return {"cell_type": "code", "source": source, "outputs": list(outputs)}


def markdown(*source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "source": list(source)}


@pytest.mark.parametrize(
    ("title", "text"), [("销售分析", "先读取数据。"), ("Sales", "First the data is read.")], ids=["zh", "en"]
)
def test_cells_in_order_with_headings_and_code(title: str, text: str) -> None:
    loaded = read(
        markdown(f"# {title}\n", "\n", text),
        code("frame = read()", {"output_type": "stream", "text": ["12 rows\n"]}),
        markdown("## 2"),
    )
    document = loaded.document
    assert document.text == f"# {title}\n\n{text}\n\n```python\nframe = read()\n```\n\n```output\n12 rows\n```\n\n## 2"
    assert document.title == title
    assert document.type == "notebook"
    assert [(m.kind, m.level, m.label) for m in document.marks] == [
        ("heading", 1, title), ("code", 0, "python"), ("code", 0, "output"), ("heading", 2, "2")
    ]  # fmt: skip
    assert document.marks[1].span.of(document.text) == "```python\nframe = read()\n```"


def test_one_form_of_an_output_is_kept() -> None:
    table = {"text/plain": ["   a\n", "0  1"], "text/html": "<table><tr><td>1</td></tr></table>"}
    picture = {"image/png": "iVBORw0K", "text/plain": "<Figure size 640x480 with 1 Axes>"}
    only_html = {"text/plain": "<IPython.core.display.HTML object>", "text/html": "<p>合计 <b>12</b></p>"}
    loaded = read(*(code("x", {"output_type": "display_data", "data": data}) for data in (table, picture, only_html)))
    assert loaded.document.text.count("```output") == 2
    assert "   a\n0  1" in loaded.document.text
    assert "合计 12" in loaded.document.text
    assert "Figure" not in loaded.document.text
    assert loaded.receipt.images == 1


def test_what_a_terminal_would_show() -> None:
    stream = {"output_type": "stream", "text": "  0%|   |\r 50%|█  |\rdone\n\x1b[31m红\x1b[0m\n"}
    assert read(code("x", stream)).document.text.endswith("```output\ndone\n红\n```")


def test_errors_by_their_traceback() -> None:
    with_traceback = {"output_type": "error", "ename": "ValueError", "evalue": "坏", "traceback": ["line 1", "ValueError: 坏"]}  # fmt: skip
    without = {"output_type": "error", "ename": "KeyError", "evalue": "键", "traceback": []}
    text = read(code("x", with_traceback, without)).document.text
    assert text.count("ValueError") == 1
    assert "KeyError: 键" in text


def test_long_output_is_bounded_and_said() -> None:
    lines = [f"line {number}\n" for number in range(10_000)]
    loaded = read(code("x", {"output_type": "stream", "text": lines}))
    assert len(loaded.document.text) < 21_000
    assert "line 0\n" in loaded.document.text
    assert "line 9999" in loaded.document.text
    assert next(item.characters for item in loaded.receipt.dropped if item.what == "long output") > 40_000


def test_fences_are_longer_than_those_inside() -> None:
    document = read(code("s = '''\n```\n'''")).document
    assert document.text.startswith("````python\n")
    assert document.text.endswith("\n````")


def test_version_3() -> None:
    cells = [
        {"cell_type": "heading", "level": 2, "source": "结果"},
        {"cell_type": "code", "input": ["1+1"], "outputs": [{"output_type": "pyout", "text": ["2"], "png": "AAAA"}]},
    ]
    loaded = load(json.dumps({"worksheets": [{"cells": cells}], "nbformat": 3}).encode(), "a.ipynb")
    assert loaded.document.text == "结果\n\n```python\n1+1\n```\n\n```output\n2\n```"
    assert loaded.document.marks[0].label == "结果"
    assert loaded.receipt.images == 1


def test_attachments_magic_language_and_author() -> None:
    cell = markdown("![x](attachment:a.png)") | {"attachments": {"a.png": {"image/png": "AAAA"}}}
    loaded = read(
        cell, code("%%bash\nls"), code("1"), metadata={"language_info": {"name": "R"}, "authors": [{"name": "王芳"}]}
    )
    assert loaded.receipt.images == 1
    assert [mark.label for mark in loaded.document.marks] == ["bash", "R"]
    assert loaded.document.metadata["author"] == "王芳"


@pytest.mark.parametrize("data", [b"{", b"[]", b'{"a": 1}', b"<<<<<<< HEAD\n{}", '{"cells": "一"}'.encode()])
def test_broken_notebooks(data: bytes) -> None:
    with pytest.raises(DocumentError) as caught:
        load(data, "a.ipynb")
    assert (caught.value.code, bool(caught.value.hint)) == ("damaged", True)


def test_depth_is_no_crash() -> None:
    with pytest.raises(DocumentError) as caught:
        load(b'{"cells":' + b"[" * 100_000, "a.ipynb")
    assert caught.value.code == "too-deep"


VALUES = st.one_of(st.none(), st.integers(), st.text(max_size=12), st.lists(st.text(max_size=6), max_size=3), st.dictionaries(st.sampled_from(["text/plain", "text/html", "image/png", "text/markdown"]), st.text(max_size=20), max_size=3))  # fmt: skip
OUTPUTS = st.dictionaries(
    st.sampled_from(["text", "data", "html", "png", "ename", "evalue", "traceback"]), VALUES, max_size=4
).flatmap(
    lambda rest: st.sampled_from(["stream", "error", "display_data", "pyout", "?"]).map(
        lambda kind: {"output_type": kind, **rest}
    )
)
CELLS = st.fixed_dictionaries(
    {"cell_type": st.sampled_from(["code", "markdown", "raw", "heading", 3]), "source": VALUES, "outputs": st.one_of(VALUES, st.lists(OUTPUTS, max_size=3))}
)  # fmt: skip


@settings(max_examples=80, deadline=None)
@given(st.lists(CELLS, max_size=4))
def test_any_notebook_balances_or_is_refused(cells: list[dict[str, Any]]) -> None:
    try:
        loaded = load(json.dumps({"cells": cells}).encode(), "a.ipynb")
    except DocumentError as error:
        if error.code == "unbalanced":
            raise
    else:
        assert all(0 <= m.span.start < m.span.end <= len(loaded.document.text) for m in loaded.document.marks)
