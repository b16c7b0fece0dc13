"""A sentence that ends in a colon answers where it says something; its list is told whole or with a sign of what is left out, never stitched."""

from __future__ import annotations

import pytest

from answer_hits import hit
from yinju.answer import leads
from yinju.answer.context import build
from yinju.answer.extract import extract
from yinju.answer.pieces import pieces
from yinju.answer.verify import verify_answer

FEES = hit(
    "Bank fees of the intermediary bank are borne by the sender, with these exceptions:\n\n1. Errors of the company.\n2. Wrong accounts.\n\n"
    "If the recipient bank is the same bank, all bank fees are borne by the company.",
    source="fees.md",
)
MINGLED = hit(
    "中间行的手续费由汇款人负担，但有下列例外：\n\n1. 公司的错误。\n2. 账号有误。\n\n收款行与汇款行相同的，一切费用由公司负担。",
    source="手续费.md",
)
LEAVE = hit(
    "Parental leave lasts as long as the law says, in this order:\n\n1. Six weeks before birth.\n2. Eight weeks after birth.\n"
    "3. Otherwise twelve weeks.",
    source="leave.md",
)
ZONE = hit(
    "系统时区按以下顺序决定：\n\n1. 使用环境变量。\n2. 读取本地文件。\n3. 上述方法均失败时使用世界时。",
    source="时区.md",
)
PAPERS = hit("申請理賠時應檢具下列文件：\n一、保險單或其謄本。\n二、申請書。\n三、診斷書。", source="理賠.md")
PRICES = hit(
    "快递费用：\n\n- 国内 20 元\n- 国外 90 元\n\nShipping prices:\n\n- home 3 euros\n- abroad 9 euros", source="ship.md"
)


@pytest.mark.parametrize(
    ("question", "page", "answer"),
    [
        (
            "Who bears the bank fees of the intermediary bank?",
            FEES,
            "Bank fees of the intermediary bank are borne by the sender, with these exceptions [1]:\n"
            "1. Errors of the company [1].\n2. Wrong accounts [1].",
        ),
        (
            "中间行的手续费由谁负担？",
            MINGLED,
            "中间行的手续费由汇款人负担，但有下列例外 [1]：\n1. 公司的错误 [1]。\n2. 账号有误 [1]。",
        ),
        (
            "How long does parental leave last otherwise?",
            LEAVE,
            "Parental leave lasts as long as the law says, in this order [1]:\n"
            "1. Six weeks before birth [1].\n2. Eight weeks after birth [1].\n3. Otherwise twelve weeks [1].",
        ),
        (
            "系统时区何时使用世界时？",
            ZONE,
            "系统时区按以下顺序决定 [1]：\n1. 使用环境变量 [1]。\n2. 读取本地文件 [1]。\n3. 上述方法均失败时使用世界时 [1]。",
        ),
        (
            "申請理賠要交保險單嗎？",
            PAPERS,
            "申請理賠時應檢具下列文件 [1]：\n1. 保險單或其謄本 [1]。\n2. 申請書 [1]。\n3. 診斷書 [1]。",
        ),
    ],
)
def test_a_lead_is_told_with_its_list(question: str, page: object, answer: str) -> None:
    context = build(question, [page])
    text = extract(question, context)
    assert text == answer.replace("1. 保險", "一、保險").replace("2. 申請", "二、申請").replace("3. 診斷", "三、診斷")
    verified = verify_answer(text, context.passages)
    assert {sentence.status for sentence in verified.sentences} == {"verified"}
    assert all(citation.quote in page.text for citation in verified.citations)


@pytest.mark.parametrize(
    ("lead", "item", "last", "more"),
    [
        ("Pack the crate in this order:", "the lamp goes into part number {n} of the crate, and it is wrapped twice", "anchor", leads.MORE[1]),
        ("装箱按以下顺序进行：", "灯放进箱子的第{n}格，并且包两层纸，再用软木塞紧，最后贴上写着日期与名字的标签", "铁锚", leads.MORE[0]),
    ],
)  # fmt: skip
def test_of_a_long_list_the_asked_item_is_told_with_a_sign_of_what_is_left_out(lead, item, last, more):
    items = [item.format(n=100 + n) for n in range(16)]
    items[5] = items[5].replace("lamp", last).replace("灯", last)
    page = hit(lead + "\n\n" + "\n".join(f"{n + 1}. {text}" for n, text in enumerate(items)), source="crate.md")
    chosen = next(piece for piece in pieces(page) if last in piece.text)
    text = leads.told(page.text, pieces(page), chosen, 1, lambda said: f"{said} [1]", last == "铁锚")
    assert text.split("\n") == [f"{lead[:-1]} [1]{lead[-1]}", "…", f"6. {items[5]} [1]", more]
    verified = verify_answer(text, build(last, [page], tokens=4000).passages)
    assert {sentence.status for sentence in verified.sentences} == {"verified"}
    assert verified.text == text
    alone = leads.told(page.text, pieces(page), pieces(page)[0], 1, lambda said: f"{said} [1]", last == "铁锚")
    assert alone.split("\n")[1] == f"1. {items[0]} [1]"
    assert alone.endswith(more)


