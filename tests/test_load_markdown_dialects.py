"""Markdown as people write it: what each dialect's lines must not be taken for, and what they are. Expectations worked out by hand."""

# ruff: noqa: E501 -- documents in one line

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from test_load_markdown import headings, marks, read, texts
from yinju.load.plain.dialects import view


def labels(text: str) -> list[str]:
    return [label for _, label in headings(read(text))]


@pytest.mark.parametrize(
    ("line", "label"),
    [
        ("##标题", "标题"),
        ("###2.1 安装步骤", "2.1 安装步骤"),
        ("##1、概述", "1、概述"),
        ("##【注意】", "【注意】"),
        ("##Überblick", "Überblick"),
        ("#\u3000全角空格", "全角空格"),
        ("##\u00a0Pasted", "Pasted"),
        ("## 结尾 ##", "结尾"),
    ],
)
def test_headings_without_a_space(line: str, label: str) -> None:
    document = read(f"前文\n\n{line}\n\n正文\n")
    assert [mark.label for mark in marks(document, "heading")] == [label]
    assert texts(document, "heading") == [line]


@pytest.mark.parametrize(
    "line",
    [
        "#标签",
        "#123",
        "##123",
        "##tag",
        "#!/bin/sh",
        "####### 七",
        "##标签一 ##标签二",
        "##话题#内容",
        "##" + "长" * 80,
        "    ##缩进",
    ],
)
def test_what_is_no_heading_without_a_space(line: str) -> None:
    assert labels(f"前文\n\n{line}\n\n正文\n") == []


def test_a_glued_heading_in_code_is_code() -> None:
    assert labels("```\n##标题\n```\n\n- a\n\n  ```\n  ##标题\n  ```\n\n##真的\n") == ["真的"]


@pytest.mark.parametrize(
    "table",
    [
        "a | b\n--|--\n1 | 2",
        "| a |\n| - |\n| `x | y` |",
        "|a|b|\n|:--|--:|\n|甲 \\| 乙|2|",
        "| 名 | 价 |\n|---|---|---|\n| 甲 | 1 |",
        ":::tip\n\n| 名 | 价 |\n|---|---|\n| 甲 | 1 |\n:::",
        "- 列表\n\n  | 名 | 价 |\n  |---|---|\n  | 甲 | 1 |",
        "> | 名 | 价 |\n> |---|---|\n> | 甲 | 1 |",
        "{% raw %}\n| 名 | 价 |\n|---|---|\n| 甲 | 1 |\n{% endraw %}",
        '!!! note "表"\n\n    | 名 | 价 |\n    |---|---|\n    | 甲 | 1 |',
    ],
)
def test_tables(table: str) -> None:
    document = read(f"前文\n\n{table}\n\n后文\n")
    assert len(marks(document, "table")) == len(marks(document, "header")) == len(marks(document, "row")) == 1
    assert texts(document, "header")[0].count("\n") == 1
    assert marks(document, "code") == []


@pytest.mark.parametrize(
    "text",
    [
        '!!! note "标题"\n\n    内文一。\n\n    ```py\n    x\n    ```\n\n    内文二。\n\n后文\n',
        "??? tip\n    内文。\n\n    ```py\n    x\n    ```\n",
        '=== "Linux"\n\n    文。\n\n    ```py\n    x\n    ```\n\n=== "macOS"\n\n    文。\n',
        "正文[^1]。\n\n[^1]: 脚注。\n\n    第二段。\n\n    ```py\n    x\n    ```\n",
        "术语\n\n:   解释。\n\n    第二段。\n\n    ```py\n    x\n    ```\n",
        "!!! note\n\n    外。\n\n    !!! tip\n\n        内。\n\n        ```py\n        x\n        ```\n",
        "- 一\n\n    !!! note\n\n        内。\n\n        ```py\n        x\n        ```\n",
    ],
)
def test_indented_bodies_are_no_code(text: str) -> None:
    document = read(text)
    assert [mark.label for mark in marks(document, "code")] == ["py"]
    assert texts(document, "code")[0].split() == ["```py", "x", "```"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# 甲\n\n:::tip 小窍门\n## 不是章节\n文\n:::\n\n## 乙\n", ["甲", "乙"]),
        ("::: {.callout-note}\n## Title of the box\n文\n:::\n\n## 乙\n", ["乙"]),
        ("::::: columns\n:::: column\n## 左\n::::\n:::::\n", ["左"]),
        (":::tip\n## 没有关上\n", ["没有关上"]),
        ("> [!NOTE]\n> # 不是\n> 文\n\n# 是\n", ["是"]),
        (":::details 点开\n## 细节\n:::\n", ["细节"]),
    ],
)
def test_headings_in_asides_are_no_sections(text: str, expected: list[str]) -> None:
    assert labels(text) == expected


def test_containers_end_what_stands_in_them() -> None:
    document = read(":::tip 标题\n- 甲\n- 乙\n:::\n后文\n")
    assert texts(document, "list") == ["- 甲\n- 乙"]


