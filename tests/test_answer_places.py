"""A sentence made of words of its passage alone may still be wrong: a word in another one's place, or two rows of a table mixed."""

from __future__ import annotations

import pytest

from answer_hits import hit, passages
from yinju.answer.verify import verify_answer

POINTS = (
    "到店之前请预约，未预约的不保证当天受理。各服务点都能当场更换电池。\n\n| 服务点 | 地址 | 休息 | 能否当场换屏 |\n| --- | --- | --- | --- |\n"
    "| 杭州 | 西溪路 5 号 | 周一 | 能 |\n| 西安 | 雁塔路 9 号 | 周四 | 不能 |\n| 沈阳 | 青年大街 2 号 | 周日 | 能 |\n"
)
PLANS = (
    "| Plan | Price | Seats | Support by |\n| --- | --- | --- | --- |\n| Basic | 9 euros | 3 | email |\n"
    "| Team Plus | 29 euros | 12 | chat |\n| Enterprise | 99 euros | 200 | phone and chat |\n"
)
CODES = (
    "| 错误码 | 原因 | 处理 |\n| --- | --- | --- |\n"
    "| X-771 | 电压过低 | 更换电源 |\n| X-717 | 镜头有污渍 | 用软布擦拭 |\n| X-177 | 存储卡已满 | 删除旧文件 |\n"
)
LOGS = (
    "| Duration | now | state |\n| --- | --- | --- |\n| Append Log Duration | 0.27 | steady |\n| Commit Log Duration | 8.68 | rising |\n"
    "| Apply Log Duration | 0.457 | falling |\n"
)
LOGS_ZH = (
    LOGS.replace("Duration | now | state", "耗时 | 现值 | 状态").replace("falling", "下降").replace("steady", "平稳")
)
STAFF = "林晓峰是剧团的编剧。演出时，导演由何静怡担任，灯光由郭子昂负责。剧本在杭州写成，首演在宁波举行。"
CREW = (
    "Marta Lind wrote the score in Oslo. "
    "The film was directed by Jonas Weber, and the costumes were made by Ida Holm. The premiere took place in Turin."
)
CASES = "Appeals in tax matters are usually decided within four weeks, and appeals in building matters usually take half a year."

SALES = "2022 年茶叶、咖啡、可可的销量分别增长 4.1%、6.3%、-2.2%。"
YIELDS = "Rye, oats and barley gave 31, 28 and 44 tons respectively."

RIGHT = [
    (SALES, "2022 年咖啡的销量增长 6.3%"),
    (POINTS, "西安服务点周四休息"),
    (POINTS, "西安服务点不能当场换屏"),
    (POINTS, "杭州和沈阳能当场换屏"),
    (PLANS, "Team Plus costs 29 euros and has 12 seats"),
    (PLANS, "The price of Basic is 9 euros"),
    (PLANS, "Support by phone comes with Enterprise"),
    (CODES, "X-717 的处理是用软布擦拭"),
    (CODES, "X-771 表示电压过低，应更换电源"),
    (LOGS, "The state of Append Log Duration is steady"),
    (LOGS_ZH, "Append Log Duration 的状态是平稳"),
    (STAFF, "导演由何静怡担任"),
    (STAFF, "演出时灯光由郭子昂负责"),
    (CREW, "The film was directed by Jonas Weber"),
    (CREW, "The costumes were made by Ida Holm"),
    (CASES, "Appeals in tax matters are usually decided within four weeks"),
]  # fmt: skip
WRONG = [
    (SALES, "2022 年茶叶的销量增长 6.3%"),
    (SALES, "2022 年可可的销量增长 2.2%"),
    (YIELDS, "Oats gave 44 tons"),
    (POINTS, "西安服务点周日休息"),
    (POINTS, "杭州服务点的地址是青年大街 2 号"),
    (POINTS, "西安的服务点能当场换屏，周一休息"),
    (PLANS, "Team Plus costs 99 euros and has 12 seats"),
    (PLANS, "The price of Basic is 29 euros"),
    (PLANS, "Support by phone comes with Basic"),
    (CODES, "X-717 的处理是更换电源"),
    (CODES, "X-771 表示存储卡已满"),
    (CODES, "删除旧文件是 X-717 的处理"),
    (LOGS, "The state of Append Log Duration is falling"),
    (LOGS_ZH, "Append Log Duration 的状态是下降"),
    (STAFF, "导演由林晓峰担任"),
    (STAFF, "演出时灯光由林晓峰负责"),
    (CREW, "The film was directed by Marta Lind"),
    (CREW, "The premiere took place in Oslo"),
    (CASES, "Appeals in building matters are usually decided within four weeks"),
    ("周岚为周秉文之女。", "周秉文为周岚之女"),
    ("沈括死后，沈冲继承了家业。", "沈冲死后，沈括继承了家业"),
    ("如果两台设备型号相同，那么配件可以互换。", "如果两台设备型号不相同，那么配件可以互换"),
    ("受访者发烧后未就医，自行服药。", "受访者发烧后去过大医院就医"),
    ("The hotel is the second largest in the valley.", "The hotel is the largest in the valley"),
    ("区长常常兼任书记。", "区长必须兼任书记"),
]  # fmt: skip


def _status(source: str, claim: str) -> str:
    return verify_answer(f"{claim} [1]", passages(hit(source, source="own.md"))).sentences[-1].status


@pytest.mark.parametrize(("source", "claim"), RIGHT)
def test_a_word_in_its_place_is_verified(source: str, claim: str) -> None:
    assert _status(source, claim) == "verified"


@pytest.mark.parametrize(("source", "claim"), WRONG)
def test_a_word_in_another_place_is_not_verified(source: str, claim: str) -> None:
    assert _status(source, claim) == "unsupported"
