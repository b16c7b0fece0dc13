"""Change sentences for `benchmarks.verification`: so that they say the same in another way, or something else.

Nothing here knows how the verifier reads a text: numbers, units, names, negations and traditional characters are found and written by tables
of this module only, so that the measure cannot be right by construction. Each function returns None where a sentence gives no occasion.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence

Change = Callable[[str, random.Random], str | None]

# -- what says something else ------------------------------------------------------------------------------------------------------------------

_NUMBER = re.compile(r"(?<![A-Za-z0-9_])\d+(?:[.,]\d+)*(?![A-Za-z0-9_])")
_WORD_NUMBERS = [
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "twenty",
    "thirty",
    "forty",
    "fifty",
]
_WORD_NUMBER = re.compile(rf"\b(?:{'|'.join(_WORD_NUMBERS)})\b", re.IGNORECASE)
_HAN_DIGITS = "二三四五六七八九"
_HAN_NUMBER = re.compile(rf"(?<![一二三四五六七八九十百千万第几])[{_HAN_DIGITS}](?=[个名位年月天次种座条部家岁])")
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December")  # fmt: skip
_EN_DATE = re.compile(rf"\b(?:{'|'.join(_MONTHS)})\b(?=\s+\d)|(?<=\d )(?:{'|'.join(_MONTHS)})\b")
_ZH_DATE = re.compile(r"(?<!\d)(\d{1,4})(?=\s?[年月日号](?!代))")
_UNITS = (
    ("年", "个月", "天", "小时", "分钟"),
    ("公里", "米", "厘米"),
    ("公斤", "吨", "克"),
    ("美元", "欧元", "英镑", "日元"),
    ("平方公里", "公顷", "平方米"),
    ("万", "亿"),
    ("years", "months", "weeks", "days", "hours", "minutes"),
    ("miles", "kilometres", "metres", "feet", "km"),
    ("dollars", "pounds", "euros"),
    ("million", "billion"),
    ("kg", "tons", "grams"),
)
_NEGATE_ZH = (
    ("不是", "是"), ("没有", "有"), ("不能", "能"), ("不会", "会"), ("不可以", "可以"), ("未能", "能够"), ("无法", "可以"), ("并不", ""),
    ("从未", "曾经"), ("不再", "仍"), ("尚未", "已经"), ("不需要", "需要"), ("不必", "必须"), ("不包括", "包括"), ("不支持", "支持"),
)  # fmt: skip
_DENY_ZH = (("可以", "不可以"), ("能够", "不能够"), ("是", "不是"), ("位于", "不位于"), ("属于", "不属于"), ("具有", "没有"), ("包括", "不包括"),
            ("成为", "没有成为"), ("使用", "不使用"), ("需要", "不需要"), ("拥有", "没有"))  # fmt: skip
# 是 inside these is no verb that could be denied
_NO_VERB = re.compile(
    r"(?:但|于|还|就|若|只|凡|或|总|正|也|都|而|要|不|便|即|像|算|仅|特别|尤其|更|如|可)是|是(?:否|非|因|由|为|以|在于)"
)
_AUXILIARY = re.compile(
    r"\b(is|are|was|were|can|could|will|would|has been|have been|had been|must|should)\b(?! not\b|n't)"
)
_DENIAL = re.compile(r"\b(?:not|never) |n't\b| n't\b")


def _at_random(pattern: re.Pattern[str], text: str, rng: random.Random) -> re.Match[str] | None:
    found = list(pattern.finditer(text))
    return rng.choice(found) if found else None


def _replaced(text: str, match: re.Match[str], new: str) -> str:
    return text[: match.start()] + new + text[match.end() :]


def number(text: str, rng: random.Random) -> str | None:
    """Change one digit, or one numeral in words."""
    if match := _at_random(_NUMBER, text, rng):
        places = [place for place, character in enumerate(match.group()) if character.isdigit()]
        place = rng.choice(places)
        others = [d for d in "123456789" if d != match.group()[place]]
        return _replaced(text, match, match.group()[:place] + rng.choice(others) + match.group()[place + 1 :])
    if match := _at_random(_HAN_NUMBER, text, rng):
        return _replaced(text, match, rng.choice([d for d in _HAN_DIGITS if d != match.group()]))
    if match := _at_random(_WORD_NUMBER, text, rng):
        return _replaced(text, match, rng.choice([w for w in _WORD_NUMBERS if w != match.group().lower()]))
    return None


def date(text: str, rng: random.Random) -> str | None:
    """Change the month, the day or the year of a date."""
    if match := _at_random(_EN_DATE, text, rng):
        return _replaced(text, match, rng.choice([m for m in _MONTHS if m != match.group()]))
    if match := _at_random(_ZH_DATE, text, rng):
        value = int(match.group())
        return _replaced(text, match, str(value + rng.choice([-1, 1]) if value > 1 else value + 1))
    return None


def unit(text: str, rng: random.Random) -> str | None:
    """Put another unit of the same kind behind a number."""
    found: list[tuple[int, int, str]] = []
    for group in _UNITS:
        names = "|".join(sorted(map(re.escape, group), key=len, reverse=True))
        for match in re.finditer(rf"(?<=\d)(\s?)({names})(?![A-Za-z月初代])", text):
            if match[2] == "年" and re.search(r"(?<!\d)[12]\d{3}\s?$", text[: match.start()]):
                continue  # a date
            new = rng.choice([name for name in group if name != match[2]])
            found.append((match.start(2), match.end(2), new))
    if not found:
        return None
    start, end, new = rng.choice(found)
    return text[:start] + new + text[end:]


def deny(text: str, rng: random.Random) -> str | None:
    """Put a negation into a sentence that has none."""
    if _chinese(text):
        if re.search("[不没无未非]", text):
            return None
        taken = _NO_VERB.sub(lambda match: "\0" * len(match.group()), text)
        for plain, denied in _DENY_ZH:
            if taken.count(plain) == 1:
                return text[: taken.index(plain)] + denied + text[taken.index(plain) + len(plain) :]
        return None
    if re.search(r"\b(?:not|no|never|without|neither|nor)\b|n't\b", text):
        return None
    match = _AUXILIARY.search(text)
    return (
        _replaced(text, match, f"{match.group().split()[0]} not{match.group()[len(match.group().split()[0]) :]}")
        if match
        else None
    )


def affirm(text: str, rng: random.Random) -> str | None:
    """Take the one negation out of a sentence."""
    if _chinese(text):
        for denied, plain in _NEGATE_ZH:
            if text.count(denied) == 1 and f"是{denied}" not in text and not re.search(f"{denied}[，。]", text):
                return text.replace(denied, plain)
        return None
    found = [
        match for match in _DENIAL.finditer(text) if not text[match.end() :].startswith(("only", "just", "necessarily"))
    ]
    if len(found) != 1 or (found[0].group() == "n't" and text[: found[0].start()].endswith(("ca", "wo", "sha"))):
        return None
    return _replaced(text, found[0], "")


def other_name(text: str, own: str, names: Sequence[str], passage: str, rng: random.Random) -> str | None:
    """Put another name of the same kind in the place of one; it must not stand in the passage."""
    others = [name for name in names if name not in passage and own not in name and name not in own]
    return text.replace(own, rng.choice(others), 1) if others and text.count(own) == 1 else None


# -- what says the same ------------------------------------------------------------------------------------------------------------------------

_PAIRS = (
    "国國 学學 会會 来來 时時 为為 这這 们們 个個 说說 对對 开開 动動 发發 现現 进進 种種 实實 业業 电電 产產 关關 长長 东東 车車 马馬 "
    "书書 见見 观觀 视視 规規 计計 议議 论論 设設 许許 识識 语語 请請 读讀 课課 调調 谈談 谁誰 让讓 认認 记記 讲講 证證 评評 词詞 译譯 试試 "
    "经經 结結 给給 统統 级級 组組 织織 维維 续續 绝絕 红紅 约約 纪紀 纯純 线線 练練 终終 绍紹 军軍 农農 决決 况況 冲衝 净淨 减減 几幾 "
    "战戰 争爭 历歷 门門 问問 间間 闻聞 阳陽 阴陰 队隊 阶階 际際 陆陸 险險 随隨 难難 风風 飞飛 饭飯 馆館 验驗 骑騎 鱼魚 鸟鳥 龙龍 "
    "样樣 标標 树樹 机機 极極 构構 权權 条條 欢歡 欧歐 气氣 汉漢 没沒 济濟 满滿 温溫 湾灣 灭滅 点點 热熱 爱愛 独獨 环環 画畫 疗療 监監 "
    "盖蓋 盘盤 确確 离離 积積 称稱 稳穩 穷窮 筑築 签簽 简簡 类類 粮糧 节節 艺藝 药藥 获獲 营營 虽雖 补補 装裝 觉覺 订訂 负負 财財 责責 "
    "败敗 货貨 质質 购購 贸貿 费費 资資 赛賽 赢贏 达達 边邊 过過 还還 远遠 连連 选選 运運 适適 银銀 错錯 键鍵 镇鎮 闭閉 阔闊 页頁 项項 "
    "顺順 须須 顾顧 预預 领領 题題 额額 两兩 严嚴 丧喪 丰豐 临臨 举舉 义義 乐樂 习習 买買 乱亂 亚亞 亲親 仅僅 从從 价價 优優 传傳 伤傷 "
    "体體 儿兒 兰蘭 兴興 写寫 刘劉 创創 别別 剧劇 劳勞 势勢 勋勳 区區 医醫 华華 协協 单單 卖賣 卫衛 压壓 县縣 参參 双雙 变變 号號 后後 "
    "吴吳 员員 响響 团團 园園 围圍 图圖 圆圓 圣聖 场場 块塊 坚堅 声聲 处處 备備 复復 头頭 夺奪 奖獎 妇婦 孙孫 宁寧 宝寶 审審 宪憲 宫宮 "
    "宽寬 宾賓 导導 将將 尔爾 层層 属屬 岁歲 岛島 师師 帝帝 带帶 广廣 应應 庆慶 库庫 张張 强強 归歸 当當 录錄 总總 恶惡 态態 怀懷 户戶 "
    "扩擴 报報 担擔 拥擁 择擇 损損 换換 据據 摄攝 敌敵 数數 无無 旧舊 显顯 术術 杀殺 杂雜 杨楊 桥橋 梦夢 检檢 楼樓 残殘 毁毀 毕畢 测測 "
)
_TRADITIONAL = {ord(pair[0]): pair[1] for pair in _PAIRS.split()}
_ONES = "零一二三四五六七八九"
_SMALL = dict(
    enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    )
)
_PARENTHESIS = re.compile(r"\s?[（(][^（()）\[\]]{2,60}[)）]")
_ISO_ZH = re.compile(r"(?<!\d)((?:1[5-9]|20)\d\d)年(\d{1,2})月(\d{1,2})日")
_US_DATE = re.compile(rf"\b({'|'.join(_MONTHS)}) (\d{{1,2}}), (\d{{4}})\b")
_LEAD_EN = re.compile(
    r"^((?:In|On|At|During|After|Since|By|From) [^,]{3,50}), ((?:the|The|he|she|it|they|[A-Z])[^,;:]{15,200})\.$"
)
_TRAILING = re.compile(r"^(.{30,160}?), (?:which|who|including|such as|although|while|with) [^.]{8,160}\.$")


def _chinese(text: str) -> bool:
    return bool(re.search("[\u4e00-\u9fff]", text))


def _han_number(value: int) -> str:
    """Return 0 to 99 in Chinese numerals."""
    tens, ones = divmod(value, 10)
    if not tens:
        return _ONES[ones]
    return ("" if tens == 1 else _ONES[tens]) + "十" + ("" if not ones else _ONES[ones])


def numerals(text: str, rng: random.Random) -> str | None:
    """Write numbers in another form: 12 as 十二 and back, three as 3, 1,234 as 1234."""
    if _chinese(text):
        new = re.sub(
            r"(?<![\d.,A-Za-z年月-])(\d{1,2})(?=\s?[个名位次种座条部家岁天])", lambda m: _han_number(int(m[1])), text
        )
        new = re.sub(r"(?<![\d.,-])(\d{1,2})%", lambda m: f"百分之{_han_number(int(m[1]))}", new)
        if new == text:
            new = _HAN_NUMBER.sub(lambda m: str(_ONES.index(m.group())), text)
    else:
        new = re.sub(r"(?<![\d,])(\d{1,3}),(\d{3})(?![\d,])", r"\1\2", text)
        if new == text:
            new = re.sub(r"(?<![\d.,$£€-])\b([2-9]|1[0-2])\b(?= [a-z]{3,})", lambda m: _SMALL[int(m[1])], text)
        if new == text:
            new = _WORD_NUMBER.sub(
                lambda m: next((str(v) for v, w in _SMALL.items() if w == m.group().lower()), m.group()), text
            )
    return new if new != text else None


def traditional(text: str, rng: random.Random) -> str | None:
    """Write a Chinese sentence in traditional characters, as far as the small table here goes."""
    new = text.translate(_TRADITIONAL)
    return new if new != text else None


def full_width(text: str, rng: random.Random) -> str | None:
    """Write digits and Latin letters in full width."""
    if not _chinese(text):
        return None
    new = re.sub("[0-9A-Za-z]", lambda m: chr(ord(m.group()) + 0xFEE0), text)
    return new if new != text else None


def date_form(text: str, rng: random.Random) -> str | None:
    """Write a date in another form."""
    if match := _ISO_ZH.search(text):
        year, month, day = match.groups()
        form = rng.choice(
            [
                f"{year}-{int(month):02d}-{int(day):02d}",
                f"{year}/{int(month)}/{int(day)}",
                f"{year} 年 {month} 月 {day} 日",
            ]
        )
        return _replaced(text, match, form)
    if match := _US_DATE.search(text):
        month, day, year = match.groups()
        numbered = f"{year}-{_MONTHS.index(month) + 1:02d}-{int(day):02d}"
        return _replaced(text, match, rng.choice([f"{day} {month} {year}", numbered, f"{month[:3]} {day}, {year}"]))
    return None


def shortened(text: str, rng: random.Random) -> str | None:
    """Leave out what stands in brackets, or a subordinate clause at the end."""
    new = _PARENTHESIS.sub("", text)
    if new != text:
        return new
    if _chinese(text):
        clauses = text.rstrip("。").split("，")
        return "，".join(clauses[:-1]) + "。" if len(clauses) > 2 and len(clauses[-1]) > 4 else None
    match = _TRAILING.match(text)
    return match[1] + "." if match and match[1].count(",") == 0 else None


def reordered(text: str, rng: random.Random) -> str | None:
    """Move a phrase of time or place from the front to the end; in Chinese exchange two clauses that stand beside each other."""
    if not _chinese(text):
        match = _LEAD_EN.match(text)
        return f"{match[2][0].upper()}{match[2][1:]} {match[1][0].lower()}{match[1][1:]}." if match else None
    match = re.match(
        r"^((?:在)?\d{4}年(?:\d{1,2}月)?(?:\d{1,2}日)?)，?([^，]{2,8}?)(在|于|被|开始|成为|建立|获得|担任|出版|发表|加入|参加)",
        text,
    )
    if match:
        return f"{match[2]}{match[1]}{match[3]}{text[match.end() :]}"
    clauses = text.rstrip("。").split("，")
    joined = re.compile(
        "^(?:但|而|并|因|所以|因此|然而|不过|也|还|其|就|则|且|以|故|使|才|又|从而|导致|却|这|该|此|他|她|它|之后|后来|随后|最后|同时|于是|即)"
    )
    if len(clauses) == 2 and min(map(len, clauses)) > 8 and not any(joined.match(clause) for clause in clauses):
        return f"{clauses[1]}，{clauses[0]}。"
    return None


SOMETHING_ELSE: Mapping[str, Change] = {
    "number": number,
    "date": date,
    "unit": unit,
    "negation added": deny,
    "negation dropped": affirm,
}
THE_SAME: Mapping[str, Change] = {
    "numerals": numerals, "traditional": traditional, "full width": full_width, "date form": date_form, "shortened": shortened,
    "reordered": reordered,
}  # fmt: skip
