"""Pages as people save them, cut down to the shape that matters: what a reader reads is there, the site around it is not."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest

from yinju.load import Loaded, load
from yinju.load.count.web import count_html

SHARED = Path(__file__).resolve().parent.parent.parent / "shared" / "bench" / "files-mixed" / "files"


def loaded(page: str, encoding: str = "utf-8") -> Loaded:
    return load(page.encode(encoding), "a.html")


def text(page: str) -> str:
    return loaded(page).document.text


def dropped(result: Loaded) -> dict[str, int]:
    return {item.what: item.characters for item in result.receipt.dropped}


def marks(result: Loaded, kind: str) -> list[str]:
    return [mark.span.of(result.document.text) for mark in result.document.marks if mark.kind == kind]


def test_article_of_wechat_is_hidden_until_its_script_has_run() -> None:
    result = loaded(
        "<meta property=og:title content=保修政策><title></title><body id=activity-detail><div id=js_article><div id=img-content>"
        "<h1 class=rich_media_title id=activity-name>\n保修政策\n</h1><div id=meta_content><span class=rich_media_meta>小禾</span>"
        "<span class='rich_media_meta nickname'><a href='javascript:;'>禾木</a><div style='display:none' aria-hidden=true>微信号 hemu</div></span>"
        "<em id=publish_time class=rich_media_meta>2025-03-01 09:30</em></div>"
        "<div class=rich_media_content id=js_content style='visibility: hidden; opacity: 0;'><section><p><span>保修期由</span><b>六个月</b>"
        "<span>延长。</span></p></section><pre data-lang=bash><code><span>pip install x</span></code><code><span>x --check</span></code></pre>"
        "</div></div></div><div class=qr_code_pc style='display:none'>扫一扫</div>"
    )
    assert result.document.text == (
        "保修政策\n\n小禾 禾木 2025-03-01 09:30\n\n保修期由六个月延长。\n\npip install x\nx --check"
    )
    assert result.document.title == "保修政策"
    assert result.document.metadata["created"] == "2025-03-01"
    assert [mark.label for mark in result.document.marks if mark.kind == "code"] == ["bash"]


def test_notice_in_nested_tables() -> None:
    page = (
        "<html><head><meta charset=gb2312><title>关于调整津贴的通知_市人社局</title></head><body><table width=1000><tr><td><table><tr>"
        "<td><a href=/>首页</a><td><a href=/zw>政务公开</a><td><a href=/fw>办事服务</a><td><a href=/hd>互动交流</a></table>"
        "<tr><td>您现在的位置：<a href=/>首页</a> &gt; <a href=/tz>通知公告</a> &gt; 正文<tr><td><table><tr><td align=center>"
        "<font size=5><b>关于调整津贴的通知</b></font><tr><td>发布时间：2024-06-18&nbsp;来源：市人社局<tr><td id=zoom>"
        "<p>　　各有关\n单位：</p><p>　　自2024年7月1日起，津贴按照用人单位上年度职工\n月平均工资的标准支付，标准如下。</p>"
        "<table border=1><tr><td>类别<td>天数<td>标准<tr><td>甲类<td rowspan=2>158<td>256.5<tr><td>乙类<td>271</table>"
        "<p>附件：<a href=a.doc>1.申请表.doc</a></p></table><tr><td>主办：市人社局<br>京ICP备05000001号</table>"
    )
    result = load(page.encode("gb18030"), "notice.htm")
    assert result.document.text == (
        "关于调整津贴的通知\n发布时间：2024-06-18 来源：市人社局\n\n各有关单位：\n\n自2024年7月1日起，津贴按照用人单位上年度职工月平均工资"
        "的标准支付，标准如下。"
        "\n\n类别\t天数\t标准\n甲类\t158\t256.5\n乙类\t\t271\n\n附件：1.申请表.doc"
    )
    assert marks(result, "header") == ["类别\t天数\t标准"]
    assert result.document.title == "关于调整津贴的通知"
    assert result.document.metadata["created"] == "2024-06-18"
    assert dropped(result)["navigation"] == len("首页政务公开办事服务互动交流您现在的位置：首页>通知公告>正文")


ARTICLE_ZH = "先安装依赖库，再选择合适的方法，然后读取第一个工作表。"
ARTICLE_EN = "Run the installer on each node, then start the service and check that all of them answer."


def test_blog_of_csdn() -> None:
    result = loaded(
        "<title>读取 Excel 的方法_python-CSDN博客</title><div class=toolbar-inside><ul class=toolbar-menus><li><a href=/>博客</a><li>"
        "<a href=/d>下载</a></ul><div class=toolbar-search><input><button>搜索</button></div></div><main><div class=blog-content-box>"
        "<h1 class=title-article>读取 Excel 的方法</h1><article><div id=content_views>"
        f"<p>{ARTICLE_ZH}</p><pre><code class='prism language-python'>import pandas\n</code><ul class=pre-numbering><li>1</ul></pre></div></article>"
        "</div><div class=recommend-box><h2>相关推荐</h2><div><a href=1>教程大全</a></div><div><a href=2>自动化入门</a></div></div>"
        "<form id=commentform><textarea>说点什么</textarea><button>评论</button></form></main>"
        "<aside><h3>热门文章</h3><ul><li><a href=3>装饰器</a></ul></aside>"
    )
    assert result.document.text == f"读取 Excel 的方法\n\n{ARTICLE_ZH}\n\nimport pandas"
    assert result.document.title == "读取 Excel 的方法"
    assert [mark.label for mark in result.document.marks if mark.kind == "code"] == ["python"]
    assert dropped(result)["line numbers"] == 1
    assert dropped(result)["related pages"] == len("相关推荐教程大全自动化入门")


def test_documentation_site() -> None:
    result = loaded(
        "<html lang=en><title>Installation | Hemu Docs</title><div id=__docusaurus><a class=skipToContent_f href=#x>Skip to main content</a>"
        "<nav class=navbar><a href=/>Hemu</a></nav><aside class=theme-doc-sidebar><nav><ul><li><a href=/i>Introduction</a></ul></nav></aside>"
        "<main><article><nav aria-label=Breadcrumbs><a href=/>Home</a></nav><div class=markdown><header><h1>Installation</h1></header>"
        f"<p>{ARTICLE_EN}</p><h2 id=a>Requirements<a class=hash-link href=#a>#</a></h2><div role=tabpanel hidden>pnpm add hemu</div>"
        "<pre><code class=language-bash><span>npm install hemu<br></span><span>hemu init<br></span></code></pre><button>Copy</button>"
        "<details><summary>Why 8 GB?</summary><div class=collapsibleContent style=display:none><p>The index lives in memory.</p></div></details>"
        "</div></article><nav class=pagination-nav><a href=/n>Next Usage</a></nav><div class=tableOfContents><ul><li><a href=#a>Requirements</a>"
        "</ul></div></main></div><footer>Copyright © 2025</footer>"
    )
    assert result.document.text == (
        f"Installation\n\n{ARTICLE_EN}\n\nRequirements\n\npnpm add hemu\n\nnpm install hemu\nhemu init\n\nWhy 8 GB?\n\nThe index lives in memory."
    )
    assert result.document.title == "Installation"
    assert [mark.label for mark in result.document.marks if mark.kind == "heading"] == ["Installation", "Requirements"]


def test_encyclopedia_keeps_references_and_its_infobox() -> None:
    result = loaded(
        "<title>Duck - Wikipedia</title><body><div id=mw-head><a href=#x class=mw-jump-link>Jump to content</a></div><main id=content>"
        "<header class=mw-body-header><h1>Duck</h1><ul><li><a href=1 hreflang=de>Ente</a><li><a href=2 hreflang=zh>鸭</a><li>"
        "<a href=3 hreflang=fr>Canard</a><li><a href=4 hreflang=ja>鴨</a></ul></header>"
        "<div id=mw-content-text><table class=infobox><tr><th colspan=2>Duck<tr><th>Kingdom:<td>Animalia<tr><th>Phylum:<td>Chordata</table>"
        f"<p>{ARTICLE_EN}<sup id=r1><a href=#cite_note-1>[1]</a></sup></p><h2>Uses<span class=mw-editsection>[<a href=e>edit</a>]</span></h2>"
        "<ol><li id=cite_note-FOOTNOTESmith1992-1><span class=mw-cite-backlink>^ <a href=#r1>a</a></span> <a href=#s>Smith 1992</a>, p. 5.</ol>"
        "<div class=navbox><a href=1>Birds</a></div></div><div id=catlinks class=catlinks>Categories: <a href=c>Ducks</a></div></main>"
    )
    assert result.document.text == (
        f"Duck\n\nDuck\nKingdom:\tAnimalia\nPhylum:\tChordata\n\n{ARTICLE_EN}[1]\n\nUses\n\n1. Smith 1992, p. 5."
    )
    assert marks(result, "row") == ["Kingdom:\tAnimalia", "Phylum:\tChordata"]


def test_blog_with_cookie_notice_shares_and_comments() -> None:
    result = loaded(
        "<title>How we cut our bill – Northwind</title><meta property=article:published_time content=2024-02-03T10:00:00Z>"
        "<div class=cookie-notice>This website uses cookies to improve your experience. <a>Settings</a></div><header><a href=/>Northwind</a></header>"
        "<article><h1>How we cut our bill</h1><span>by <a rel=author href=/a>Jane Roe</a></span>"
        f"<p>{ARTICLE_EN}<sup><a href=#fn1>1</a></sup> It took 10<sup>3</sup> tries.</p><figure><img src=a alt='Cost falls by half'></figure>"
        "<ol><li id=fn1>Measured. <a href=#r class=footnote-backref>↩</a></ol><div class=sharing><h3>Share this:</h3><a href=t>Twitter</a></div>"
        "<div class=jp-relatedposts><h3>Related</h3><a href=1>One</a><a href=2>Two</a></div></article>"
        "<div id=comments><p>Great write-up, which region did you use?</p></div>"
    )
    assert result.document.text == (
        f"How we cut our bill\n\nby Jane Roe\n\n{ARTICLE_EN}[1] It took 10³ tries.\n\nCost falls by half\n\n1. Measured."
    )
    assert (result.document.metadata["author"], result.document.metadata["created"]) == (
        "Jane Roe",
        "2024-02-03T10:00:00Z",
    )
    assert result.receipt.images == 1
    assert dropped(result)["note mark"] == -2


@pytest.mark.parametrize(
    ("question", "answer"),
    [("如何申请退款？", "在订单页申请，三天内到账。"), ("How do I get a refund?", "Ask on the order page.")],
)
def test_folded_answers_are_text(question: str, answer: str) -> None:
    page = (
        f"<h1>FAQ</h1><div><h2><button aria-expanded=false>{question}</button></h2><div class='accordion-collapse' style='display: none;'>{answer}"
        "</div></div>"
    )
    assert text(page) == f"FAQ\n\n{question}\n\n{answer}"


def test_a_paragraph_outside_the_main_part_is_kept() -> None:
    page = f"<nav><a href=1>menu</a></nav><main><h1>T</h1><p>{ARTICLE_EN * 3}</p></main>"
    page += f"<div>short</div><p>{ARTICLE_EN}</p><div class=x>{ARTICLE_ZH}</div>"
    result = loaded(page)
    assert result.document.text == f"T\n\n{ARTICLE_EN * 3}\n\n{ARTICLE_EN}"
    assert dropped(result)["outside the article"] == len("short") + len(ARTICLE_ZH)


def test_a_title_before_the_article_is_kept_and_a_sites_name_is_not() -> None:
    body = f"<article><h2>一</h2><p>{ARTICLE_ZH * 3}</p></article>"
    assert text(f"<title>指南 | 禾木</title><h1>指南</h1>{body}").startswith("指南\n\n一")
    assert text(f"<title>指南 | 禾木</title><h1>禾木</h1>{body}").startswith("一\n\n")


def test_a_page_that_is_all_furniture_keeps_its_text() -> None:
    assert text("<nav><a href=1>甲</a></nav><footer>乙</footer>") == "甲\n乙"
    assert text("<aside>one</aside><footer>two</footer>") == "one\ntwo"
    assert text("<noscript><p>需要脚本时的正文</p></noscript><div id=root></div>") == "需要脚本时的正文"
    assert (
        text("<title>App</title><body><noscript><h1>关于</h1><p>成立于2010年</p></noscript>") == "关于\n\n成立于2010年"
    )
    assert text("<div style=display:none>all hidden</div>") == "all hidden"


def test_tasks_in_a_list() -> None:
    page = "<ul><li><input type=checkbox checked disabled> 更新合同<li><label><input type=checkbox>call Bob</label></ul><input type=checkbox>x"
    assert text(page) == "- [x] 更新合同\n- [ ] call Bob\n\nx"


def test_saved_by_word() -> None:
    page = (
        "<html xmlns:o='urn:schemas-microsoft-com:office:office'><head><meta http-equiv=Content-Type content='text/html; charset=gb2312'>"
        "<title>租赁合同</title><!--[if gte mso 9]><xml><o:Author>张三</o:Author></xml><![endif]--><style><!-- p {mso-x:1} --></style></head><body>"
        "<p class=MsoTitle>租赁合同<o:p></o:p></p><h1>第一条 租金</h1><p class=MsoNormal>"
        "月租金为<span lang=EN-US>12,000</span>元，每月<span\nlang=EN-US>5"
        "</span>日\n前支付。<o:p>&nbsp;</o:p></p><p class=MsoListParagraph><![if !supportLists]><span style='font-family:Wingdings;mso-list:Ignore'>l"
        "<span>&nbsp; </span></span><![endif]>押金三个月</p><p><span style='mso-list:Ignore'>（1）<span>&nbsp; </span></span>设备清单</p>"
    )
    result = load(page.encode("gbk"), "contract.htm")
    assert (
        result.document.text
        == "租赁合同\n\n第一条 租金\n\n月租金为12,000元，每月5日前支付。\n\n- 押金三个月\n\n（1） 设备清单"
    )
    assert [(m.level, m.label) for m in result.document.marks if m.kind == "heading"] == [
        (1, "租赁合同"),
        (1, "第一条 租金"),
    ]


def test_saved_by_excel() -> None:
    page = (
        "<html xmlns:x='urn:schemas-microsoft-com:office:excel'><body><table><col width=72><tr><td colspan=3>2024年价目表</td></tr><tr><td>型号</td>"
        "<td></td><td>单价</td></tr><tr><td>甲</td><td></td><td x:num>1,200.50</td></tr><tr><td>乙</td><td></td><td>980</td></tr></table>"
    )
    result = loaded(page)
    assert result.document.text == "2024年价目表\n型号\t单价\n甲\t1,200.50\n乙\t980"
    assert marks(result, "header") == ["型号\t单价"]


def test_formulas_notes_and_reading_aids() -> None:
    assert (
        text("<p>当<math><mfrac><mi>a</mi><mrow><mi>b</mi><mo>+</mo><mn>1</mn></mrow></mfrac></math>时")
        == "当a/(b+1)时"
    )
    note = "<annotation encoding=application/x-tex>{\\displaystyle x^{2}}</annotation>"
    tex = f"<math><semantics><msup><mi>x</mi><mn>2</mn></msup>{note}</semantics></math>"
    assert text(f"<p>let <span class=mwe-math-mathml style='display: none'>{tex}</span> be</p>") == "let $x^{2}$ be"
    assert text("<p>式 <img alt='P(A|B)' src=a eeimg=1> 为先验</p>") == "式 $P(A|B)$ 为先验"
    assert text("<p>5 m<sup>2</sup>, H<sub>2</sub>O, 1<sup>st</sup>, 1998<sup>a</sup>") == "5 m², H2O, 1st, 1998a"
    assert text("<p><ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</rt></ruby>の読み") == "漢字の読み"
    assert text("<p>图<svg><title>icon</title><text>开始</text><g><text>结束</text></g></svg>") == "图\n开始\n结束"


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<table><tr><th>厂商<th>份额<tr><td class=rank>甲<td class=share>12%<tr><td>乙<td class=share>9%</table>", "厂商\t份额\n甲\t12%\n乙\t9%"),
        ("<p>Its market share is <span class=share>40 %</span>.</p>", "Its market share is 40 %."),
        ("<div class=share>Market share: 40 %</div>", "Market share: 40 %"),
        ("<article><div class=rank-list><p>1. <a href=1>甲城</a></p><p>2. <a href=2>乙城</a></p></div></article>", "1. 甲城\n\n2. 乙城"),
        ("<p>参考：<a href=1>甲</a>、<a href=2>乙</a></p>", "参考：甲、乙"),
        ("<div class=footnotes><ol><li><a href=1>Smith</a><li><a href=2>Jones</a></ol></div>", "1. Smith\n2. Jones"),
        ("<p>版权所有者应在三十日内书面答复，否则视为同意转让全部权利。</p>", "版权所有者应在三十日内书面答复，否则视为同意转让全部权利。"),
    ],
)  # fmt: skip
def test_a_name_alone_is_no_reason(page: str, expected: str) -> None:
    assert text(f"<h1>题</h1><p>{ARTICLE_ZH * 2}</p>{page}") == f"题\n\n{ARTICLE_ZH * 2}\n\n{expected}"


@pytest.mark.parametrize(
    "notice",
    ["<div>We use cookies to improve your experience. <a href=p>Privacy</a> <button>OK</button></div>",
     "<div>本网站使用 Cookie 改善体验。<a href=p>了解更多</a></div>",
     "<div role=dialog>订阅我们的周报</div>",
     "<video>Your browser does not support video.</video>"],
)  # fmt: skip
def test_notices_without_a_name(notice: str) -> None:
    assert text(f"{notice}<h1>题</h1><p>{ARTICLE_ZH * 9}</p>") == f"题\n\n{ARTICLE_ZH * 9}"


class _Plain(HTMLParser):
    """The standard library's parser: it repairs nothing, so it is only right for pages without faults."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.count = 0

    def handle_data(self, data: str) -> None:
        self.count += sum(map(len, data.split()))


@pytest.mark.parametrize(
    "page",
    [
        "<!DOCTYPE html><html><head><title>保修 &amp; 说明</title><style>p{}</style></head><body><p>一<b>二</b></p><script>if(a<b){}"
        "</script></body></html>",
        "<!DOCTYPE html><html><body><table><tr><td>a</td><td>b&nbsp;c</td></tr></table><textarea>d</textarea><!-- no --></body></html>",
    ],
)
def test_another_parser_finds_as_many_characters(page: str) -> None:
    plain = _Plain()
    plain.feed(page)
    assert count_html(page.encode()) == plain.count


@pytest.mark.bench
@pytest.mark.parametrize("name", ["en-html-blog.html", "zh-html-docs-site.html", "en-html-wikipedia.html"])
def test_another_parser_finds_as_many_characters_in_real_pages(name: str) -> None:
    if not (SHARED / name).exists():
        pytest.skip(f"{SHARED / name} is absent")
    plain = _Plain()
    plain.feed((SHARED / name).read_text(encoding="utf-8"))
    assert count_html((SHARED / name).read_bytes()) == plain.count
