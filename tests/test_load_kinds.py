"""Laws, contracts and conversations in formats that have no headings, and what only looks like one. Expectations worked out by hand."""

# ruff: noqa: E501 -- documents in one line

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yinju.chunk import chunk
from yinju.load import load
from yinju.load.numbering import chains, follows, numeral, read
from yinju.text.turns import find_turns
from yinju.types import Document

DUTY = "当事人一方不履行义务的，应当承担继续履行、采取补救措施或者赔偿损失等责任。"


def document(text: str, source: str = "a.txt") -> Document:
    return load(text.encode(), source).document


def outline(read: Document) -> list[tuple[int, str]]:
    return [(mark.level, mark.label) for mark in read.marks if mark.kind == "heading"]


LAW = f"""中华人民共和国示例法

目录
第一章 总则
第二章 违约责任
第三章 附则

第一章 总则

第一条　{DUTY}

第二条　{DUTY}

第二章 违约责任

第三条 下列情形依照
第八条规定办理：
（一）其一；
（二）其二。

第三条之一 {DUTY}

第四条 {DUTY}根据本法
第二条第一款，可以减轻。

第三章 附则

第五条 本法自公布之日起施行。

附件：名单

张三
"""


def test_a_law_in_plain_text() -> None:
    read = document(LAW)
    assert (read.preset, read.title) == ("law", "中华人民共和国示例法")
    assert [label for _, label in outline(read)] == [
        "第一章 总则", "第一条", "第二条", "第二章 违约责任", "第三条 下列情形依照", "第三条之一", "第四条", "第三章 附则", "第五条", "附件：名单",
    ]  # fmt: skip
    chapter, article = outline(read)[3][0], outline(read)[5][0]
    assert article > chapter
    place = read.text.index("根据本法")
    assert read.headings(place) == ("第二章 违约责任", "第四条")


def test_the_chunks_of_a_law_are_its_articles() -> None:
    read = document(LAW)
    chunks = chunk(read)
    trails = [one.headings for one in chunks]
    assert ("第二章 违约责任", "第三条之一") in trails
    third = next(one for one in chunks if one.text.startswith("第二章"))
    assert third.text.endswith("（二）其二。")  # with its chapter's title and all of its items
    assert sum("其一" in one.text for one in chunks) == 1


@pytest.mark.parametrize("source", ["a.md", "a.txt"])
def test_a_contract_with_bold_clauses(source: str) -> None:
    names = ["合同期限", "工作内容", "劳动报酬", "合同解除"]
    parts = [f"**第{n}条 {name}**\n\n{DUTY}" for n, name in zip("一二三四", names, strict=True)]
    read = document("# 劳动合同\n\n" + "\n\n".join(parts) + "\n", source)
    assert read.preset == "law"
    assert [label for _, label in outline(read)][-4:] == [
        f"第{n}条 {name}" for n, name in zip("一二三四", names, strict=True)
    ]
    assert not any(one.text.startswith("*\n") or one.text.endswith("\n**") for one in chunk(read))


def test_an_excerpt_with_parts_left_out() -> None:
    text = (
        "示例法（节选）\n\n第一章　总则\n"
        + "".join(f"第{n}条　{DUTY}\n" for n in (3, 4, 13, 14))
        + "第二章　其他\n"
        + f"第205条　{DUTY}\n第206条　{DUTY}\n"
    )
    read = document(text)
    assert [label for _, label in outline(read)] == [
        "第一章 总则",
        "第3条",
        "第4条",
        "第13条",
        "第14条",
        "第二章 其他",
        "第205条",
        "第206条",
    ]
    assert {one.headings for one in chunk(read)} >= {("第二章 其他", "第205条"), ("第一章 总则", "第14条")}


def test_titles_in_brackets() -> None:
    read = document("示例法\n" + "\n".join(f"第{n}条 【立法目的】{DUTY}" for n in "一二三四"))
    assert outline(read)[0] == (1, "第一条 立法目的")
    assert read.marks[0].span.of(read.text) == "第一条 【立法目的】"