@pytest.mark.parametrize(
    ("lead", "way", "word", "more"),
    [
        ("Pack the crate in this order:", "wrap the thing number {n} in paper twice and put it into the big crate", "lamp", leads.MORE[1]),
        ("装箱按以下顺序进行：", "第{n}件东西要包两层纸，放进大箱子里，再用软木塞紧，最后贴上写着日期与名字的标签", "灯", leads.MORE[0]),
    ],
)  # fmt: skip
def test_an_item_of_a_long_list_is_told_below_the_one_that_it_belongs_to(lead, way, word, more):
    steps = [
        f"{n}. {way.format(n=n)}:\n    - {way.format(n=n + 100)}\n    - {word}{n} {way.format(n=n)}"
        for n in range(1, 9)
    ]
    page = hit(lead + "\n\n" + "\n".join(steps), source="crate.md")
    chosen = next(piece for piece in pieces(page) if f"{word}4" in piece.text)
    text = leads.told(page.text, pieces(page), chosen, 1, lambda said: f"{said} [1]", word == "灯")
    step, _other, own = steps[3].split("\n")
    assert text.split("\n")[1:] == ["…", f"{step} [1]", "    …", f"{own} [1]", more]


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        (
            "Where is soap used?",
            "## Cleaning\n\n- Lid: oil\n- Floor of the crate:\n    - soap is used there\n    - sand is used, too",
            "- Floor of the crate [1]:\n    - soap is used there [1]\n    - sand is used, too [1]",
        ),
        (
            "肥皂用在何处？",
            "## 清洁\n\n- 盖子：油\n- 箱子的底部：\n    - 这里要用肥皂清洗\n    - 也可以用沙子",
            "- 箱子的底部 [1]：\n    - 这里要用肥皂清洗 [1]\n    - 也可以用沙子 [1]",
        ),
    ],
)
def test_what_an_item_announces_is_told_with_it(question, text, answer):
    assert extract(question, build(question, [hit(text, source="crate.md")])) == answer


@pytest.mark.parametrize(
    ("text", "lead"),
    [
        (
            "In this order, always:\n\n1. Open it.\n\n    Mind these things:\n\n    - lamp\n\n2. Close it.",
            "Mind these things:",
        ),
        ("按以下顺序：\n\n1. 打开。\n\n    注意下列东西：\n\n    - 灯\n\n2. 合上。", "注意下列东西："),
        (
            "- Open it. Mind:\n\nthese things:\n   - lamp\n1. Close it.",
            "these things:",
        ),  # the passage begins within an item
        ("- 打开。\n\n下列东西：\n   - 灯\n1. 合上。", "下列东西："),
    ],
)
def test_what_a_paragraph_of_an_item_announces_ends_with_that_item(text, lead):
    assert [piece.lead for piece in pieces(hit(text)) if piece.kind == "item"][1:] == [lead, ""]


@pytest.mark.parametrize(
    ("claim", "page", "status"),
    [
        ("Parental leave lasts as long as the law says, in this order: Otherwise twelve weeks [1].", LEAVE, "unsupported"),
        ("系统时区按以下顺序决定：上述方法均失败时使用世界时 [1]。", ZONE, "unsupported"),
        ("Otherwise twelve weeks [1].", LEAVE, "verified"),
        ("上述方法均失败时使用世界时 [1]。", ZONE, "verified"),
        ("Shipping prices: abroad 9 euros [1].", PRICES, "verified"),
        ("快递费用：国外 90 元 [1]。", PRICES, "verified"),
    ],
)  # fmt: skip
def test_a_lead_and_a_later_item_are_one_sentence_only_where_items_are_values(claim, page, status):
    verified = verify_answer(claim, build("?", [page]).passages)
    assert [sentence.status for sentence in verified.sentences] == [status]


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("Shipping prices: abroad 9 euros [1].", "Shipping prices:\n\n- home 3 euros\n- abroad 9 euros"),
        ("快递费用：国外 90 元 [1]。", "快递费用：\n\n- 国内 20 元\n- 国外 90 元"),
        ("国外 90 元 [1]。", "国外 90 元"),
    ],
)
def test_what_is_quoted_for_lead_and_item_holds_both(claim, quote):
    verified = verify_answer(claim, build("?", [PRICES]).passages)
    assert [citation.quote for citation in verified.citations] == [quote]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Currently, a rotation is two weeks:", True),
        ("The board ratified the appointment of a new auditor:", True),
        ("For a terrarium have the following ready:", False),
        ("If you have lost your card, follow these steps:", False),
        ("Default values of the service:", False),
        ("手续费由汇款人负担，但下列情形不在此限：", True),
        ("目前一次轮值为期两周：", True),
        ("系统决定时区的具体逻辑如下：", False),
        ("如果忘记密码，请按以下步骤操作：", False),
        ("会员的价格与权益说明：", False),
    ],
)
def test_which_leads_say_something(text: str, says: bool) -> None:
    assert leads.says(text) is says


def test_han_numbers_begin_items_below_a_colon_only() -> None:
    assert [(piece.kind, piece.worded) for piece in pieces(PAPERS)][1:] == [
        ("item", "保險單或其謄本。"), ("item", "申請書。"), ("item", "診斷書。"),
    ]  # fmt: skip
    assert {piece.kind for piece in pieces(hit("一、适用范围\n本办法适用于员工。", source="a.md"))} == {"sentence"}


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("For\t1,125\nAgainst\t65\nAbstain\t7", ["For: 1,125", "Against: 65", "Abstain: 7"]),
        ("| 赞成 | 1,125 |\n|---|---|\n| 反对 | 65 |", ["赞成: 1,125", "反对: 65"]),
    ],
)
def test_a_table_of_labels_and_figures_has_no_header(text: str, rows: list[str]) -> None:
    assert [(piece.kind, piece.worded) for piece in pieces(hit(text))] == [("row", row) for row in rows]
