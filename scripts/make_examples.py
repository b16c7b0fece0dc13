"""Make the binary files of the example corpus (examples/help-centre/files) from the facts below, byte for byte the same on each run.

The files are committed; run this only after changing a fact. It needs three packages that Yinju itself does not need:
`pip install reportlab fonttools manimgx-fonts-cjk` (BSD, MIT, and Noto Sans CJK under the OFL, of which the used letters are embedded
in the PDF, so that its pages can be shown on machines without a Chinese font).
"""

from __future__ import annotations

import io
import re
import zipfile
from datetime import date, datetime
from pathlib import Path

FILES = Path(__file__).resolve().parent.parent / "examples" / "help-centre" / "files"
ZIP_TIME = (2026, 1, 1, 0, 0, 0)
AUTHOR = "栖笺科技"

# ---- quick-start.pdf -------------------------------------------------------------------------------------------------------
QUICK_START_PAGES: list[list[tuple[str, object]]] = [
    [
        ("title", "栖笺 Q1 快速上手"),
        ("h2", "包装里有什么"),
        ("list", ["栖笺 Q1 主机一台，重 41 克", "USB-C 数据线一根，长 0.8 米", "磁吸背夹一个", "本说明书"]),
        ("text", "包装里不含充电器，请使用 5 V、1 A 以上的充电器。"),
        ("h2", "第一次充电"),
        ("text", "第一次使用之前请充满，大约需要 2 小时。充满后可以连续录音 32 小时，待机 21 天。"),
        ("h2", "开始录音"),
        ("text", "短按录音键开始录音，再短按一次停止。长按录音键 3 秒，以静默方式录音：指示灯不亮，屏幕也不亮。"),
        ("text", "录音每满 4 小时自动分成一段，段与段之间没有遗漏。"),
    ],
    [
        ("h2", "指示灯的含义"),
        (
            "table",
            [
                ["指示灯", "含义"],
                ["红灯常亮", "正在录音"],
                ["红灯慢闪", "电量低于 15%"],
                ["蓝灯快闪", "等待配对"],
                ["绿灯常亮", "已经充满"],
                ["白灯渐亮渐暗", "正在升级固件"],
                ["紫灯闪三下", "存储已满，录音停止"],
            ],
        ),
        ("h2", "使用环境"),
        ("text", "请在 0 °C 到 40 °C 之间使用，相对湿度不超过 85%。气温低于零下 10 °C 时设备会自动关机。"),
        ("h2", "安全须知"),
        (
            "text",
            "内有磁铁，请与心脏起搏器保持 15 厘米以上的距离。不要拆开外壳，不要把设备扔进火里。废弃设备请交给回收点处理。",
        ),
    ],
    [
        ("h2", "Quick start in English"),
        (
            "text",
            "In the box: the Roostnote Q1 recorder (41 g), a USB-C cable of 0.8 m, a magnetic back clip and this leaflet. "
            "There is no charger in the box; use one with 5 V and at least 1 A.",
        ),
        (
            "text",
            "Charge the recorder fully before first use, which takes about 2 hours. It then records for 32 hours and "
            "stays on standby for 21 days.",
        ),
        (
            "text",
            "Press the record key to start and press it again to stop. Hold it for 3 seconds to record silently: "
            "neither the light nor the screen goes on.",
        ),
        (
            "table",
            [
                ["Light", "Meaning"],
                ["Red, steady", "recording"],
                ["Red, slow flashes", "battery below 15%"],
                ["Blue, quick flashes", "waiting to be paired"],
                ["Green, steady", "fully charged"],
                ["White, swelling", "updating the firmware"],
                ["Violet, three flashes", "memory full, recording stopped"],
            ],
        ),
        (
            "text",
            "Use it between 0 °C and 40 °C and at no more than 85% humidity. Keep it at least 15 cm away from heart pacemakers.",
        ),
    ],
]