def test_articles_and_sections_in_english() -> None:
    read = document(
        "SERVICE AGREEMENT\n\nThis Agreement is made between the parties.\n\nARTICLE I\nDEFINITIONS\n\n"
        "Section 1.1 Terms. The parties shall agree on terms.\n\nSection 1.2 Use. The customer shall pay.\n\n"
        "ARTICLE II\nPAYMENT\n\nSection 2.1 Price. As in Section 1.2 the price shall be paid.\n\n"
        "Section 2.2 Delay. Interest at the rate of the central bank shall be due at once, as\nSection 2.1 of this Agreement says.\n"
    )
    assert (read.preset, read.title) == ("law", "SERVICE AGREEMENT")
    assert outline(read) == [
        (1, "ARTICLE I DEFINITIONS"), (2, "Section 1.1 Terms"), (2, "Section 1.2 Use"),
        (1, "ARTICLE II PAYMENT"), (2, "Section 2.1 Price"), (2, "Section 2.2 Delay"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "SERVICE AGREEMENT\nThis Agreement binds the parties.\nARTICLE I SERVICES\nSection 1.1 Scope. The seller shall deliver the pumps.\n"
            "Section 1.2 Place. Delivery is to the port.\nARTICLE II PAYMENT\nSection 2.1 Invoices. The seller shall invoice monthly.\n"
            'Section 2.2 Interest. As the statute has it:\n"Section 12 Interest. No person shall charge more."\n',
            [
                (1, "ARTICLE I SERVICES"),
                (2, "Section 1.1 Scope"),
                (2, "Section 1.2 Place"),
                (1, "ARTICLE II PAYMENT"),
                (2, "Section 2.1 Invoices"),
                (2, "Section 2.2 Interest"),
            ],
        ),
        (
            "买卖合同\n甲方与乙方订立本合同。\n第一章 标的\n第一条 卖方应当交付水泵。\n第二条 交付地点为港口。\n第二章 价款\n第三条 卖方按月开票。\n"
            "第四条 依照法律规定：\n“第五百八十五条 当事人可以约定违约金。”\n",
            [(1, "第一章 标的"), (2, "第一条"), (2, "第二条"), (1, "第二章 价款"), (2, "第三条"), (2, "第四条")],
        ),
    ],
)
def test_clauses_of_one_line_each_stand_below_their_article(text: str, expected: list[tuple[int, str]]) -> None:
    document = load(text.encode(), "a.txt").document
    assert [(mark.level, mark.label) for mark in document.marks if mark.kind == "heading"] == expected


def test_contracts_numbered_otherwise() -> None:
    chinese = document(
        "房屋租赁合同\n\n甲方（出租人）：张三\n乙方（承租人）：李四\n\n一、租赁标的\n甲方将房屋出租给乙方使用。\n1. 面积；\n2. 位置。\n\n"
        "二、租金：每月三千元，乙方应于每月五日前付清。\n\n三、违约责任\n双方应遵守本合同。\n"
    )
    assert (chinese.preset, outline(chinese)) == ("law", [(1, "一、租赁标的"), (1, "二、租金"), (1, "三、违约责任")])
    english = document(
        "# Services Agreement\n\nThe parties agree:\n\n1. Definitions. Terms shall have their meaning.\n\n"
        "2. Payment. The customer shall pay.\n\n3. Term. This agreement shall last a year.\n",
        "a.md",
    )
    assert english.preset == "law"
    assert outline(english)[1:] == [(2, "1. Definitions"), (2, "2. Payment"), (2, "3. Term")]
    assert [one.headings[-1] for one in chunk(english)][1:] == ["1. Definitions", "2. Payment", "3. Term"]


@pytest.mark.parametrize(
    "text",
    [
        "新闻\n\n"
        + "记者获悉，有关部门发布了新规。" * 9
        + "\n第八条规定，应当赔偿。\n第九条 也很重要。\n"
        + "评论员认为。" * 9,
        "论文\n\n" + "研究表明。" * 200 + "\n第一条 甲。\n第二条 乙。\n第三条 丙。\n",
        "读后感\n第一条 甲。\n第二条 乙。\n第三条 丙。\n" + "我认为这几条都很好。" * 200,
        "杂记\n第三条 河。\n第九条 鱼。\n第二条 船。\n",
        "关于放假的通知\n\n一、时间\n五天。\n二、要求\n值班。\n三、其他\n无。\n",
        "Shopping\n\n1. Milk\n2. Bread\n3. Eggs\n",
        "Section 1 of the book is long.\n\nSection 2 is short.\n\nSection 3 ends.\n",
        "| 条款 | 说明 |\n|---|---|\n| 第一条 | 甲 |\n| 第二条 | 乙 |\n| 第三条 | 丙 |\n",
    ],
)
def test_what_is_no_law(text: str) -> None:
    read = document(text, "a.md")
    assert read.preset is None
    assert outline(read) == []


