"""Mails, mailboxes and Outlook messages: Chinese in every encoding that mail programs use, the text once, nothing lost in silence."""

from __future__ import annotations

import base64
import random
import struct
from email.message import EmailMessage
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.ole_writer import compound

from yinju.errors import DocumentError
from yinju.load import Loaded, load

BENCH = Path(__file__).parents[2] / "shared" / "bench" / "files-mixed" / "files"


BYTES = "测试邮件".encode()
CUT_IN_TWO = (base64.b64encode(BYTES[:7]), base64.b64encode(BYTES[7:]))  # inside of the third character


def mail(body: str = "", *, subject: str = "", extra: str = "", head: str = "text/plain; charset=utf-8") -> bytes:
    lines = [f"Subject: {subject}", "From: a@example.com", f"Content-Type: {head}"]
    return ("\n".join([*lines, *([extra] if extra else [])]) + "\n\n" + body).encode()


def loaded(data: bytes, source: str = "a.eml") -> Loaded:
    return load(data, source)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"=?gb2312?B?suLK1NPKvP4=?=", "测试邮件"),
        (b"=?UTF-8?Q?=E6=B5=8B=E8=AF=95?= =?UTF-8?Q?=E9=82=AE=E4=BB=B6?=", "测试邮件"),
        (b"=?utf-8?B?%s?=\r\n =?utf-8?B?%s?=" % CUT_IN_TWO, "测试邮件"),
        ("测试邮件".encode("gbk"), "测试邮件"),  # bytes without any word for it
        (b"=?big5?B?tPq41Q==?= Re: x", "測試 Re: x"),
        (b"=?iso-2022-jp?B?GyRCRnxLXBsoQg==?=", "日本"),
        (b"Re: =?nonsense?Q?abc?=", "Re: abc"),
        (b"=?utf-8?B?!!!?= plain", "plain"),
    ],
)
def test_subjects(raw, expected):
    document = loaded(b"Subject: " + raw + b"\r\nFrom: a@example.com\r\n\r\nbody\r\n").document
    assert document.title == expected
    assert [mark.label for mark in document.marks if mark.kind == "heading"] == [expected]


@pytest.mark.parametrize(
    ("charset", "encoding", "body"),
    [
        ("gb2312", "gbk", "请于周五前提交报销单，逾期不候。"),
        ("gb2312", "utf-8", "请于周五前提交报销单，逾期不候，谢谢各位同事的配合与支持。"),  # the mail lies
        ("", "gbk", "请于周五前提交报销单，逾期不候，谢谢各位同事的配合与支持。"),
        ("big5", "big5", "請於週五前提交報銷單，逾期不候。"),
        ("iso-2022-jp", "iso2022_jp", "金曜日までに提出してください。"),
        ("utf-8", "utf-8", "Please hand in your expenses by Friday."),
        ("us-ascii", "cp1252", "The café’s menu"),
    ],
)
@pytest.mark.parametrize("transfer", ["base64", "8bit", "quoted-printable"])
def test_bodies(charset, encoding, body, transfer):
    raw = body.encode(encoding)
    if transfer == "base64":
        raw = base64.encodebytes(raw)
    if transfer == "quoted-printable":
        raw = b"".join(b"=%02X" % byte for byte in raw)
    head = f"text/plain; charset={charset}" if charset else "text/plain"
    data = f"Subject: x\nContent-Type: {head}\nContent-Transfer-Encoding: {transfer}\n\n".encode() + raw
    document = loaded(data).document
    assert document.text == "x\n\n" + body


@pytest.mark.parametrize(
    ("sender", "to", "subject", "body", "labels"),
    [
        ("张三 <zhang@example.com>", "李四 <li@example.com>", "周会", "下午三点开会。", ("发件人：", "收件人：", "日期：")),
        ("Ann <ann@example.com>", "Bob <bob@example.com>", "Meeting", "At three.", ("From: ", "To: ", "Date: ")),
    ],
)  # fmt: skip
def test_who_wrote_to_whom(sender, to, subject, body, labels):
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = sender, to, subject
    message["Date"] = "Fri, 05 Jan 2024 10:30:00 +0800"
    message.set_content(body)
    found = loaded(message.as_bytes()).document
    lines = [f"{labels[0]}{sender}", f"{labels[1]}{to}", f"{labels[2]}2024-01-05 10:30:00 +0800"]
    assert found.text == "\n\n".join([subject, "\n".join(lines), body])
    assert dict(found.metadata) == {"author": sender, "to": to, "created": "2024-01-05T10:30:00+08:00"}


def alternatives(plain: str, html: str) -> bytes:
    message = EmailMessage()
    message["Subject"] = "x"
    message.set_content(plain)
    message.add_alternative(html, subtype="html")
    return message.as_bytes()