# ---- reseller-returns.docx -------------------------------------------------------------------------------------------------
RETURN_CASES = [
    ["情形", "申请期限", "运费", "处理方式"],
    ["到货破损", "签收后 48 小时内", "我方承担", "补发或退款"],
    ["开箱即坏", "签收后 30 天内", "我方承担", "换新"],
    ["发错型号", "签收后 7 天内", "我方承担", "换货"],
    ["滞销退回", "每季度最后 10 天", "经销商承担", "按货款的 90% 退款"],
]
RETURN_STEPS = [
    "在经销商后台填写退货单，附上序列号清单和照片。",
    "等待审核，一般 2 个工作日内给出退货编号。",
    "把退货编号写在外箱上，15 天内寄到指定仓库；逾期编号失效。",
    "仓库验收之后，款项记入下一期对账单，不单独转账。",
]
RETURN_REFUSED = [
    "已经激活、并绑定过用户账号的主机，开箱即坏的除外。",
    "没有退货编号、或者编号与实物不符的包裹。",
    "参加清仓促销的批次，合同里写明不可退的。",
]

# ---- price-list.xlsx -------------------------------------------------------------------------------------------------------
PRICES: list[list[object]] = [
    [
        "国家或地区 Country",
        "型号 Model",
        "币种 Currency",
        "零售价 Retail price",
        "含税 Tax included",
        "生效日期 Valid from",
    ],
    ["中国大陆 China", "Q1", "CNY", 899, "是 yes", date(2026, 3, 1)],
    ["中国大陆 China", "Q1 Mini", "CNY", 599, "是 yes", date(2026, 3, 1)],
    ["日本 Japan", "Q1", "JPY", 21800, "是 yes", date(2026, 4, 1)],
    ["日本 Japan", "Q1 Mini", "JPY", 14800, "是 yes", date(2026, 4, 1)],
    ["新加坡 Singapore", "Q1", "SGD", 189, "是 yes", date(2026, 3, 15)],
    ["新加坡 Singapore", "Q1 Mini", "SGD", 129, "是 yes", date(2026, 3, 15)],
    ["德国 Germany", "Q1", "EUR", 139.9, "是 yes", date(2026, 5, 1)],
    ["德国 Germany", "Q1 Mini", "EUR", 94.9, "是 yes", date(2026, 5, 1)],
    ["英国 United Kingdom", "Q1", "GBP", 119, "是 yes", date(2026, 5, 1)],
    ["英国 United Kingdom", "Q1 Mini", "GBP", 82, "是 yes", date(2026, 5, 1)],
    ["美国 United States", "Q1", "USD", 129, "否 no", date(2026, 6, 20)],
    ["美国 United States", "Q1 Mini", "USD", 89, "否 no", date(2026, 6, 20)],
]
PARTS: list[list[object]] = [
    [
        "编号 Part number",
        "名称 Name",
        "适用型号 Fits",
        "价格（元） Price (CNY)",
        "库存 Stock",
        "下次到货 Next delivery",
    ],
    ["RN-1101", "磁吸背夹 Magnetic back clip", "Q1", 29, 640, date(2026, 9, 12)],
    ["RN-1102", "磁吸背夹 Magnetic back clip", "Q1 Mini", 25, 0, date(2026, 8, 3)],
    ["RN-1207", "硅胶保护套 Silicone case", "Q1", 39, 212, date(2026, 10, 8)],
    ["RN-1310", "USB-C 数据线 0.8 米 USB-C cable 0.8 m", "Q1 / Q1 Mini", 19, 1500, date(2026, 9, 1)],
    ["RN-1311", "USB-C 数据线 2 米 USB-C cable 2 m", "Q1 / Q1 Mini", 35, 88, date(2026, 9, 1)],
    ["RN-1405", "领夹麦克风 Clip-on microphone", "Q1", 149, 37, date(2026, 11, 20)],
    ["RN-1502", "桌面支架 Desk stand", "Q1 / Q1 Mini", 59, 305, date(2026, 8, 25)],
]