MDX = """\
import Tabs from '@theme/Tabs';
import {a} from "b";

export const data = {
  # not: "a heading",
};

# 标题

<Tabs groupId="os"
  values={[{label: 'a'}]}>
  <TabItem value="linux">

    正文在标签里。

    ```sh
    # 注释
    run
    ```

  </TabItem>
</Tabs>

{/* 注释
# 不是标题
*/}

## 二 <Badge text="新" /> {/* #id */}

<Note>直接的文字</Note>
"""


def test_mdx() -> None:
    document = read(MDX, "a.mdx")
    assert headings(document) == [(1, "标题"), (2, "二")]
    assert [mark.label for mark in marks(document, "code")] == ["js", "js", "sh"]
    assert document.text == MDX


def test_components_in_a_list_stay_in_it() -> None:
    text = '1. 一\n\n    <SimpleTab>\n    <div label="a">\n\n    - 内\n\n        ```sh\n        x\n        ```\n\n    </div>\n    </SimpleTab>\n\n2. 二\n'
    document = read(text)
    assert texts(document, "list") == [text.rstrip()]
    assert [mark.label for mark in marks(document, "code")] == ["sh"]


def test_english_prose_is_no_import() -> None:
    assert marks(read("import duties from 'China' rose.\n\nexport goods leave the port.\n"), "code") == []


def test_html_inside() -> None:
    text = (
        "# 题\n\n<table>\n<thead><tr><th>名</th><th>价</th></tr></thead>\n<tbody>\n\n<tr><td>甲</td>\n    <td># 1</td></tr>\n"
        "<tr><td>乙</td><td><table><tr><td>里</td></tr></table></td></tr>\n</tbody>\n</table>\n\n<details>\n<summary>点开</summary>\n"
        "- 一\n- 二\n</details>\n\n<div>\n\n  <h2>分 <b>节</b></h2>\n\n</div>\n"
    )
    document = read(text)
    assert headings(document) == [(1, "题"), (2, "分 节")]
    assert texts(document, "header") == ["<tr><th>名</th><th>价</th></tr>"]
    assert texts(document, "row") == [
        "<tr><td>甲</td>\n    <td># 1</td></tr>",
        "<tr><td>乙</td><td><table><tr><td>里</td></tr></table></td></tr>",
    ]
    assert texts(document, "list") == ["- 一\n- 二"]
    assert marks(document, "code") == []
    assert len(marks(document, "table")) == 1


def test_html_rows_without_an_end() -> None:
    document = read("<TABLE>\n<TR><TH>Name<TH>Price\n<TR><TD>One<TD>1\n<TR><TD>Two<TD>2\n</TABLE>\n")
    assert texts(document, "header") == ["<TR><TH>Name<TH>Price"]
    assert texts(document, "row") == ["<TR><TD>One<TD>1", "<TR><TD>Two<TD>2"]


def test_formulas_are_whole_and_no_headings() -> None:
    document = read(
        "前文\n$$\na\n=\nb + # c\n$$\n\n\\[\nx\n---\n\\]\n\n\\begin{align}\ny\n\\end{align}\n\n单行 $$x$$。\n\n$$ 20\n\n# 题\n"
    )
    assert headings(document) == [(1, "题")]
    assert texts(document, "code") == ["$$\na\n=\nb + # c\n$$", "\\[\nx\n---\n\\]", "\\begin{align}\ny\n\\end{align}"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("文 <!-- 注\n# 藏\n--> 文\n\n# 露\n", ["露"]),
        ("<!--\n# 藏\n-->\n# 露\n", ["露"]),
        ("%%\n# 藏\n%%\n\n# 露\n", ["露"]),
        ("{% comment %}\n# 藏\n{% endcomment %}\n\n# 露\n", ["露"]),
        ("`<!--` 是开头\n\n# 露\n\n`-->` 是结尾\n", ["露"]),
        ("%% 没有关上\n\n# 露\n", ["露"]),
    ],
)
def test_comments(text: str, expected: list[str]) -> None:
    assert labels(text) == expected


def test_template_code() -> None:
    document = read(
        "{{< highlight go >}}\n# x\n{{< /highlight >}}\n\n{% highlight ruby %}\n# y\n{% endhighlight %}\n\n{{< tabs >}}\n## 页签\n{{< /tabs >}}\n"
    )
    assert [mark.label for mark in marks(document, "code")] == ["go", "ruby"]
    assert headings(document) == [(2, "页签")]


@pytest.mark.parametrize(
    ("line", "label"),
    [
        ("# 见 [[安装|安装说明]] 与 [[配置]]", "见 安装说明 与 配置"),
        ("# 标题[^1] {#id}", "标题"),
        ("# 标题 {: .class #id }", "标题"),
        ("# 标题 {.unnumbered}", "标题"),
        ('# 版本 {{< badge "新" >}}', "版本"),
        ("# 集合 {a, b}", "集合 {a, b}"),
    ],
)
def test_labels_are_plain(line: str, label: str) -> None:
    assert labels(line + "\n") == [label]