@pytest.mark.parametrize(
    ("plain", "html", "expected"),
    [
        ("价格为十元。", "<p>价格为<b>十元</b>。</p>", "价格为十元。"),
        ("It costs ten.", "<p>It costs <b>ten</b>.</p>", "It costs ten."),
        (" ", "<p>价格为十元。</p>", "价格为十元。"),
        ("See HTML", "<p>" + "It costs ten. " * 5 + "</p>", ("It costs ten. " * 5).strip()),
    ],
)
def test_the_text_stands_there_once(plain, html, expected):
    found = loaded(alternatives(plain, html))
    assert found.document.text == "x\n\n" + expected


def test_quoted_history_is_text_and_no_heading():
    body = "好的。\n\n-----原始邮件-----\n# 标题\n> 引用一\n> 引用二\n"
    document = loaded(mail(body, subject="Re")).document
    assert document.text.endswith("好的。\n\n-----原始邮件-----\n# 标题\n> 引用一\n> 引用二")
    assert len(document.marks) == 1


@pytest.mark.parametrize("name", ["合同.pdf", "contract.pdf"])
def test_attachments_are_named(name):
    message = EmailMessage()
    message["Subject"] = "x"
    message.set_content("见附件。")
    message.add_attachment(b"%PDF-1.4", maintype="application", subtype="pdf", filename=name)
    message.add_attachment("内部文字", filename="b.txt")
    found = loaded(message.as_bytes())
    assert f"附件：{name}, b.txt" in found.document.text
    assert "内部文字" not in found.document.text
    assert found.receipt.warnings == ("attachments: 2",)


def test_a_mail_inside_of_a_mail_is_a_section():
    inner = EmailMessage()
    inner["Subject"] = "原邮件"
    inner.set_content("里面的话。")
    outer = EmailMessage()
    outer["Subject"] = "转发"
    outer.set_content("外面的话。")
    outer.add_attachment(inner)
    document = loaded(outer.as_bytes()).document
    assert document.text == "转发\n\n外面的话。\n\n原邮件\n\n里面的话。"
    assert [(mark.level, mark.label) for mark in document.marks] == [(1, "转发"), (2, "原邮件")]


def test_flowed_lines_go_on():
    document = loaded(mail("one \ntwo\nthree\n-- \nme", head="text/plain; format=flowed")).document
    assert document.text.endswith("one two\nthree\n--\nme")


@pytest.mark.parametrize(("first", "second"), [("第一封", "第二封"), ("First", "Second")])
def test_mailboxes(first, second):
    data = b"".join(
        b"From a@example.com Fri Jan  5 10:30:00 2024\n" + mail("body", subject=s) + b"\n\n" for s in (first, second)
    )
    document = loaded(data, "a.mbox").document
    assert [mark.label for mark in document.marks] == [first, second]
    assert document.metadata["mails"] == 2


def test_an_encrypted_mail_says_so():
    data = mail(
        "MIAGCSqG",
        head='application/pkcs7-mime; smime-type=enveloped-data; name="smime.p7m"',
        extra="Content-Transfer-Encoding: base64",
    )
    with pytest.raises(DocumentError) as caught:
        load(data, "a.eml")
    assert caught.value.code == "encrypted"


# --- Outlook


def properties(head: int, *numbers: tuple[int, int, int]) -> bytes:
    return bytes(head) + b"".join(struct.pack("<HHIQ", kind, name, 6, value) for name, kind, value in numbers)


def outlook(**streams: bytes) -> bytes:
    ticks = (1_704_421_800 + 11_644_473_600) * 10_000_000  # 2024-01-05 02:30:00 UTC, counted from 1601
    found = {"__properties_version1.0": properties(32, (0x0039, 0x40, ticks), (0x3FFD, 3, 936))}
    return compound(found | {f"__substg1.0_{name[1:]}": data for name, data in streams.items()})


WIDE, GBK = "utf-16-le", "gbk"
RTF = rb"{\rtf1\ansi\ansicpg936{\fonttbl{\f0\fcharset134 x;}}\f0 \'d6\'d0\'ce\'c4\par}"
PLAIN_RTF = struct.pack("<4I", len(RTF) + 12, len(RTF), 0x414C454D, 0) + RTF  # marked as not compressed


@pytest.mark.parametrize(
    ("streams", "expected"),
    [
        ({"_0037001F": "周会".encode(WIDE), "_1000001F": "三点开会。".encode(WIDE)}, "周会\n\n三点开会。"),
        ({"_0037001E": "周会".encode(GBK), "_1000001E": "三点开会。".encode(GBK)}, "周会\n\n三点开会。"),
        ({"_0037001F": "Hi".encode(WIDE), "_10130102": b"<html><body><p>At three.</p></body></html>"}, "Hi\n\nAt three."),
        ({"_0037001F": "甲".encode(WIDE), "_10090102": PLAIN_RTF}, "甲\n\n中文"),
    ],
)  # fmt: skip
def test_messages_of_outlook(streams, expected):
    document = loaded(outlook(**streams), "a.msg").document
    subject, date, body = document.text.split("\n\n")
    assert f"{subject}\n\n{body}" == expected
    assert date.endswith("2024-01-05 02:30:00 +0000")
    assert document.metadata["created"] == "2024-01-05T02:30:00+00:00"