def font_of(letters: str) -> bytes:
    """Return a TrueType font with only these letters, drawn from Noto Sans CJK SC at its regular weight."""
    from fontTools.fontBuilder import FontBuilder
    from fontTools.pens.cu2quPen import Cu2QuPen
    from fontTools.pens.ttGlyphPen import TTGlyphPen
    from fontTools.ttLib import TTCollection
    from manimgx_fonts_cjk import __file__ as package

    collection = TTCollection(str(next(Path(package).parent.glob("*.ttc"))))
    source = next(font for font in collection.fonts if font["name"].getDebugName(1) == "Noto Sans CJK SC")
    names = source.getBestCmap()
    glyphs = source.getGlyphSet(location={"wght": 400})
    points = sorted({ord(letter) for letter in letters if ord(letter) in names} | {0x20})
    used = [".notdef", *dict.fromkeys(names[point] for point in points)]
    drawn, widths = {}, {}
    for name in used:
        pen = TTGlyphPen(None)
        glyphs[name].draw(Cu2QuPen(pen, 1.0, reverse_direction=True))
        drawn[name] = pen.glyph()
        widths[name] = (round(glyphs[name].width), 0)
    builder = FontBuilder(source["head"].unitsPerEm, isTTF=True)
    builder.setupGlyphOrder(used)
    builder.setupCharacterMap({point: names[point] for point in points})
    builder.setupGlyf(drawn)
    builder.setupHorizontalMetrics(widths)
    builder.setupHorizontalHeader(ascent=880, descent=-120)
    builder.setupNameTable(
        {"familyName": "Noto Sans CJK SC", "styleName": "Regular", "psName": "NotoSansCJKsc-Regular"}
    )
    builder.setupOS2(sTypoAscender=880, sTypoDescender=-120, sCapHeight=733)
    builder.setupPost()
    builder.font.recalcTimestamp = False
    builder.font["head"].created = builder.font["head"].modified = 0
    out = io.BytesIO()
    builder.save(out)
    return out.getvalue()


def quick_start() -> bytes:
    from reportlab.lib.colors import HexColor
    from reportlab.lib.pagesizes import A5
    from reportlab.lib.styles import ParagraphStyle
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont
    from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

    header = "栖笺 Q1 · 快速上手 · Quick start"
    pdfmetrics.registerFont(TTFont("Noto", io.BytesIO(font_of(header + str(QUICK_START_PAGES) + "•0123456789/"))))
    body = ParagraphStyle("body", fontName="Noto", fontSize=10, leading=17, wordWrap="CJK", spaceAfter=5)
    english = ParagraphStyle("english", parent=body, wordWrap=None)
    styles = {
        "title": ParagraphStyle("title", parent=body, fontSize=20, leading=30, spaceAfter=10),
        "h2": ParagraphStyle("h2", parent=body, fontSize=14, leading=22, spaceBefore=8, spaceAfter=4),
    }

    def flow(kind: str, content: object) -> list[object]:
        if kind == "table":
            assert isinstance(content, list)
            grid = TableStyle(
                [
                    ("FONT", (0, 0), (-1, -1), "Noto", 10),
                    ("GRID", (0, 0), (-1, -1), 0.5, HexColor("#888888")),
                    ("BACKGROUND", (0, 0), (-1, 0), HexColor("#eeeeee")),
                ]
            )
            return [Table(content, style=grid, hAlign="LEFT", colWidths=[120, 200]), Spacer(1, 8)]
        if kind == "list":
            assert isinstance(content, list)
            return [Paragraph(f"• {item}", body) for item in content]
        style = styles.get(kind) or (english if str(content).isascii() or "°" in str(content)[:60] else body)
        return [Paragraph(str(content), style)]

    def furniture(canvas: object, template: object) -> None:
        canvas.setFont("Noto", 8)  # type: ignore[attr-defined]
        canvas.drawString(40, A5[1] - 28, header)  # type: ignore[attr-defined]
        canvas.drawCentredString(A5[0] / 2, 22, f"{template.page} / {len(QUICK_START_PAGES)}")  # type: ignore[attr-defined]

    out = io.BytesIO()
    template = SimpleDocTemplate(
        out,
        pagesize=A5,
        leftMargin=40,
        rightMargin=40,
        topMargin=45,
        bottomMargin=45,
        title="栖笺 Q1 快速上手 Roostnote Q1 quick start",
        author=AUTHOR,
        invariant=1,
    )
    story: list[object] = []
    for number, page in enumerate(QUICK_START_PAGES):
        story += [PageBreak()] if number else []
        for kind, content in page:
            story += flow(kind, content)
    template.build(story, onFirstPage=furniture, onLaterPages=furniture)
    return out.getvalue()