@pytest.mark.parametrize(
    ("info", "language"),
    [("{r setup, echo=FALSE}", "r"), ("{.python}", "python"), ("js{1,3} title=x", "js"), ("c++", "c++"), ("", ""), ("{=html}", ""), ("ASP.NET", "ASP.NET")],
)  # fmt: skip
def test_languages_of_fences(info: str, language: str) -> None:
    assert [mark.label for mark in marks(read(f"```{info}\nx\n```\n"), "code")] == [language]


def test_numbered_bold_lines_are_headings_where_they_count_on() -> None:
    text = "# 制度\n\n**一、总则**\n\n文。\n\n**（一）目的**\n\n文。\n\n**（二）范围**\n\n文。\n\n**二、附则**\n\n文。\n\n**注意**\n\n**五、孤立**\n\n# 别的\n\n**1. Only one**\n"
    assert headings(read(text)) == [
        (1, "制度"),
        (2, "一、总则"),
        (3, "（一）目的"),
        (3, "（二）范围"),
        (2, "二、附则"),
        (1, "别的"),
    ]
    english = "**1. Scope**\n\nText.\n\n**2. Terms**\n\nText **3. not alone**\n"
    assert headings(read(english)) == [(1, "1. Scope"), (1, "2. Terms")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("标题\n---\n文\n", ["标题"]),
        ("What is new?\n---\n", ["What is new?"]),
        (
            "这是一整段话，说了很多的事情，只是后面的分隔线之前忘了空一行，它不是标题，读者也不会把它当作标题。\n---\n文\n",
            [],
        ),
        ("第一行\n第二行\n---\n文\n", []),
        ("Two lines\nof a title\n===\n", ["Two lines of a title"]),
        ("# 甲\n\n---\nlayout: cover\n---\n\n# 乙\n", ["甲", "乙"]),
    ],
)
def test_underlined_titles(text: str, expected: list[str]) -> None:
    assert labels(text) == expected


def test_fences_in_fences_and_in_lists() -> None:
    text = "1. 一\n\n    ````md\n    ```sh\n    # x\n    ```\n    ````\n\n2. 二\n\n   ~~~\n   # y\n\n# 题\n\n```\n# 没有关上\n"
    document = read(text)
    assert labels(text) == ["题"]
    assert texts(document, "code") == [
        "    ````md\n    ```sh\n    # x\n    ```\n    ````",
        "   ~~~\n   # y",
        "```\n# 没有关上",
    ]


LINES = st.sampled_from(
    ["# 题", "##题", "正文。", "", ":::tip", ":::", "!!! note", "    缩进", "        更深", "$$", "```", "~~~", "- 项", "  项", "> 引", "<Tabs>",
     "</Tabs>", "<div>", "</div>", "<table>", "</table>", "<tr><td>x", "<!--", "-->", "{/*", "*/}", "%%", "{% raw %}", "{{< highlight x >}}",
     "{{< /highlight >}}", "| a |", "|---|", "**一、甲**", "**二、乙**", "[^1]: 注", "import a from 'b'", "<pre>", "</pre>", "===", "---", "\t表"]
)  # fmt: skip


@given(st.lists(LINES, max_size=30).map("\n".join))
@settings(max_examples=200, deadline=None)
def test_the_view_has_the_lines_of_the_text_and_marks_lie_in_it(text: str) -> None:
    seen = view(text)
    assert seen.text.count("\n") == text.count("\n")
    if not text.strip():
        return
    document = read("x\n\n" + text)
    for mark in document.marks:
        assert 0 <= mark.span.start < mark.span.end <= len(document.text)
        assert mark.span.of(document.text).strip()


@pytest.mark.parametrize(
    "part",
    ["<!--\n", "x <!--\n", "$$\n", "\\begin{a}\n", "{/*\n", "%%\n", ":::tip\n", "!!! a\n    !!! b\n", "<Tab\n", "<A b={\n", "<A b='\n", "<table>\n", "<pre>\n",
     "{{< highlight x >}}\n", "[^1]:\n\n", ":::tip\n:::\n", "<div>\n</div>\n", "```\n", "- ```\n", "import a\n", "<a><a><a>", "{% {% {%", "**一、**\n\n"],
)  # fmt: skip
def test_hostile_lines_take_linear_time(part: str) -> None:
    text = part * (60_000 // len(part))
    started = time.process_time()
    view(text)
    assert time.process_time() - started < 1.5


@pytest.mark.parametrize("blank", ["\u2028", "\x0b", "\u3000", "\x85"])
def test_a_paragraph_of_white_space_is_none(blank: str) -> None:
    assert headings(read(f"# 题\n\n{blank}\n\n文\n")) == [(1, "题")]
