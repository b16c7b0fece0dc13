"""Sentences made of words of their passage alone: of whom it is said, who does it, what came first, what is only possible."""

from __future__ import annotations

import pytest

from answer_hits import hit, passages
from yinju.answer.clauses import parts
from yinju.answer.order import orders
from yinju.answer.verify import verify_answer

# of whom it is said
ISLES = "The Harbour Ferry sails to the northern islands every morning. The Night Ferry carries cars and trucks to the mainland."
ISLES_ZH = "早班渡轮每天上午开往北部岛屿。夜班渡轮运送汽车和卡车前往大陆。"
SPEAKERS = "Maria Lind, who won the chess cup in Oslo, teaches physics. Paul Berg moved to Lima and sells maps."
SPEAKERS_ZH = "来自挪威的林德出生于奥斯陆，曾赢得国际象棋锦标赛冠军。伯格后来移居利马，以出售地图为生。"
SYSTEMS = "In the closed system, the guests order meals at the counter. In the open system, waiters bring meals to the guests."
SYSTEMS_ZH = "在封闭系统中，客人到柜台点餐取餐。在开放系统中，服务员把饭菜送到客人桌上。"
LATER = "It was designed in a small workshop near the river bridge. The Tornado Clock stands in the city hall."
# who does it
BOOKS = "The Silent Garden is a novel written by Peter Holm for a small theatre. The stage music was composed by Anna Stein."
BOOKS_ZH = "《寂静花园》由霍尔姆创作，是一部长篇小说。舞台音乐由施泰因谱写。"
HIRED = "The museum hired the Blue Studio to paint its new entrance hall."
# what came first
STEPS = "The team repaired the engine in May. The team painted the hull in white colours before the summer race began."
MOVES = "The club opened a library for children. Members were pleased. Years later the club closed its swimming pool."
MOVES_ZH = "俱乐部开设了儿童图书馆。会员很多。多年以后俱乐部关闭了露天游泳池。"
TURNS = "After the great flood, the council built a stone dam."
TURNS_ZH = "大洪水过后，市议会修建了石头水坝。"
# what is only possible, what is denied without a not, what is the second
MAYBE = "No record of the sale is known, but it is possible that the merchants had access to the royal archive."
MAYBE_ZH = "历史学家认为这座石塔可能是用来观测星象的建筑。"
INSTEAD = "If you press the red button, you will create a new page instead of editing the existing page."
INSTEAD_ZH = "按下红色按钮会新建页面，而不是编辑原有页面。"
SECOND_ZH = "1991年的喷发是二十世纪陆地上第二大规模的火山喷发。"

NUMBERS = "The 5-time champion Jan Allen led with 136 points, and the newcomer Tom Ealy had 5 sacks in just 9 starts."
NUMBERS_ZH = "全县有68户（43.3%）养羊，有30户（19.3%）养牛，另有11户（7.4%）养马，其中43户住在山上。"
CLEFT_ZH = "1950年，罗布任命金特为广播公司总裁。"

HOLIDAY = "Hotel bookings were down 16.7 %, back to 72.6 % of the level; restaurant income was down 22.8 %, back to 60.6 % of the level."
HOLIDAY_ZH = "国内出游7340.9万人次，同比下降16.7%，按可比口径恢复至2019年同期的72.6%；国内旅游收入286.8亿元，同比下降22.8%，恢复至2019年同期的60.6%。"
# what is only ever denied
PIER_ZH = "重建后的码头后来被风暴破坏，但没有被摧毁。她当时在电视台上节目，觉得很不习惯。"
TERM = "The commission of the governor is for an unfixed period of time, though five years is the normal convention."

