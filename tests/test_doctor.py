"""Doctor says what is wrong with documents, in both languages, and leaves alone what only looks like it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sync_fakes import Reader
from yinju import sync
from yinju.messages import set_language
from yinju.store import Store
from yinju.sync.health import Finding, findings, grouped
from yinju.sync.quality.finding import sorted_findings
from yinju.text import labels

OLD = 1_600_000_000 * 10**9
YEAR = 365 * 86_400 * 10**9
PROSE_ZH = (
    "本录音笔支持连续录音三十小时。按住侧面的按钮即可开始录音，再按一次停止。录音会保存在设备里，也可以同步到手机。"
    "第一次使用前请充满电。充电时指示灯为红色，充满后变为绿色。请不要在潮湿的环境中充电。"
)
PROSE_EN = (
    "The recorder records for thirty hours without a pause. Press the button at its side to begin, and again to stop. "
    "Recordings stay on the device and can be copied to a phone. Charge it fully before the first use. "
    "The light is red while it charges and green when it is done. Never charge it in a damp place. "
)


def examine(tmp_path: Path, files: dict[str, str | bytes], ages: dict[str, int] | None = None) -> list[Finding]:
    """Return what doctor says of these files; `ages` in years back from the others."""
    for name, content in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        when = OLD - (ages or {}).get(name, 0) * YEAR
        os.utime(path, ns=(when, when))
    with Store.open(None) as store:
        sync.run(store, [tmp_path], pool=Reader())
        return findings(store, None)


def of_kind(found: list[Finding], kind: str) -> list[Finding]:
    return [one for one in found if one.kind == kind]


def kinds(found: list[Finding]) -> set[str]:
    return {one.kind for one in found}


@pytest.mark.parametrize(
    ("files", "shown"),
    [
        (
            {
                "订阅方案.md": "# 订阅方案\n\n## 年费\n\n年费方案每年 168 元。付款后立即生效。\n",
                "价格表.md": "# 价格表\n\n## 年费\n\n年费方案每年 198 元。付款后立即生效。\n",
            },
            ("价格表.md:5: 年费方案每年 198 元", "订阅方案.md:5: 年费方案每年 168 元"),
        ),
        (
            {
                "plans.md": "# Plans\n\n## Yearly plan\n\nThe yearly plan costs 168 yuan. It starts at once.\n",
                "prices.md": "# What we charge\n\n## Yearly plan\n\nThe yearly plan costs 198 yuan. It starts at once.\n",
            },
            ("plans.md:5: The yearly plan costs 168 yuan", "prices.md:5: The yearly plan costs 198 yuan"),
        ),
        (
            {
                "退货.md": "# 退货\n\n## 退款期限\n\n自签收之日起 7 天内可以退款。\n",
                "客服/常见问题.md": "# 常见问题\n\n## 退款期限\n\n收到货后，退款期限为 15 天。\n",
            },
            ("客服/常见问题.md:5: 收到货后，退款期限为 15 天", "退货.md:5: 自签收之日起 7 天内可以退款"),
        ),
        (
            {
                "returns.md": "# Returns\n\n## Refund period\n\nYou may ask for a refund within 7 days.\n",
                "support/answers.md": "# Answers\n\n## Refund period\n\nA refund is possible for 15 days after delivery.\n",
            },
            ("returns.md:5: You may ask for a refund within 7 days", "support/answers.md:5: A refund is possible for 15 days after delivery"),
        ),
        (
            {
                "a.md": "# 价格\n\n| 方案 | 价格 |\n|---|---|\n| 年费 | 168 元 |\n| 月费 | 18 元 |\n",
                "b.csv": "方案,价格\n年费,198 元\n月费,18 元\n",
            },
            ("a.md:5: | 年费 | 168 元 |", "b.csv:2: 年费 | 198 元"),
        ),
    ],
)  # fmt: skip
def test_other_numbers_under_the_same_heading_are_shown_with_their_lines(tmp_path, files, shown):
    [finding] = of_kind(examine(tmp_path, files), "numbers-differ")
    assert set(finding.sources) == set(files)
    assert finding.details[:2] == shown
    assert finding.level == "warning"
    assert finding.hint


@pytest.mark.parametrize(
    "texts",
    [
        ("# 年费\n\n每年 168 元。\n", "# 年费\n\n每年 198 元。\n"),
        ("# Fee\n\n168 yuan a year.\n", "# Fee\n\n198 yuan a year.\n"),
    ],
)
def test_short_pages_that_are_the_same_but_for_a_number_contradict_each_other(tmp_path, texts):
    found = examine(tmp_path, dict(zip(("a.md", "b.md"), texts, strict=True)))
    assert len(of_kind(found, "numbers-differ")) == 1
    versions = examine(tmp_path / "v", dict(zip(("plan_v1.md", "plan_v2.md"), texts, strict=True)))
    assert kinds(versions) == {"old-versions"}
    assert "198" in " ".join(versions[0].details)


def report(month: int, amount: int) -> str:
    return (
        f"# 销售月报\n\n## 销售额\n\n本月销售额 {amount} 万元。\n\n## 客户\n\n新增客户 {amount // 7} 家。\n{PROSE_ZH}\n"
    )


@pytest.mark.parametrize(
    "files",
    [
        {f"月报-2024-{month:02}.md": report(month, 100 + month) for month in range(1, 7)},
        {"月报-2024-01.md": report(1, 101), "月报-2024-02.md": report(2, 217)},
        {f"report-2024-{month:02}.md": f"# Monthly report\n\n## Revenue\n\nRevenue was {month}17 million.\n" for month in (1, 2, 3)},
        {f"X{number}00.md": f"# 录音笔 X{number}00\n\n## 电池\n\n电池容量 {number}500 毫安时，续航 {number}0 小时。\n" for number in (1, 2)},
        {f"{name}.md": f"# {name} recorder\n\n## Battery\n\nThe battery lasts {hours} hours.\n" for name, hours in (("Alpha", 20), ("Delta", 30))},
        {f"{region}区价格.md": f"# {region}区价格\n\n## 年费\n\n年费每年 {price} 元。\n" for region, price in (("华东", 168), ("华北", 198))},
        {"a.md": "# 基础版\n\n## 年费\n\n年费每年 168 元。\n", "b.md": "# 专业版\n\n## 年费\n\n年费每年 298 元。\n"},
        {"plans.md": "# 方案\n\n## 个人\n\n### 年费\n\n每年 168 元。\n", "team.md": "# 团队\n\n## 公司\n\n### 年费\n\n每年 999 元。\n"},
        {f"{city}.md": f"# {city}\n\n## 地址\n\n{city}路 {number} 号。\n\n## 电话\n\n电话 {number}5678。\n" for city, number in
         (("南京", 11), ("北京", 22), ("上海", 33), ("广州", 44))},
        {"v1/limits.md": "# Limits\n\n## Rate\n\nAt most 60 a minute.\n", "v2/limits.md": "# Limits\n\n## Rate\n\nAt most 90 a minute.\n"},
        {"one.md": "# One\n\n## Steps\n\n1. Wait 5 seconds.\n2. Wait 9 seconds.\n", "two.md": "# Two\n\n## Usage\n\nWait 7 seconds.\n"},
        {"news.md": "# 新闻\n\n## 发布\n\n发布于 2024年3月1日。\n", "blog.md": "# 博客\n\n## 发布\n\n发布于 2023年5月2日。\n"},
        {"one.md": "# One\n\n## Price\n\nIt costs 5 euros.\n", "two.md": "# Two\n\n## Price\n\nIt costs 5 euros.\n"},
    ],
)  # fmt: skip
def test_reports_products_and_regions_do_not_contradict_each_other(tmp_path, files):
    assert of_kind(examine(tmp_path, files), "numbers-differ") == []


def test_products_of_one_template_do_not_contradict_each_other(tmp_path):
    def page(name: str, factor: int) -> str:
        facts = ("Battery", "Weight", "Memory", "Screen", "Price")
        return f"# {name}\n\n" + "\n".join(
            f"## {fact}\n\nIts {fact.lower()} is {factor * place} units of {fact}.\n"
            for place, fact in enumerate(facts, 3)
        )

    assert (
        of_kind(examine(tmp_path, {"iris.md": page("Iris", 3), "lotus.md": page("Lotus", 5)}), "numbers-differ") == []
    )


@pytest.mark.parametrize("prose", [PROSE_ZH, PROSE_EN])
def test_copies_are_listed_once_as_a_group(tmp_path, prose):
    text = f"# Manual\n\n{prose}\n"
    found = examine(
        tmp_path, {"a.md": text, "sub/b.md": text, "c.txt": text + "\n\n", "other.md": "# Other\n\nSomething else.\n"}
    )
    [finding] = of_kind(found, "copies")
    assert finding.sources == ("a.md", "c.txt", "sub/b.md")
    assert kinds(found) == {"copies"}


@pytest.mark.parametrize(
    ("prose", "change"), [(PROSE_ZH, ("侧面的按钮", "右边的按钮")), (PROSE_EN, ("a damp place", "a wet place"))]
)
def test_near_copies_are_listed(tmp_path, prose, change):
    found = examine(
        tmp_path, {"manual.md": f"# 手册\n\n{prose}\n", "guide.md": f"# 指南\n\n{prose.replace(*change)}\n"}
    )
    [finding] = of_kind(found, "near-copies")
    assert finding.sources == ("guide.md", "manual.md")


def test_texts_about_the_same_are_no_near_copies(tmp_path):
    one = "# 充电\n\n请使用原装充电器充电。充电约需两小时。充满后指示灯变绿。" + PROSE_ZH[:40]
    other = "# 充电问题\n\n如果充不上电，请检查线缆是否插好。仍不行请联系客服。" + PROSE_ZH[:40]
    assert kinds(examine(tmp_path, {"charge.md": one, "trouble.md": other})) == set()


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("合同-最终版.md", "合同-最终版2.md", "合同-最终版2.md"),
        ("报价单.md", "报价单-最终版.md", "报价单-最终版.md"),
        ("旧/报价单.md", "报价单.md", "报价单.md"),
        ("说明书初稿.md", "说明书.md", "说明书.md"),
        ("价格表2023.md", "价格表2024.md", "价格表2024.md"),
        ("制度（2023年修订）.md", "制度（2024年修订）.md", "制度（2024年修订）.md"),
        ("plan_v1.md", "plan_v2.md", "plan_v2.md"),
        ("handbook draft.md", "handbook.md", "handbook.md"),
        ("handbook-2023.md", "handbook-2024.md", "handbook-2024.md"),
        ("old/plan.md", "plan.md", "plan.md"),
        ("contract.md", "contract-final.md", "contract-final.md"),
        ("spec-1.9.md", "spec-1.10.md", "spec-1.10.md"),
    ],
)
@pytest.mark.parametrize("prose", [PROSE_ZH, PROSE_EN])
def test_versions_of_one_file_are_listed_and_the_newest_is_told_by_its_name(tmp_path, prose, old, new, says):
    half = len(prose) // 2
    found = examine(
        tmp_path, {old: f"# 手册\n\n{prose}\n", new: f"# 手册\n\n{prose[:half]}Now all is new. {prose[half:]}\n"}
    )
    [finding] = of_kind(found, "old-versions")
    assert finding.subject == says
    assert set(finding.sources) == {old, new}
    assert "by its name" in finding.message
    assert kinds(found) == {"old-versions"}


@pytest.mark.parametrize(
    "copy", ["合同 - 副本.md", "合同(1).md", "合同 (2).md", "合同_2.md", "合同 copy.md", "备份/合同.md"]
)
def test_a_copy_that_was_changed_is_a_version_and_the_date_of_the_file_tells(tmp_path, copy):
    files = {"合同.md": f"# 合同\n\n{PROSE_ZH}\n", copy: f"# 合同\n\n{PROSE_ZH}补充一条新的约定，双方同意。\n"}
    [finding] = of_kind(examine(tmp_path, files, ages={"合同.md": 2}), "old-versions")
    assert set(finding.sources) == set(files)
    if not copy.startswith("备份"):
        assert "by the date of the file" in finding.message
        assert finding.subject == copy


@pytest.mark.parametrize(
    "copy", ["报价单 最终版(1).md", "报价单 最终版 - 副本.md", "备份/报价单 最终版.md", "报价单 最终版 copy.md"]
)
def test_of_identical_files_the_copy_is_not_the_newest_version(tmp_path, copy):
    final = f"# 报价单\n\n{PROSE_ZH}单价 142 元。\n"
    files = {copy: final, "报价单 最终版.md": final, "报价单_v1.md": final.replace("142", "158")}
    found = examine(tmp_path, files, ages={"报价单 最终版.md": 2})
    [versions] = of_kind(found, "old-versions")
    assert versions.sources == ("报价单 最终版.md", "报价单_v1.md")
    assert any(one.sources == ("报价单 最终版.md", copy) for one in found)


def test_three_versions_are_one_finding_and_show_what_differs(tmp_path):
    files = {
        f"价格v{number}.md": f"# 价格\n\n## 年费\n\n年费方案每年 {price} 元。\n\n{PROSE_ZH}\n"
        for number, price in ((1, 148), (2, 168), (3, 198))
    }
    [finding] = of_kind(examine(tmp_path, files), "old-versions")
    assert finding.sources == ("价格v3.md", "价格v2.md", "价格v1.md")
    assert "元" in " ".join(finding.details)


@pytest.mark.parametrize(
    "names",
    [
        [f"release-7.{number}.0.md" for number in range(6)],
        [f"会议纪要 2024-03-{day:02}.md" for day in (4, 11)],
        ["chapter-1.md", "chapter-2.md"],
        ["README.md", "en/README.md"],
        ["新闻.md", "旧金山.md"],
        ["newsletter.md", "letter.md"],
    ],
)
def test_a_series_is_no_heap_of_versions(tmp_path, names):
    texts = (
        "充电说明：请使用原装充电器。",
        "录音说明：按住侧面的按钮。",
        "退货说明：七天内可退。",
        "保修一年。",
        "转写支持中文。",
        "导出为文本。",
    )
    files = {name: f"# 记录\n\n议题与决定如下。{text * 4}\n" for name, text in zip(names, texts, strict=False)}
    assert of_kind(examine(tmp_path, files), "old-versions") == []


def test_names_are_taken_apart():
    assert labels.parse("合同-最终版2.docx") == ("合同", 2, (2,), False, "", ())
    assert labels.parse("a/报价 (1).xlsx")[:4] == ("报价", 0, (), True)
    assert labels.parse("plan_v2.1 draft.md")[:3] == ("plan", -1, (2, 1))
    assert labels.parse("价格表 2024-03-01.xlsx").date == "20240301"
    assert labels.parse("折旧政策.md").stage == 0
    assert labels.parse("创新奖.md").stage == 0
    assert labels.newer(labels.parse("a-2024.md"), labels.parse("a-2023-final.md")) == 1


@pytest.mark.parametrize(
    "line",
    [
        "本资料仅供参考，如有变动以官网公布的信息为准。",
        "This page is for information only and may change without notice.",
    ],
)
def test_sentences_of_many_documents_are_told_with_their_number(tmp_path, line):
    topics = ("充电", "录音", "退货", "保修", "转写", "导出")
    files = {f"{topic}.md": f"# {topic}\n\n关于{topic}的说明写在这里，{topic * 8}。\n\n{line}\n" for topic in topics}
    [finding] = of_kind(examine(tmp_path, files), "boilerplate")
    assert "6 documents" in finding.message
    assert line.rstrip("。.") in finding.details[0]
    few = dict(list(files.items())[:3])
    assert of_kind(examine(tmp_path / "few", few), "boilerplate") == []


def test_tables_without_a_header_are_told(tmp_path):
    found = examine(tmp_path, {"a.csv": "1,2,3\n4,5,6\n7,8,9\n"})
    [finding] = of_kind(found, "tables-without-header")
    assert (finding.subject, finding.level) == ("a.csv", "notice")
    assert of_kind(examine(tmp_path / "b", {"b.csv": "名称,价格\n年费,168\n"}), "tables-without-header") == []


def test_a_sound_folder_has_no_findings(tmp_path):
    files = {
        "plans.md": "# 方案\n\n年费每年 168 元。\n",
        "warranty.md": "# Warranty\n\nThe battery is covered for 6 months.\n",
        "a.txt": PROSE_EN,
    }
    assert examine(tmp_path, files) == []


def test_many_of_one_kind_are_counted(tmp_path):
    many = [
        Finding("skipped", f"{number:03}.pdf", "no-text: 1 pages look scanned", "OCR", "no-text", "no text")
        for number in range(500)
    ]
    others = [
        Finding("warning", "a.md", "x", kind="numbers-differ"),
        Finding("damage", "library.db", "broken", kind="damage"),
    ]
    groups = grouped(sorted_findings([*others, *many]), 5)
    assert [(group.first.level, len(group.findings)) for group in groups] == [
        ("damage", 1),
        ("skipped", 500),
        ("warning", 1),
    ]
    assert len(grouped(many, 500)) == 500


def test_findings_speak_chinese_where_the_user_does(tmp_path):
    set_language("zh")
    try:
        files = {
            "订阅方案.md": "# 订阅方案\n\n## 年费\n\n年费方案每年 168 元。\n",
            "价格表.md": "# 价格表\n\n## 年费\n\n年费方案每年 198 元。\n",
        }
        [finding] = examine(tmp_path, files)
        assert "同一标题" in finding.message
        assert finding.details[2] == "  198 与 168"
    finally:
        set_language(None)