CHATS = {
    "wechat": "张三 2024-03-01 10:00\n今天发版吗？\n\n李四 2024-03-01 10:02\n发，下午三点。\n记得先备份。\n\n张三 2024-03-01 10:05\n好的\n",
    "qq": "2024-03-01 10:00:12 张三(10001)\n你好\n\n2024-03-01 10:01:12 李四(10002)\n你好啊\n\n2024-03-01 10:02:12 张三(10001)\n嗯\n",
    "brackets": "[10:00] Bob: hi\n[10:01] Amy: hello\nmore\n[10:02] Bob: bye\n",
    "whatsapp": "2024/3/1, 10:00 - Bob: hi\n2024/3/1, 10:01 - Amy Smith: hello\n2024/3/1, 10:02 - Bob: bye\n",
    "slack": "Bob  10:00 AM\nhi all\n\nAmy Smith  10:02 AM\nhello\n\nBob  10:05 AM\nok\n",
    "teams": "[3/1/2024 10:00 AM] Bob Lee\nhi\n\n[3/1/2024 10:02 AM] Amy\nhello\n\n[3/1/2024 10:05 AM] Bob Lee\nok\n",
    "irc": "10:00 <bob> hi\n10:01 <amy> hello\n10:02 <bob> x\n",
    "transcript": "会议记录\n\n张三 00:01:23\n大家好。\n\n李四（产品） 00:02:10\n你好。\n\n张三 00:02:30\n开始。\n",
    "named": "主持人：今天讨论预算。\n王五（财务）：我先说。\n主持人：请。\n王五（财务）：一共三十万。\n李四：我同意。\n李四：散会。\n",
    "names": "Bob: hi there.\nAmy: hello!\nBob: how are you?\nAmy: fine.\nBob: Good.\nAmy: Bye.\n",
    "bold": "**Bob:** hi, all.\n\n**Amy:** yes.\n\n**Bob:** no.\n\n**Amy:** why?\n\n**Bob:** so.\n\n**Amy:** ok.\n",
    "lines": "张三:\n你好。\n\n李四:\n你好啊。\n\n张三:\n忙吗？\n\n李四:\n忙。\n\n张三:\n好吧。\n\n李四:\n再见。\n",
}


@pytest.mark.parametrize("name", CHATS)
def test_conversations(name: str) -> None:
    text = CHATS[name]
    read = document(text, "a.md" if name == "bold" else "a.txt")
    turns = find_turns(read.text)
    assert read.preset == "chat"
    assert len(turns) == (3 if len(turns) == 3 else 6)
    assert len({turn.speaker for turn in turns}) == (3 if name == "named" else 2)
    assert text[turns[0].span.start :].split() == " ".join(turn.span.of(text) for turn in turns).split()
    assert all(turn.opening.of(text) and turn.span.start == turn.opening.start for turn in turns)


@pytest.mark.parametrize(
    "text",
    [
        "2024-03-01 10:00:12 INFO: started\n2024-03-01 10:00:13 ERROR: failed\n2024-03-01 10:00:14 INFO: stop\n",
        "名称：水泵\n型号：A1\n功率：3\n名称：阀门\n型号：B2\n功率：5\n名称：管\n型号：c\n功率：8\n",
        "问：多少钱？\n答：三元。\n问：何时？\n答：明天。\n问：谁？\n答：我。\n",
        "Q: How much?\nA: Three.\nQ: When?\nA: Now.\nQ: Who?\nA: Me.\n",
        "10:00 开幕\n10:30 茶歇\n11:00 报告\n12:00 茶歇\n13:00 报告\n",
        "他说：今天。\n后来，她说：明天。\n",
        "```\nbob: a.\namy: b.\nbob: c.\namy: d.\nbob: e.\namy: f.\n```\n",
    ],
)
def test_what_is_no_conversation(text: str) -> None:
    assert document(text, "a.md").preset is None


def test_a_turn_that_fits_is_never_cut_and_speaker_and_time_stay() -> None:
    text = "".join(
        f"{'张三' if n % 2 else '李四'} 2024-03-01 10:{n:02}\n"
        + f"第{n}件事这样办。还要再说一句！\n" * (1 + n % 3)
        + "\n"
        for n in range(60)
    )
    read = document(text)
    chunks = chunk(read)
    turns = find_turns(read.text)
    assert (len(turns), read.preset) == (60, "chat")
    assert len(chunks) > 5
    for one in chunks:
        assert any(turn.span.start == one.span.start for turn in turns)
        assert any(turn.span.end == one.span.end for turn in turns)