RIGHT = [
    (PIER_ZH, "重建后的码头后来被风暴破坏"),
    (PIER_ZH, "她上节目觉得不习惯"),
    (TERM, "The commission of the governor is for an unfixed period."),
    (HOLIDAY, "Hotel bookings were back to 72.6 % of the level."),
    (HOLIDAY_ZH, "国内出游人次恢复到2019年同期的72.6%"),
    (NUMBERS, "The newcomer Tom Ealy had 5 sacks in just 9 starts."),
    (NUMBERS_ZH, "全县有30户（19.3%）养牛"),
    (CLEFT_ZH, "金特1950年出任广播公司总裁，任命他的是罗布"),
    (ISLES, "The Harbour Ferry sails to the northern islands every morning."),
    (ISLES, "Cars and trucks are carried to the mainland by the Night Ferry."),
    (ISLES_ZH, "夜班渡轮把汽车和卡车运送前往大陆"),
    (SPEAKERS, "Maria Lind won the chess cup in Oslo."),
    (SPEAKERS_ZH, "林德曾赢得国际象棋锦标赛冠军"),
    (SYSTEMS, "In the open system, waiters bring meals to the guests."),
    (SYSTEMS_ZH, "在开放系统中，服务员把饭菜送到客人桌上"),
    (BOOKS, "Peter Holm wrote The Silent Garden."),
    (BOOKS_ZH, "霍尔姆创作了《寂静花园》"),
    (HIRED, "The museum hired the Blue Studio to paint its entrance hall."),
    (MOVES, "The club opened a library for children before the club closed its swimming pool."),
    (MOVES_ZH, "俱乐部先开设了儿童图书馆，后来关闭了露天游泳池"),
    (TURNS, "The council built a stone dam after the great flood."),
    (TURNS_ZH, "市议会在大洪水过后修建了石头水坝"),
    (MAYBE, "It is possible that the merchants had access to the royal archive."),
    (MAYBE_ZH, "历史学家认为这座石塔可能用来观测星象"),
    (INSTEAD, "If you press the red button, you will create a new page."),
    (INSTEAD_ZH, "按下红色按钮会新建页面"),
    (SECOND_ZH, "1991年的喷发是二十世纪陆地上规模第二大的火山喷发"),
    ("在封闭的山谷里，居民主要沿着河岸居住，并以种植水稻维持生活。", "山谷居民靠种水稻生活，多住在河岸边"),
]
WRONG = [
    (PIER_ZH, "重建后的码头后来被风暴摧毁"),
    (PIER_ZH, "她上节目觉得很习惯"),
    (TERM, "The commission of the governor is for a fixed period of time."),
    (HOLIDAY, "Restaurant income was back to 72.6 % of the level."),
    (HOLIDAY_ZH, "国内旅游收入恢复至2019年同期的72.6%"),
    (HOLIDAY_ZH, "国内旅游收入同比下降22.8个千分点"),
    (
        NUMBERS,
        "The 5-time champion Jan Allen led with 136 points, and the newcomer Tom Ealy had 9 sacks in just 9 starts.",
    ),
    (NUMBERS_ZH, "全县有68户（43.3%）养羊，有30户（19.3%）养牛，另有11户（19.3%）养马，其中43户住在山上"),
    (ISLES, "The Harbour Ferry carries cars and trucks to the mainland."),
    (ISLES_ZH, "早班渡轮运送汽车和卡车前往大陆"),
    (SPEAKERS, "Paul Berg won the chess cup in Oslo."),
    (SPEAKERS_ZH, "伯格曾赢得国际象棋锦标赛冠军"),
    (SYSTEMS, "In the closed system, waiters bring meals to the guests."),
    (SYSTEMS_ZH, "在封闭系统中，服务员把饭菜送到客人桌上"),
    (LATER, "The Tornado Clock was designed in a small workshop near the river bridge."),
    (BOOKS, "Anna Stein wrote The Silent Garden."),
    (BOOKS_ZH, "施泰因创作了《寂静花园》"),
    (HIRED, "The Blue Studio hired the museum to paint its new entrance hall."),
    (MOVES, "The club opened a library for children after the club closed its swimming pool."),
    (MOVES_ZH, "俱乐部先关闭了露天游泳池，后来开设了儿童图书馆"),
    (TURNS, "The great flood came after the council built a stone dam."),
    (TURNS_ZH, "市议会修建石头水坝之后，发生了大洪水"),
    (MAYBE, "The merchants had access to the royal archive."),
    (MAYBE_ZH, "历史学家证实这座石塔是用来观测星象的建筑"),
    (INSTEAD, "If you press the red button, you will edit the existing page."),
    (INSTEAD_ZH, "按下红色按钮会编辑原有页面"),
    (SECOND_ZH, "1991年的喷发是二十世纪陆地上最大规模的火山喷发"),
    ("Snow on the pass seldom lies for more than a week.", "Snow on the pass lies for more than a week."),
    ("山口的雪很少停留超过一周。", "山口的雪停留超过一周"),
    ("The captain was infected with the fever, but survived.", "The captain was infected with the fever and died."),
    ("船长感染了热病，但最终痊愈。", "船长感染了热病，最终死亡"),
    ("社会越平等，生育率越低，教育投资越高。", "社会越平等，生育率就越高"),
    (
        "The mean income of a household in the county was 700 dollars.",
        "The median income of a household in the county was 700 dollars.",
    ),
    ("画册收有画家反王室题材的版画。", "画册收有画家支持王室题材的版画"),
    ("The album holds anti-royal prints by the painter.", "The album holds pro-royal prints by the painter."),
    ("In good light the text is easier to read.", "In good light the text is read twice as fast."),
    ("光线好的时候，这段文字读起来更快。", "光线好的时候，这段文字读起来快两倍"),
]


def _status(source: str, claim: str) -> str:
    mark = f"{claim[:-1]} [1]." if claim.endswith(".") else f"{claim} [1]。"
    return verify_answer(mark, passages(hit(source))).sentences[0].status


@pytest.mark.parametrize(("source", "claim"), RIGHT)
def test_what_follows_is_verified(source: str, claim: str) -> None:
    assert _status(source, claim) == "verified"


@pytest.mark.parametrize(("source", "claim"), WRONG)
def test_what_does_not_follow_is_not(source: str, claim: str) -> None:
    assert _status(source, claim) == "unsupported"


def test_the_subject_ends_where_its_verb_begins() -> None:
    told = [tuple(token.key for token in one.subject) for one in parts("The Night Ferry carries cars, which are heavy")]
    assert told == [("night", "ferri"), ()]
    assert [tuple(token.key for token in one.subject) for one in parts("在冬季，早班渡轮是红色的")] == [
        (),
        ("早班", "渡轮"),
    ]


def test_order_is_read_in_both_languages() -> None:
    for text in ("The council met after the flood destroyed the bridge.", "洪水冲毁桥梁之后，议会召开会议。"):
        (order,) = orders(text)
        assert {"flood", "洪水"} & order.first.bag
        assert {"council", "议会"} & order.then.bag
