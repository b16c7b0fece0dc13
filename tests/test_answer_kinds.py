"""Which lines are never an answer: labels without a value, header rows, heads of mails; and which are: printed output, lines of a log."""

from __future__ import annotations

import re

import pytest

from answer_hits import hit
from yinju.answer.context import build
from yinju.answer.cues import kinds
from yinju.answer.extract import extract
from yinju.answer.verify import verify_answer
from yinju.types import Hit


def answer(question: str, *hits: Hit) -> str:
    """Return the extract without markers; each of its sentences has its citation."""
    context = build(question, list(hits), tokens=4000)
    text = extract(question, context)
    proved = verify_answer(text, context.passages)
    assert set(re.findall(r"\[(\d)\]", proved.text)) == {str(citation.marker) for citation in proved.citations}
    assert all(sentence.status == "verified" for sentence in proved.sentences)
    return re.sub(r" ?\[\d\]", "", text)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("范围：``\n", "payment gateway timeout 的范围是什么？"),
        ("- Range: ``\n- Type: ` `", "What is the range of the payment gateway timeout?"),
        ("适用范围：“”\n", "适用范围是什么？"),
        ("Value range: **", "What is the value range?"),
    ],
)
def test_a_label_without_a_value_is_no_answer(text: str, question: str) -> None:
    assert answer(question, hit(text, source="a.md", headings=("payment gateway timeout",))) == ""


TABLE = "\t2023\t2023\t2024\t2024\nRegion\tUnits\tRevenue\tUnits\tRevenue\nNorth\t1200\t45600\t1310\t51230\nSouth\t890\t33100\t905\t34790"
TABLE_ZH = "地区\t上半年\t上半年\t下半年\t下半年\n\t数量\t收入\t数量\t收入\n华北\t1200\t45600\t1310\t51230\n华南\t890\t33100\t905\t34790"


@pytest.mark.parametrize(
    ("text", "question", "said"),
    [
        (TABLE, "What was the North revenue in 2024?", "2024 Revenue: 51230"),
        (TABLE_ZH, "华北下半年收入多少？", "下半年 收入: 51230"),
        ("Name\tExt\nXu\t5588\nLi\t5601", "What is the extension of Xu?", "Name: Xu; Ext: 5588"),
    ],
)
def test_header_rows_are_no_answer(text: str, question: str, said: str) -> None:
    found = answer(question, hit(text, source="sales.xlsx"))
    assert said in found
    assert found.count("\n") == 0


MAIL_ZH = """发件人：陈志远 <chen@example.cn>
收件人：李经理 <li@example.cn>
日期：2024-06-03 16:20:11 +0800
附件：样品清单.txt

李经理，您好：

样品已于 6 月 3 日由顺丰寄出，单号 SF1387764420915，预计 6 月 5 日送达。
请收到后回复。"""
MAIL = """From: Ann Lee <ann@example.com>
To: Bob Ray <bob@example.com>
Date: 2024-06-03 16:20:11 +0000
Attachments: samples-7.txt

Dear Bob,

The samples were sent with tracking number SF1387764420915 and arrive on Friday.
Please reply."""


@pytest.mark.parametrize(
    ("text", "question", "said"),
    [
        (MAIL_ZH, "样品的顺丰单号是多少？", "单号 SF1387764420915"),
        (MAIL, "What is the tracking number of the samples?", "tracking number SF1387764420915"),
        (MAIL_ZH, "这封邮件的收件人是谁？", "收件人：李经理"),
        (MAIL, "Who is the mail to Bob from?", "From: Ann Lee"),
    ],
)
def test_the_head_of_a_mail_answers_only_who_and_when(text: str, question: str, said: str) -> None:
    found = answer(question, hit(text, source="samples.eml", headings=("样品 samples",)))
    assert said in found
    assert ("From:" in found or "发件人" in found) == ("SF13" not in said)


@pytest.mark.parametrize(
    ("text", "question", "said"),
    [
        (
            "We predict churn with a window of 45 days.\n\n```python\nmodel.fit(X, y)\n```\n\n```output\nAUC on validation: 0.8731\n```",
            "What AUC does the churn model reach on validation?",
            "AUC on validation: 0.8731",
        ),
        (
            "我们用 45 天的窗口预测流失。\n\n```output\n验证集 AUC：0.8731\n```",
            "流失模型验证集的 AUC 是多少？",
            "验证集 AUC：0.8731",
        ),
    ],
)
def test_what_code_printed_can_be_quoted(text: str, question: str, said: str) -> None:
    assert answer(question, hit(text, source="churn.ipynb", headings=("Churn model 流失模型",))) == said


@pytest.mark.parametrize(
    ("line", "question"),
    [
        (
            "2024-06-01 10:01:00 ERROR payment gateway timeout code=PGW-4411",
            "What code did the payment gateway timeout have?",
        ),
        ("2024-06-01 10:01:00 错误 支付网关超时 代码=PGW-4411", "支付网关超时的代码是什么？"),
        ("[2024/06/01 10:01:00] 错误 支付网关超时 代码=PGW-4411", "支付网关超时的代码是什么？"),
    ],
)
def test_a_log_is_quoted_by_the_line(line: str, question: str) -> None:
    lines = [f"2024-06-01 10:00:{second:02} INFO ok {second}" for second in range(60)]
    assert answer(question, hit("\n".join([*lines[:40], line, *lines[40:]]), source="server.log")) == line


@pytest.mark.parametrize(
    "question",
    ["快递单号是多少？", "他的分机是多少", "错误代码是什么？", "主库 IP 是多少？", "What is the tracking number?", "Which error code was raised?",
     "what's the IP address of the server?"],
)  # fmt: skip
def test_questions_for_a_code(question: str) -> None:
    assert kinds(question)[0] == "code"


@pytest.mark.parametrize(
    "question",
    ["代码怎么写？", "编号规则有哪些？", "What number of users is allowed?", "How do I write code?", "有多少个型号？"],
)
def test_questions_that_only_name_codes(question: str) -> None:
    assert "code" not in kinds(question)