def test_the_parts_of_a_long_turn_say_who_speaks() -> None:
    long = "".join(f"我还要说第{n}件很长的事情，请大家注意。" for n in range(60))
    read = document(f"张三 2024-03-01 10:00\n好。\n\n李四 2024-03-01 10:02\n{long}\n\n张三 2024-03-01 10:05\n行。\n")
    chunks = chunk(read)
    parts = [one for one in chunks if "我还要说" in one.text]
    assert len(parts) > 2
    assert parts[0].text.startswith(("李四", "张三"))
    assert [one.header for one in parts[1:]] == ["李四 2024-03-01 10:02"] * (len(parts) - 1)
    assert chunks[-1].text.startswith("张三 2024-03-01 10:05")


@pytest.mark.parametrize(
    ("text", "style", "value"),
    [
        ("第一百零二条 甲", "条", (102,)),
        ("第12条之二", "条", (12, 2)),
        ("第 三 章", "章", (3,)),
        ("第二分编", "分编", (2,)),
        ("十二、甲", "一、", (12,)),
        ("（三）甲", "（一）", (3,)),
        ("3.2.1 甲", "1.1", (3, 2, 1)),
        ("3. 甲", "1.", (3,)),
        ("Article IV Scope", "article", (4,)),
        ("SECTION 4.2", "section", (4, 2)),
        ("§ 12", "section", (12,)),
        ("Clause nine", "clause", (9,)),
    ],
)
def test_numbers_at_the_start(text: str, style: str, value: tuple[int, ...]) -> None:
    found = read(text)
    assert found is not None
    assert (found.style, found.value) == (style, value)


@pytest.mark.parametrize(
    "text", ["第一次", "3.14", "1.5%", "10:00", "Article about", "Sections", "一些", "2024-01-01", "Section civil"]
)
def test_what_is_no_number(text: str) -> None:
    found = read(text)
    assert found is None or found.style == "1.1"  # 3.14 may be a section; it counts only where it follows 3.13


def test_numerals_and_order() -> None:
    assert [numeral(text) for text in ("十", "二十一", "一百零三", "二〇二四", "１２", "两百")] == [
        10,
        21,
        103,
        2024,
        12,
        200,
    ]
    assert follows((1, 4), (2, 1))
    assert follows((12,), (12, 1))
    assert follows((12, 1), (13,))
    assert not follows((12,), (14,))
    assert not follows((1, 4), (2, 2))
    assert chains([(1,), (8,), (2,), (3,), (1,), (2,)]) == [[0, 2, 3], [4, 5]]


LINES = st.sampled_from(
    ["第一章 总则", "第一条 甲。", "第二条 乙。", "第三条 丙", "第三条之一 丁", "第五条", "目录", "附件：", "一、甲方", "二、乙方", "三、双方", "本合同", "",
     "张三 10:00", "李四 10:01", "张三：好。", "李四：行。", "Section 1 A", "Section 2 B", "shall party agreement hereby", "正文。", "| a |", "|---|", "**第四条**"]
)  # fmt: skip


@given(st.lists(LINES, max_size=40).map("\n".join), st.sampled_from(["a.md", "a.txt"]))
@settings(max_examples=200, deadline=None)
def test_any_lines_give_sound_marks_and_chunks(text: str, source: str) -> None:
    read = document("x\n\n" + text, source)
    assert sorted(read.marks, key=lambda mark: (mark.span.start, -mark.span.end)) == list(read.marks)
    for mark in read.marks:
        assert 0 <= mark.span.start < mark.span.end <= len(read.text)
        assert mark.kind != "heading" or (mark.label and mark.level > 0)
    place = 0
    for one in chunk(read):
        assert not read.text[place : one.span.start].strip()
        assert one.span.end > place
        place = one.span.end
    assert not read.text[place:].strip()


@pytest.mark.slow
@pytest.mark.parametrize(
    "part",
    [
        "第一条 甲\n",
        "第一条\n第二条\n",
        "张三 10:00\n",
        "a:\n",
        "[10:00] a",
        "(((((\n",
        "Section 1.1 A\n",
        "一、甲方乙方\n",
        "1. shall\n",
    ],
)
def test_hostile_lines_take_linear_time(part: str) -> None:
    text = "合同 shall party agreement hereby\n" + part * (100_000 // len(part))
    started = time.process_time()
    document(text)
    assert time.process_time() - started < 4
