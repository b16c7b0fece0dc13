from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yinju.errors import DocumentError
from yinju.load import Loaded, load
from yinju.types import Document


def read(text: str) -> Document:
    return loaded(text).document


def loaded(text: str) -> Loaded:
    return load(text.encode("utf-8", "replace"), "a.html")


def dropped(result: Loaded) -> dict[str, int]:
    return {item.what: item.characters for item in result.receipt.dropped}


def texts(document: Document, kind: str) -> list[str]:
    return [mark.span.of(document.text) for mark in document.marks if mark.kind == kind]


def test_blocks_and_white_space() -> None:
    document = read("<p>one\n <b>two</b>&nbsp;three<br>four<p>甲\n乙<i>丙\n</i>丁 戊<div>x</div><div>y</div>")
    assert document.text == "one two three\nfour\n\n甲乙丙丁 戊\n\nx\ny"


def test_scripts_navigation_and_hidden_parts_are_accounted_for() -> None:
    result = loaded(
        "<title>T1</title><body><nav>菜单</nav><p>正文</p><script>abc</script><style>de</style><template>f</template>"
        "<p hidden>g</p><p style='color:red; display: none'>hi</p><div aria-hidden=true>j</div><div role=search>搜</div>"
        "<a hreflang=fr href=x>fr</a><footer>页脚</footer><aside>k</aside>"
    )
    assert result.document.text == "正文"
    assert result.document.title == "T1"
    assert dropped(result) == {
        "title, kept as metadata": 2, "navigation": 3, "scripts and styles": 5, "hidden parts": 4, "links to other languages": 2,
        "page furniture": 3,
    }  # fmt: skip
    assert result.receipt.found == 2 + 2 + 3 + 5 + 4 + 2 + 3


def test_main_stands_for_the_page_when_it_holds_most_of_it() -> None:
    text = "这是页面的正文，足够长，可以代表整页。"
    assert read(f"<div>旁边</div><main><header>题头</header><p>{text}</main>").text == f"题头\n\n{text}"
    assert read(f"<main></main><p>{text}").text == text
    assert read(f"<article>a</article><article>b</article><p>{text}").text == f"a\nb\n\n{text}"


def test_tables_are_tab_rows_with_header() -> None:
    document = read(
        "<table><caption>价格</caption><thead><tr><th>型号<th>价\n格</thead><tr><td>甲<td><p>1</p><p>元</p><tr><td><td>2</table>x"
    )
    assert document.text == "价格\n型号\t价格\n甲\t1 元\n\t2\n\nx"
    assert texts(document, "header") == ["型号\t价格"]
    assert texts(document, "row") == ["甲\t1 元", "\t2"]
    assert texts(document, "table") == ["型号\t价格\n甲\t1 元\n\t2"]


def test_cells_that_span_keep_the_columns_apart() -> None:
    document = read("<table><tr><th>a<th>b<th>c<tr><td rowspan=2>1<td colspan=2>2<tr><td>3<td>4</table>")
    assert document.text == "a\tb\tc\n1\t2\n\t3\t4"
    assert len(read("<table><tr><td colspan=999999999>a<td>b</table>").text) < 200


def test_blocks_are_not_welded_and_nothing_comes_twice() -> None:
    document = read(
        "<main><style>.x{color:red}</style><p>First</p>tail<div><h4>Next part</h4><p>More text</p></div><script>var k=1</script>"
        "<table><tr><td>A1</td><td>B1</td></tr></table></main>"
    )
    assert document.text == "First\n\ntail\n\nNext part\n\nMore text\n\nA1\tB1"


def test_layout_tables_are_read_as_blocks() -> None:
    document = read("<table><tr><td><h1>标题</h1><td><table><tr><td>甲<td>乙</table></table>")
    assert document.text == "标题\n\n甲\t乙"
    assert texts(document, "table") == ["甲\t乙"]