def reseller_returns() -> bytes:
    from docx import Document

    document = Document()
    document.core_properties.title = "经销商退货政策"
    document.core_properties.author = AUTHOR
    document.core_properties.last_modified_by = AUTHOR
    document.core_properties.comments = ""
    document.core_properties.created = document.core_properties.modified = datetime(2026, 4, 15, 8, 0)
    document.add_heading("经销商退货政策", 1)
    document.add_paragraph(
        "本政策自 2026 年 5 月 1 日起施行，适用于签有年度合同的经销商。个人用户的退货请看《退款与退货》。"
    )
    document.add_heading("可以退货的情形", 2)
    table = document.add_table(rows=0, cols=4, style="Table Grid")
    for row in RETURN_CASES:
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text
    document.add_paragraph("同一季度的滞销退回数量不得超过该季度进货量的 8%。")
    document.add_heading("退货步骤", 2)
    for step in RETURN_STEPS:
        document.add_paragraph(step, style="List Number")
    document.add_heading("不接受的退货", 2)
    for refused in RETURN_REFUSED:
        document.add_paragraph(refused, style="List Bullet")
    document.add_heading("结算与保证金", 2)
    document.add_paragraph(
        "年度退货率超过 3% 的经销商，下一年度的保证金由 2 万元提高到 5 万元。退货率按台数计算，到货破损和发错型号不计入。"
    )
    document.add_heading("联系人", 2)
    document.add_paragraph("华北、东北：韩叙；其他地区：沈未。邮箱 partner@roostnote.example，请在标题里写明退货编号。")
    out = io.BytesIO()
    document.save(out)
    return timeless(out.getvalue())


def price_list() -> bytes:
    from openpyxl import Workbook
    from openpyxl.styles import Font

    book = Workbook()
    book.properties.title = "价目表 Price list"
    book.properties.creator = AUTHOR
    book.properties.created = datetime(2026, 7, 1, 8, 0)
    assert book.active is not None
    book.active.title = "价格 Prices"
    for sheet, rows in ((book.active, PRICES), (book.create_sheet("配件 Spare parts"), PARTS)):
        for row in rows:
            sheet.append(row)
        for cell in sheet[1]:
            cell.font = Font(bold=True)
        for row in sheet.iter_rows(min_row=2, min_col=6, max_col=6):
            row[0].number_format = "yyyy-mm-dd"
        for letter, width in zip("ABCDEF", (24, 34, 16, 22, 16, 22), strict=True):
            sheet.column_dimensions[letter].width = width
        sheet.freeze_panes = "A2"
    out = io.BytesIO()
    book.save(out)
    return timeless(out.getvalue())


def timeless(package: bytes) -> bytes:
    """Return the same zip package with fixed times in its directory and its properties."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(package)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "docProps/core.xml":
                data = re.sub(rb"(<dcterms:modified[^>]*>)[^<]*", rb"\g<1>2026-07-01T08:00:00Z", data)
            entry = zipfile.ZipInfo(name, ZIP_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            new.writestr(entry, data)
    return out.getvalue()


MAKERS = {"quick-start.pdf": quick_start, "reseller-returns.docx": reseller_returns, "price-list.xlsx": price_list}


def main() -> None:
    FILES.mkdir(parents=True, exist_ok=True)
    for name, make in MAKERS.items():
        data = make()
        same = (FILES / name).exists() and (FILES / name).read_bytes() == data
        (FILES / name).write_bytes(data)
        print(f"{name}: {len(data)} bytes{', unchanged' if same else ''}")


if __name__ == "__main__":
    main()
