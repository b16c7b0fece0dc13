"""Figures said in another way (decades, areas, rounded numbers) are the same figures, and those of another year or thing are not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answer_hits import hit, passages
from yinju.answer.bound import labelled
from yinju.answer.facts import Quantity, facts, holds_quantity
from yinju.answer.rounded import exact
from yinju.answer.verify import verify_answer

STATION_ZH = "本站在1891年设置之初原名福冈车站，后又在1921年时改名北福冈车站，目前的站名则是到1987年时才开始启用。"
BIRDS_ZH = "关岛秧鸡于20世纪80年代末在整个岛上灭绝。"
BIRDS = "The rail died out on the whole island in the late 1980s."
FOREST = "Between 1991 and 2000, the area of forest lost rose from 415,000 to 587,000 square kilometres (160,000 to 227,000 sq mi)."
FOREST_ZH = "1991年至2000年间，消失的森林面积从415,000平方公里增加到587,000平方公里。"
ROAD = "The boulevard extends about 20 mi (32 km) west to Kerman."
ROAD_ZH = "这条大道向西延伸约20英里（32公里）到达克尔曼。"
CITY = "The city had 17,786,419 inhabitants in 2020, and its old port had 5,105,768 visitors."
CITY_ZH = "2020年全市常住居民17786419人，老港接待游客5105768人次。"
PLAGUES = "From May 1, 1701 the town saw 37 epidemics, and from May 1, 1751 the town saw 31 epidemics."
PLAGUES_ZH = "在1701年至1750年间，该市爆发了37起或大或小的流行病，1751年至1800年间又发生了31起。"

CAMP = "The camp held 402 people: 9 officers of marines, 39 privates, 307 convicts and 17 convicts' wives."
CAMP_ZH = "头皮由五条动脉供血，其中三部分位于外颈动脉，其余两部分位于内颈动脉。动画有两个共同点，总共发售三集。"
WAR = "The duke seized the town in March 1756. On May 18, 1757, England formally declared war on France."
WAR_ZH = "2014年，该组织自封为哈里发。截至2015年3月，它控制了有一千万人口居住的领土。"

RIGHT = [
    (CAMP, "The camp held 9 officers of marines."),
    (CAMP_ZH, "头皮由5条动脉供血"),
    (CAMP_ZH, "动画总共发售3集"),
    (WAR, "England declared war on France in May 1757."),
    (WAR_ZH, "该组织在2014年自封为哈里发"),
    (WAR_ZH, "到2015年3月，它控制着一千万人口居住的领土"),
    (STATION_ZH, "车站1891年设立时叫福冈车站，1921年改名北福冈车站，1987年才启用现在的站名"),
    (BIRDS_ZH, "关岛秧鸡在1980年代末灭绝"),
    (BIRDS_ZH, "关岛秧鸡在八十年代末灭绝"),
    (BIRDS, "The rail died out on the island in the late 1980's."),
    (FOREST, "From 1991 to 2000, the area of forest lost rose from 415,000 to 587,000 km²."),
    (FOREST_ZH, "1991年至2000年间，消失的森林面积从415,000 km²增加到587,000 km²"),
    (ROAD, "The boulevard extends about 32 km west to Kerman."),
    (ROAD_ZH, "这条大道向西延伸约32公里到达克尔曼"),
    (CITY, "The city had about 17.8 million inhabitants in 2020."),
    (CITY, "The city had more than 17.7 million inhabitants in 2020."),
    (CITY_ZH, "2020年全市常住居民约1779万人"),
    (CITY_ZH, "老港接待游客超过510万人次"),
    (PLAGUES_ZH, "1751年至1800年间，该市发生了31起流行病"),
]
WRONG = [
    (CAMP, "The camp held 17 officers of marines."),
    (CAMP_ZH, "头皮由三条动脉供血"),
    (CAMP_ZH, "动画总共发售两集"),
    (WAR, "England formally declared war on France in March 1756."),
    (WAR_ZH, "该组织在2015年3月自封为哈里发"),
    (STATION_ZH, "车站1921年改名北福冈车站，1997年才启用现在的站名"),
    (BIRDS_ZH, "关岛秧鸡在1970年代末灭绝"),
    (BIRDS_ZH, "关岛秧鸡在1980年灭绝"),
    (BIRDS, "The rail died out on the island in the late 1970s."),
    (FOREST, "From 1991 to 2000, the area of forest lost rose from 415,000 to 578,000 km²."),
    (FOREST_ZH, "1991年至2000年间，消失的森林面积从451,000 km²增加到587,000 km²"),
    (ROAD, "The boulevard extends about 20 km west to Kerman."),
    (ROAD_ZH, "这条大道向西延伸约20公里到达克尔曼"),
    (CITY, "The city had about 17.9 million inhabitants in 2020."),
    (CITY, "The city had more than 17.8 million inhabitants in 2020."),
    (CITY, "The city had 17.8 million inhabitants in 2020."),
    (CITY, "The old port had about 17.8 million visitors."),
    (CITY_ZH, "2020年全市常住居民约1789万人"),
    (CITY_ZH, "2020年全市常住居民1779万人"),
    (PLAGUES, "From May 1, 1751 the town saw 37 epidemics."),
    (PLAGUES_ZH, "该市在1751年至1800年间爆发了37起流行病"),
]


def _status(source: str, claim: str) -> str:
    return verify_answer(f"{claim} [1]", passages(hit(source))).sentences[0].status


@pytest.mark.parametrize(("source", "claim"), RIGHT)
def test_the_same_figure_is_verified(source: str, claim: str) -> None:
    assert _status(source, claim) == "verified"


@pytest.mark.parametrize(("source", "claim"), WRONG)
def test_another_figure_is_not(source: str, claim: str) -> None:
    assert _status(source, claim) == "unsupported"


@pytest.mark.parametrize("text", ["20世纪80年代", "二十世纪八十年代", "1980年代", "the 1980s", "the 1980's"])
def test_a_decade_is_one_however_it_is_written(text: str) -> None:
    assert facts(text).quantities == {Quantity("1980", "decade")}
    assert not facts(text).dates


def test_a_decade_without_its_century_may_be_of_any() -> None:
    (short,) = facts("80年代").quantities
    assert holds_quantity(short, facts("1980年代").quantities)
    assert not holds_quantity(short, facts("1970年代").quantities)
    assert not holds_quantity(Quantity("1880", "decade"), facts("1980年代").quantities)


def test_both_ends_of_decades_and_years() -> None:
    assert facts("1930-40年代").quantities == {Quantity("1930", "decade"), Quantity("1940", "decade")}
    assert facts("改建，1921年至1925年").dates == {"1921", "1925"}


def test_two_exact_numbers_are_none() -> None:
    assert exact("约1779万人", ["17786419人，17786420人"]) == "约1779万人"


@settings(deadline=None)
@given(st.integers(100, 10**12), st.sampled_from(["about ", "约", "more than ", "近"]), st.integers(0, 10**12))
def test_only_what_rounds_to_it_takes_the_place_of_a_number(value: int, word: str, known: int) -> None:
    written = exact(f"{word}{value}", [str(known)])
    assert written == f"{word}{value}" or abs(value - known) < 10 ** (len(str(value)) - 1)


FISH_ZH = "背鳍硬棘8枚，软条9枚；臀鳍硬棘2枚、软条8枚。"
FIRM_ZH = "截止2010年底，公司拥有职能部门18个，全资子公司16个、控股子公司15个。"
ASH_ZH = "火山喷出约100亿吨的岩浆和2千万吨的二氧化硫。"


@pytest.mark.parametrize(
    ("source", "claim", "status"),
    [
        (FISH_ZH, "背鳍有硬棘8枚", "verified"),
        (FISH_ZH, "臀鳍有软条8枚", "verified"),
        (FISH_ZH, "臀鳍有硬棘8枚", "unsupported"),
        (FIRM_ZH, "到2010年底，公司拥有16个全资子公司", "verified"),
        (FIRM_ZH, "到2010年底，公司拥有18个全资子公司", "unsupported"),
        (ASH_ZH, "火山喷出约2千万吨的二氧化硫", "verified"),
        (ASH_ZH, "火山喷出约100亿吨的二氧化硫", "unsupported"),
    ],
)
def test_a_figure_of_a_list_keeps_its_label(source: str, claim: str, status: str) -> None:
    assert _status(source, claim) == status


def test_a_label_is_what_stands_beside_the_figure() -> None:
    assert [part.label for part in labelled(FISH_ZH)] == [
        {"背鳍", "硬棘"},
        {"背鳍", "软条"},
        {"臀鳍", "硬棘"},
        {"臀鳍", "软条"},
    ]
    assert [part.label for part in labelled("共收文、赋1104篇，诗961首")] == [{"赋"}, {"诗"}]