def test_compressed_rtf_expands_as_the_specification_shows():
    from yinju.load.mail.lzfu import expand

    packed = bytes.fromhex(
        "2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af820776f726c640d0a2068656c6c7d0a800fa0"
    )
    shown = expand(packed, 1000)
    assert shown.startswith(b"{\\rtf1\\ansi\\ansicpg125")
    assert expand(packed, 10) == shown[:10]
    assert expand(b"short", 10) == expand(bytes(20), 10) == b""


def test_attached_files_and_messages_of_outlook():
    inner = "__attach_version1.0_#00000001/__substg1.0_3701000D"
    data = compound(
        {
            "__properties_version1.0": properties(32),
            "__substg1.0_0037001F": "转发".encode(WIDE),
            "__attach_version1.0_#00000000/__substg1.0_3707001F": "合同.pdf".encode(WIDE),
            f"{inner}/__properties_version1.0": properties(24),
            f"{inner}/__substg1.0_0037001F": "原邮件".encode(WIDE),
            f"{inner}/__substg1.0_1000001F": "里面的话。".encode(WIDE),
            "__recip_version1.0_#00000000/__properties_version1.0": properties(8, (0x0C15, 3, 2)),
            "__recip_version1.0_#00000000/__substg1.0_3001001F": "李四".encode(WIDE),
            "__recip_version1.0_#00000000/__substg1.0_39FE001F": "li@example.com".encode(WIDE),
        }
    )
    found = loaded(data, "a.msg")
    assert found.document.text == "转发\n\n抄送：李四 <li@example.com>\n附件：合同.pdf\n\n原邮件\n\n里面的话。"
    assert found.receipt.warnings == ("attachments: 1",)


# --- hostile ones


def outcome(data: bytes, source: str) -> str:
    """Any mail ends as a document that balances, or with a reason; `unbalanced` would be a fault of ours."""
    try:
        return load(data, source).document.type
    except DocumentError as error:
        return error.code


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32))
def test_mutated_mails_end_as_something(seed):
    chance = random.Random(seed)
    message = EmailMessage()
    message["Subject"], message["From"] = "季度报告", "张三 <zhang@example.com>"
    message.set_content("第一季度收入增长。\n\n> 引用\n")
    message.add_alternative("<h1>报告</h1><table><tr><td>一</td><td>二</td></tr></table>", subtype="html")
    message.add_attachment("附件内容", filename="附件.txt")
    data = bytearray(message.as_bytes())
    for _ in range(chance.choice((1, 3, 10))):
        at = chance.randrange(len(data))
        if chance.random() < 0.5:
            data[at] = chance.randrange(256)
        elif chance.random() < 0.5:
            del data[at : at + chance.randrange(1, 80)]
        else:
            data[at:at] = chance.choice(
                (b"\n\n", b"--", b"=?gb2312?B?", b"\xd6\xd0", b"Content-Type: multipart/mixed\n", b"\x1b$B")
            )
    assert outcome(bytes(data), "a.eml") != "unbalanced"
    assert outcome(b"From x 2024\n" + bytes(data), "a.mbox") != "unbalanced"


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=400))
def test_random_bytes_end_as_something(data):
    assert outcome(data, "a.eml") != "unbalanced"
    assert outcome(b"Subject: x\n\n" + data, "a.mbox") != "unbalanced"
    assert outcome(outlook(_1000001F=data, _10130102=data), "a.msg") != "unbalanced"
    assert outcome(outlook(_10090102=struct.pack("<4I", 0, 10**6, 0x75465A4C, 0) + data), "a.msg") != "unbalanced"


@pytest.mark.parametrize(
    "inner", [b"Content-Type: multipart/mixed; boundary=x\n\n--x\n", b"Content-Type: message/rfc822\n\n"]
)
def test_deep_nests_end_as_something(inner):
    assert outcome(b"Subject: x\n" + inner * 5_000 + b"\nend", "a.eml") != "unbalanced"


@pytest.mark.bench
@pytest.mark.parametrize(
    ("name", "phrase"), [("en-mail-base64.eml", "Roses are red"), ("en-outlook.msg", "This is a simple email body.")]
)
def test_files_as_people_have_them(name, phrase):
    if not BENCH.is_dir():
        pytest.skip(f"{BENCH} is absent")
    assert loaded((BENCH / name).read_bytes(), name).document.text.count(phrase) == 1
