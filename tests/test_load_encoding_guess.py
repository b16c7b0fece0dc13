"""How often a guess is right: sentences of our own in each encoding, cut at random to 10 to 5,000 characters; and what must never be guessed."""

from __future__ import annotations

import random

import pytest

from yinju.errors import DocumentError
from yinju.load.encoding import decode

SIMPLIFIED = """保修期从签收之日起计算，逾期不予受理。
请于每月五日前缴纳物业管理费，否则加收滞纳金。
患者应空腹抽血，检查前一晚十点后禁食。
将鸡胸肉切丁，加料酒、生抽和淀粉腌制二十分钟。
甲方逾期付款的，每逾期一日按应付款项的万分之五支付违约金。
数据库连接池耗尽时，新请求会排队，直到超时（默认 30 秒）。
张伟，男，汉族，1982 年生，现住杭州市西湖区文三路。
岩土工程勘察报告显示，场地土类别为二类，抗震设防烈度七度。
本产品含有坚果，过敏体质者慎食。
公司第三季度营业收入同比增长 12%，净利润有所下滑。
蝴蝶兰喜温暖潮湿，忌阳光直射，浇水宜见干见湿。
编译器会把循环不变量提到循环外面，从而减少重复计算。""".splitlines()
TRADITIONAL = """保固期自簽收之日起計算，逾期不予受理。
請於每月五日前繳納管理費，否則加收滯納金。
患者應空腹抽血，檢查前一晚十點後禁食。
將雞胸肉切丁，加料酒、醬油和澱粉醃製二十分鐘。
資料庫連線用盡時，新的請求會排隊，直到逾時（預設 30 秒）。
本產品含有堅果，過敏體質者請勿食用。
公司第三季營業收入較去年成長 12%，淨利略為下滑。
編譯器會把迴圈中不變的運算提到外面，以減少重複計算。""".splitlines()
ENGLISH = """The warranty runs from the day of delivery; claims made later are refused.
Fees are due on the fifth of each month – a surcharge of £5 applies after that.
The café opens at 9 o’clock; “early birds” get 10 % off.
Do not puncture the battery, and keep it below 45 °C.""".splitlines()
JAPANESE = """本製品の保証期間はお買い上げの日から一年間です。
お問い合わせは平日の午前九時から午後五時まで受け付けております。
電池を火の中に入れたり、分解したりしないでください。
会議室の予約は前日までに総務部へ申請してください。""".splitlines()
KOREAN = """보증 기간은 구매일로부터 일 년입니다.
회의실 예약은 전날까지 신청해 주십시오.
배터리를 불 속에 넣거나 분해하지 마세요.""".splitlines()
LENGTHS = (10, 20, 50, 200, 1_000, 5_000)
CASES = (
    [(SIMPLIFIED, name) for name in ("utf-8", "utf-8-sig", "gbk", "gb18030", "hz", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le")]
    + [(TRADITIONAL, name) for name in ("utf-8", "big5", "big5hkscs", "gbk", "utf-16-le", "utf-16-be")]
    + [(ENGLISH, name) for name in ("utf-8", "cp1252", "utf-16-le", "utf-16-be", "utf-32-be")]
    + [(JAPANESE, name) for name in ("utf-8", "shift_jis", "euc_jp", "iso2022_jp", "utf-16-le")]
    + [(KOREAN, name) for name in ("utf-8", "euc_kr", "utf-16-le")]
)  # fmt: skip


def sample(lines: list[str], length: int, chance: random.Random) -> str:
    text = ""
    while len(text) < length:
        text += chance.choice(lines) + chance.choice(["\n", "\r\n", "\n\n"])
    start = chance.randrange(len(text) - length + 1)
    return text[start : start + length]


def guessed(text: str, encoding: str) -> bool:
    data = text.encode(encoding, "ignore")
    if not (expected := data.decode(encoding)).strip():
        return True
    try:
        return decode(data).text == expected
    except DocumentError:
        return False


def share(length: int, times: int) -> float:
    chance = random.Random(length)
    results = [guessed(sample(lines, length, chance), name) for lines, name in CASES for _ in range(times)]
    return sum(results) / len(results)


@pytest.mark.parametrize(("length", "floor"), list(zip(LENGTHS, (0.97, 0.99, 1.0, 1.0, 1.0, 1.0), strict=True)))
def test_share_of_right_guesses(length: int, floor: float) -> None:
    assert share(length, 8 if length < 1_000 else 2) >= floor


WORDS = [
    "合同", "金额", "期限", "说明", "你好", "测试", "报价单", "会议纪要", "价格表", "客户名单", "张三",
    "李伟", "王芳", "北京", "上海", "深圳市", "发票", "保修卡", "请假条", "通知", "简历", "目录",
    "附件", "产品", "使用手册", "采购订单", "劳动合同", "电池", "温度", "检查", "规范", "混凝土", "钢筋",
    "税率", "备注", "编号", "姓名", "年龄", "电话", "地址", "部门", "日期", "联通", "移动",
]  # fmt: skip


def test_one_to_three_words_of_gbk() -> None:
    chance = random.Random(3)
    texts = (
        WORDS
        + [" ".join(chance.sample(WORDS, 2)) for _ in range(60)]
        + ["".join(chance.sample(WORDS, 3)) for _ in range(60)]
    )
    texts += [
        f"{first},{second}\n张三,{number}\n"
        for number, (first, second) in enumerate(chance.sample(WORDS, 2) for _ in range(30))
    ]
    wrong = [text for text in texts if not guessed(text, "gbk")]
    assert len(wrong) <= 0.02 * len(texts), wrong


@pytest.mark.parametrize(
    "text",
    ["café", "é", "½", "20 °C", "και", "да", "«да»", "שלום", "مرحبا", "¿qué?", "£5", "§ 5", "ÄÖÜ", "±5", "±µ", "×", "Ωμ", "©®", "İstanbul", "Łódź"],
)  # fmt: skip
def test_short_utf8_of_other_scripts_stays(text: str) -> None:
    assert decode(text.encode()).text == text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Über die Straße gehen", "cp1252"), ("Größe: 5", "cp1252"), ("Müller", "cp1252"), ("Señor Núñez vive en Málaga", "cp1252"),
        ("L’été dernier, nous étions à la plage", "cp1252"), ("Москва", "cp1251"), ("Прайс-лист", "cp1251"),
        ("Договор вступает в силу с момента подписания.", "cp1251"),
    ],
)  # fmt: skip
def test_western_and_russian_words_are_no_chinese(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)).text == text


def test_mixed_files_line_by_line() -> None:
    chinese, english = "合同金额以人民币结算。\n", "Delivery within five days.\n"
    pasted = "交货地点为上海港。\n付款方式：电汇。\n"
    decoded = decode((chinese * 3).encode() + pasted.encode("gbk") + (english + chinese).encode())
    assert decoded.text == chinese * 3 + pasted + english + chinese
    assert decoded.warnings == ("mixed-encodings: 2 lines in gb18030, the others in utf-8",)
    other_way = decode(("这是一份采购合同。\n" * 9).encode("gbk") + "附件：报价单与清单\n".encode())
    assert other_way.text == "这是一份采购合同。\n" * 9 + "附件：报价单与清单\n"