def test_lists_code_and_headings() -> None:
    document = read(
        "<h1>一 <em>二</em></h1><ul><li>a<ul><li>b</ul><li><p>c</ul><ol start=9><li>d<li>e</ol><pre><code class='hljs language-py'>"
        "if x:\n\n  y &lt; 1\n</code></pre><h2></h2><h3>三</h3>"
    )
    assert document.text == "一 二\n\n- a\n  - b\n- c\n\n9. d\n10. e\n\nif x:\n\n  y < 1\n\n三"
    assert [(m.kind, m.level, m.label) for m in document.marks] == [
        ("heading", 1, "一 二"), ("list", 0, ""), ("list", 0, ""), ("code", 0, "py"), ("heading", 3, "三")
    ]  # fmt: skip
    assert document.title == "一 二"


def test_properties() -> None:
    document = read(
        "<title> 保修 \n 说明 </title><meta name=Author content='周 禾'><meta property=article:modified_time content=2025-03-01>"
        "<meta name=date content=2024-01-02><meta name=description content=摘要><p>正文"
    )
    assert document.title == "保修 说明"
    assert {key: document.metadata[key] for key in ("author", "modified", "created", "description")} == {
        "author": "周 禾", "modified": "2025-03-01", "created": "2024-01-02", "description": "摘要"
    }  # fmt: skip


@pytest.mark.parametrize("encoding", ["utf-8", "gbk", "utf-16", "utf-16-le"])
@pytest.mark.parametrize("declared", ["utf-8", "gb2312", "iso-8859-1", "big5"])
def test_a_declared_charset_never_beats_the_evidence(encoding: str, declared: str) -> None:
    page = f'<html><head><meta http-equiv="Content-Type" content="text/html; charset={declared}"></head><p>合同金额与保修期限</p></html>'
    assert load(page.encode(encoding), "a.html").document.text == "合同金额与保修期限"


def test_hostile_pages_are_text() -> None:
    page = '<p>ok<script>alert(1)</script><img src=x onerror=alert(1)><a href="java\tscript:alert(1)">x</a><iframe srcdoc="<b>">i</iframe>'
    assert read(page).text == "okx"
    with pytest.raises(DocumentError) as caught:
        read(
            '<base href="file:///"><meta http-equiv=refresh content="0;url=file:///etc/passwd"><img src=file:///etc/hostname>'
        )
    assert caught.value.code == "no-text"


def test_deep_nesting_is_no_crash() -> None:
    assert read("<div>" * 5_000 + "深").text == "深"
    assert read("<ul><li>" * 1_500 + "x").text.strip() == "- x"


def test_hidden_characters_are_removed() -> None:
    result = loaded("<p>甲&#8203;乙&shy;\u202e丙")
    assert result.document.text == "甲乙丙"
    assert result.receipt.warnings == ("hidden-characters: 3",)


TAGS = (
    "<p> </p> <h1> </h1> <table> <tr> <td> <th> </td> </table> <ul> <li> </ul> <pre> </pre> <main> </main> <nav> </nav> <br> <a> </a> <svg>"
    " </svg> <script> </script> <!-- --> <title> </title> <template> </template> <select> <option> <textarea> </textarea> 文字 word &nbsp;"
    " &#0; &#xD800; &#8203; <p/hidden> <body> <html> <frameset> <math> <style> </style> <caption> <dl> <dt> <dd> <noscript> </noscript>"
)
PIECES = st.lists(st.sampled_from(TAGS.split()) | st.text(max_size=5), max_size=30).map(" ".join)


@given(PIECES)
def test_receipts_balance_whatever_the_page(page: str) -> None:
    try:
        result = loaded(page)
    except DocumentError as error:
        assert error.code in ("no-text", "empty", "binary")  # noqa: PT017
        return
    receipt = result.receipt
    assert receipt.found == receipt.characters + sum(item.characters for item in receipt.dropped)
    for mark in result.document.marks:
        assert 0 <= mark.span.start < mark.span.end <= len(result.document.text)
