"""What has the words of its source, and says something else, is not verified: subjects, roles, rates, modals."""

from __future__ import annotations

import pytest

from answer_hits import hit, passages
from yinju.answer.verify import verify_answer

TRUE = [
    ("员工每年有 10 天年假，试用期员工没有年假。", "员工每年有 10 天年假"),
    ("员工每年有 10 天年假，试用期员工没有年假。", "试用期员工没有年假"),
    ("员工每年有 10 天年假，试用期员工没有年假。", "员工每年有 10 天年假，但试用期员工没有"),
    ("员工每年享有 10 天带薪年假。试用期员工没有年假。", "试用期员工无年假"),
    ("Employees have 10 days of leave; employees on probation have no leave.", "Employees have 10 days of leave."),
    ("Employees have 10 days of leave; employees on probation have no leave.", "Employees on probation have no leave."),
    ("Employees have 10 days of leave; employees on probation have no leave.", "Employees have leave."),
    ("Employees have 10 days of leave; managers have 15 days of leave.", "Managers have 15 days of leave."),
    ("员工有 10 天年假，经理有 15 天年假。", "经理有 15 天年假"),
    ("Managers have 15 days of leave in 2019, and 10 days in 2020.", "Managers have 10 days of leave in 2020."),
    ("Anna lives in Berlin; Bob lives in Paris.", "Bob lives in Paris."),
    ("Anna lives in Berlin. She works in Paris.", "Anna works in Paris."),
    ("甲部门负责采购，乙部门负责销售。", "乙部门负责销售"),
    ("公司总部位于北京，成立于 2010 年。", "公司成立于 2010 年"),
    ("The battery is covered for six months. Water damage is not covered.", "The battery is covered for six months, but not water damage."),
    ("Acme acquired Globex in 2019 for 30 million euros.", "Acme acquired Globex."),
    ("Acme acquired Globex in 2019 for 30 million euros.", "In 2019, Acme acquired Globex for 30 million euros."),
    ("Acme acquired Globex in 2019 for 30 million euros.", "Globex was acquired by Acme in 2019."),
    ("Acme acquired Globex in 2019 for 30 million euros.", "Globex was acquired in 2019."),
    ("Globex was acquired by Acme.", "Acme acquired Globex."),
    ("甲公司于 2019 年以 3000 万欧元收购了乙公司。", "甲公司收购了乙公司"),
    ("甲公司于 2019 年以 3000 万欧元收购了乙公司。", "乙公司被甲公司收购"),
    ("甲公司于 2019 年以 3000 万欧元收购了乙公司。", "2019 年，甲公司以 3000 万欧元收购乙公司"),
    ("甲公司于 2019 年以 3000 万欧元收购了乙公司。", "乙公司于 2019 年被甲公司收购"),
    ("乙公司被甲公司收购。", "甲公司收购了乙公司"),
    ("甲公司收购了乙公司。", "甲公司把乙公司收购了"),
    ("Refunds take 14 days after we receive the goods.", "After we receive the goods, refunds take 14 days."),
    ("Refunds take 14 days after we receive the goods.", "Refunds take 14 days after we receive the goods."),
    ("At most 5 requests per second are allowed.", "At most 5 requests per second are allowed."),
    ("At most 5 requests per second are allowed.", "5 requests a second are allowed at most."),
    ("每秒最多 5 次请求。", "每秒钟最多 5 次请求"),
    ("The plan costs 5 euros per month.", "The plan costs 5 euros monthly."),
    ("套餐 30 元/月。", "套餐每月 30 元"),
    ("Employees must work from home.", "Employees are required to work from home."),
    ("Employees may work from home.", "Employees are allowed to work from home."),
    ("Employees may work from home.", "Employees can work from home."),
    ("Employees may not work from home.", "Employees must not work from home."),
    ("员工应当在家办公。", "员工必须在家办公"),
    ("员工不得在家办公。", "员工不能在家办公"),
    ("员工可以在家办公。", "员工能在家办公"),
    ("员工无需打卡。", "员工不必打卡"),
    ("The meeting is in May 2024.", "The meeting must be in May 2024."),
    ("From 2019 revenue rose in Germany.", "In Germany revenue rose from 2019."),
    ("We support Word, Excel and PDF.", "We support PDF, Excel and Word."),
    ("支持微信、支付宝和银行卡付款。", "支持银行卡、支付宝和微信付款"),
    ("The warranty is extended to 3 years.", "The warranty extends to 3 years."),
    ("退款需在七天内申请。", "申请退款须在七天内"),
    ("最多可借 5 本书，借期为 30 天。", "可借 5 本书，为期 30 天"),
]  # fmt: skip
FALSE = [
    ("员工每年有 10 天年假，试用期员工没有年假。", "试用期员工每年有 10 天年假"),
    ("员工每年有 10 天年假，试用期员工没有年假。", "员工没有年假"),
    ("员工每年享有 10 天带薪年假。试用期员工没有年假。", "试用期员工每年享有 10 天带薪年假"),
    ("员工每年享有 10 天带薪年假。试用期员工没有年假。", "员工没有年假"),
    ("Employees have 10 days of leave; employees on probation have no leave.", "Employees on probation have 10 days of leave."),
    ("Employees have 10 days of leave; employees on probation have no leave.", "Employees have no leave."),
    ("Employees have 10 days of leave; managers have 15 days of leave.", "Managers have 10 days of leave."),
    ("员工有 10 天年假，经理有 15 天年假。", "经理有 10 天年假"),
    ("Anna lives in Berlin; Bob lives in Paris.", "Anna lives in Paris."),
    ("甲部门负责采购，乙部门负责销售。", "甲部门负责销售"),
    ("The battery is covered for six months. Water damage is not covered.", "Water damage is covered for six months."),
    ("Refunds are possible within 14 days; opened goods are not refunded.", "Opened goods are refunded within 14 days."),
    ("Acme acquired Globex in 2019 for 30 million euros.", "Globex acquired Acme in 2019 for 30 million euros."),
    ("Acme acquired Globex in 2019 for 30 million euros.", "Globex acquired Acme."),
    ("Acme acquired Globex in 2019 for 30 million euros.", "Acme was acquired by Globex in 2019."),
    ("Acme acquired Globex in 2019 for 30 million euros.", "Acme was acquired in 2019."),
    ("Globex was acquired by Acme.", "Globex acquired Acme."),
    ("甲公司于 2019 年以 3000 万欧元收购了乙公司。", "乙公司收购了甲公司"),
    ("甲公司于 2019 年以 3000 万欧元收购了乙公司。", "甲公司被乙公司收购"),
    ("甲公司于 2019 年以 3000 万欧元收购了乙公司。", "乙公司于 2019 年以 3000 万欧元收购了甲公司"),
    ("乙公司被甲公司收购。", "乙公司收购了甲公司"),
    ("甲公司收购了乙公司。", "乙公司收购了甲公司"),
    ("阿里收购了饿了么。", "饿了么收购了阿里"),
    ("Refunds take 14 days after we receive the goods.", "The goods receive refunds 14 days after we take."),
    ("At most 5 requests per second are allowed.", "At most 5 requests per minute are allowed."),
    ("每秒最多 5 次请求。", "每分钟最多 5 次请求"),
    ("The plan costs 5 euros per month.", "The plan costs 5 euros per year."),
    ("套餐 30 元/月。", "套餐每年 30 元"),
    ("套餐 30 元/月。", "套餐 30 元/年"),
    ("The plan costs 5 euros/month.", "The plan costs 5 euros/year."),
    ("5 requests per second and 100 requests per minute are allowed.", "100 requests per second are allowed."),
    ("会员年费 168 元，月费 18 元。", "会员每年 18 元"),
    ("Employees may work from home.", "Employees must work from home."),
    ("Employees must work from home.", "Employees may work from home."),
    ("Employees need not work from home.", "Employees must not work from home."),
    ("Employees must not work from home.", "Employees do not have to work from home."),
    ("员工可以在家办公。", "员工必须在家办公"),
    ("员工必须在家办公。", "员工可以在家办公"),
    ("员工不得在家办公。", "员工无需在家办公"),
    ("员工无需在家办公。", "员工不得在家办公"),
    ("员工可在家办公。", "员工必须在家办公"),
    ("员工无需打卡。", "员工必须打卡"),
    ("长江比黄河长 800 公里。", "黄河比长江长 800 公里"),
    ("Trains run from Berlin to Paris.", "Trains run from Paris to Berlin."),
]  # fmt: skip


def _status(source: str, claim: str) -> str:
    return verify_answer(f"{claim} [1]", passages(hit(source, source="own.md"))).sentences[-1].status


@pytest.mark.parametrize(("source", "claim"), TRUE)
def test_the_same_in_other_words_is_verified(source: str, claim: str) -> None:
    assert _status(source, claim) == "verified"


@pytest.mark.parametrize(("source", "claim"), FALSE)
def test_the_same_words_for_something_else_are_not_verified(source: str, claim: str) -> None:
    assert _status(source, claim) == "unsupported"
