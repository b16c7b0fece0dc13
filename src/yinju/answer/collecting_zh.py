"""Questions about a whole collection in Chinese: 有多少个文件提到……, 哪些文档……, 列出所有……"""

from __future__ import annotations

import re
from dataclasses import replace

from yinju.answer.collecting_words import LANGUAGES, TYPES, cleaned, date_range, names_in, quoted, sought
from yinju.tally import Dated, Structure, Wanted

_I = re.IGNORECASE
_POLITE = re.compile(
    r"^(?:请问|请你?|麻烦你?|帮我|帮忙|我想(?:知道|问|看)(?:一下)?|想问(?:一下)?|告诉我|能不能|可以|能否|那么?|然后|给我"
    r"|查一?下|查一查|统计(?:一下)?|数(?:一下|一数)|看看|[，,\s])+"
)
_TYPE = "|".join(sorted(map(re.escape, (*TYPES, *LANGUAGES)), key=len, reverse=True))
_DOC = (
    rf"(?P<kind>(?:(?:{_TYPE})[的\s]*)*)(?P<doc>文件|文档|文章|资料|页面|文本|报告|来源|档案|(?<=pdf)|(?<=word)|(?<=excel)"
    rf"|(?<=ppt)|(?<=网页)|(?<=邮件)"
    rf"|(?<=电子书)|(?<=表格)|(?<=幻灯片))"
)
_HOW_MANY = r"(?:(?:一共|总共|共计|合计|共|总计|大概|到底|都)?(?:有|是)?(?:多少|几)\s*(?:个|份|篇|页|本|封|张)?\s*)"
_WHICH = r"(?:(?:都)?有?(?:哪些|哪几(?:个|份|篇|页|本|封)|哪(?:个|份|篇)|什么|(?<=^)有没有|(?<=^)是否有)\s*)"
_ALL = (
    r"(?:(?:列出|列举|罗列|找出|给出|显示|找到|查找|搜索|展示|枚举|写出|列一下)(?:来|一下|库里|库中|文档库中|其中)*\s*)"
)
_EVERY = r"(?:所有|全部|每个|每一个|每份|全体|一切)(?:的)?\s*"
# In front of the documents, behind them, and `the documents that ... are which`.
_FORMS = (
    re.compile(rf"^(?P<pre>.{{0,80}}?)(?:(?P<count>{_HOW_MANY})|(?P<which>{_WHICH}))(?:不同的)?{_DOC}(?P<post>.*)$", _I),
    re.compile(rf"^(?:{_ALL}(?:{_EVERY})?|{_EVERY})(?P<pre>.{{0,120}}?)(?:的)?\s*{_DOC}(?P<post>)(?:有哪些|是哪些|分别是哪些"
        rf"|名单|列表|清单|名称|名字)?$", _I),
    re.compile(rf"^(?P<pre>.{{0,120}}?)(?:的)?\s*{_DOC}(?:(?P<count>(?:一共|总共|共)?有?(?:多少|几)(?:个|份|篇|页|本|封)?)"
        rf"|(?:都)?(?:有哪些|是哪些|是哪几(?:个|份"
        rf"|篇)|有哪几(?:个|份|篇))|(?P<number>的?(?:数量|个数|总数)(?:是多少|有多少|是几)?))(?P<post>)$", _I),
)  # fmt: skip
_NEGATED = r"(?P<negated>(?:并|都|从)?(?:没有|没|未曾?|不)(?:有)?)"
_VERB = (
    r"(?:提到|提及|包含|包括|含有|含|出现|涉及|讲到|讲述?|说到|谈到|谈及|谈论|介绍|写到|写着|写|说明|描述|讨论|使用|用到"
    r"|有关|关于|记载|列有|带有|有|里有|中有)"
)
_MENTION = re.compile(
    rf"^(?:里面|里|中|内|当中|的内容)?(?:都|也|同时|一起)*\s*{_NEGATED}?(?:同时|都)?{_VERB}(?:了|过|到|着)*\s*(?P<what>.+)$",
    _I | re.DOTALL,
)
_INVERTED = re.compile(
    r"^(?P<what>.+?)\s*(?:这个词|一词|字样)?(?:是|都|被|会)*(?:出现|提到|提及|写|讲|说|记载)?(?:过|了)?(?:在|于|到)$",
    _I,
)
_APPEARS = re.compile(
    r"^(?:里面|里|中|内)?(?:都)?(?P<negated>没有|没|未|不)?(?:被)?(?:出现|提到|提及|写|讲|涉及|使用|用)(?:到|过|了)*$"
)
_EXISTS = re.compile(
    r"^(?:这个|这里|现在|目前|一共|总共|库|文档库|知识库|文件夹|目录|资料库|帮助中心|里面|里|中|内|下|我们|你|您|总|共|都|有"
    r"|在|的|呢|被|收录|索引|了|存|全部|整个|\s|，|,)*$"
)
_UNREAD = re.compile(
    r"^(?:是|被)?(?:无法|不能|没能|没有|未能|读不|打不)(?:被)?(?:读取|打开|解析|读出|读|索引|开|出来|了|成功|的)+$"
    r"|^被?跳过(?:了|的)*$|^(?:读取|解析|打开)失败的?$"
)
_MONTH = r"(?<!\d)(?<!年)(?<!年 )\d{1,2}\s*月份?(?!\s*\d)"
_DATE = r"\d{4}\s*(?:[-/.年]\s*\d{1,2}(?:\s*[-/.月]\s*\d{1,2})?)?\s*[年月日号]?"
_CHANGED = r"(?P<verb>更新|修改|改动|变更|编辑|修订|创建|发布|写|编写|建立|撰写)"
_DATED = re.compile(
    rf"(?:是|都|最后|最近)*(?:在|于|自|从)?\s*(?P<date>{_DATE}|{_MONTH})\s*(?:到|至|和|与|—|–"
        rf"|~)?\s*(?P<end>{_DATE}|\d{{1,2}}\s*月)?(?:之间)?(?P<how>(?:之|以)?(?:后|前|来|内)|起"
        rf"|开始)?(?:，|,)?(?:有|被|做)?(?:过)?{_CHANGED}(?:过|了|完成)*(?:的)?"
    rf"|(?:最后|最近)?(?P<verb2>更新|修改|创建|发布)(?:日期|时间)?(?:在|于|晚于|早于|不早于"
        rf"|不晚于)(?P<date2>{_DATE})(?P<how2>(?:之|以)?(?:后|前|来)|起)?(?:的)?"
)  # fmt: skip
_LANGUAGE = re.compile(
    rf"^(?:是|用|为)*(?P<language>{'|'.join(sorted((n for n in LANGUAGES if not n.isascii()), key=len, reverse=True))})(?:写|版)?(?:的)?$"
)
_IS_TYPE = re.compile(
    rf"^是\s*(?P<type>{'|'.join(sorted(map(re.escape, TYPES), key=len, reverse=True))})\s*(?:格式|文件|文档|类型)?(?:的)?$",
    _I,
)
_RELATED = re.compile(r"^(?:所有)?(?:与|和|跟|同)(?P<what>.+?)(?:有关|相关)(?:的)?$")
_BY = re.compile(r"^(?:是)?由?(?P<who>.{1,40}?)(?:写|编写|撰写|创作|发布|编辑)的?$")
_STRUCTURES: dict[str, Structure] = {"表格": "table", "表": "table", "代码": "code", "代码块": "code", "列表": "list"}
_FOLDER = re.compile(
    r"(?:在|(?<![\w]))\s*[“\"]?(?P<name>[A-Za-z0-9_.\-]+|[\w\-]{1,20}(?=(?:目录|文件夹)))[”\"]?/?\s*(?:目录|文件夹)(?:下面|下|里面|里|中|内)?(?:的)?"
    r"|(?<![\w./])(?P<path>[\w\-]+/)(?:下面|下|里|中)?(?:的)?"
)
_TIMES = re.compile(
    r"^(?P<what>.+?)\s*(?:这个词|一词|字样)?(?:在(?P<where>.*?)(?:里|中|内)?)?(?:一共|总共|共|被)*(?:出现|提到|提及)(?:了"
    r"|过)*(?:多少|几)(?:次|处|回)$"
)
_TIMES_OF = re.compile(
    r"^(?:.{0,12}?)(?:一共|总共|共|被)*(?:有)?(?:(?:提到|提及|出现)(?:了|过)*(?:多少|几)(?:次|处)|(?:多少|几)(?:次"
    r"|处)(?:地方)?(?:提到|提及|出现)(?:了|过)*)\s*(?P<what>.+)$"
)
_PLACES = re.compile(
    rf"^(?:(?P<count>(?:一共|总共|共)?有?(?:多少|几)(?:个|处)?)|有?(?:哪些|哪几处|哪几个)|(?:{_ALL})?(?:{_EVERY}))(?:地方|段落"
    rf"|句子|段|句|行)(?:都)?{_VERB}(?:了|过"
    rf"|到)*\s*(?P<what>.+)$|^(?:{_ALL})?(?:{_EVERY}){_VERB}(?:了|过|到)*\s*(?P<what2>.+?)的(?:地方|段落|句子|内容|段|句)$"
)
_HEADINGS = re.compile(
    r"^(?P<pre>.*?)(?:(?P<count>(?:一共|总共|共)?有?(?:多少|几)(?:个)?)|(?:一共|总共|都)?有?(?:哪些|哪几个)|(?:的)?(?:所有"
    r"|全部)(?:的)?|的)\s*(?P<what>章节|小节|标题|部分|章|表格|代码块)(?:有哪些|是哪些|列出来)?$"
)
_UNIT = r"(?:个|种|项|条|款|家|处|类|门|位|名|台|件|张|行|所|座)"
_COUNTED = re.compile(rf"^(?P<pre>.*?)(?:一共|总共|共|合计)?(?:有)?(?:多少|几)\s*(?P<unit>{_UNIT})?(?P<noun>.*)$")
_BACK = re.compile(rf"^(?P<noun>.+?)(?:一共|总共|共|合计)?有(?:多少|几){_UNIT}?$")
_LISTED = re.compile(rf"^(?:{_ALL}(?:{_EVERY})?|{_EVERY})(?P<noun>.+?)(?:有哪些|是哪些|列出来|列一下|名单|清单)?$")
_WHICH_ONES = re.compile(r"^(?P<pre>.*?)(?:有|是)?哪(?:些|几个|几种|几家|几项)(?P<noun>[^，。]*)$")
_GENERIC = re.compile(r"^(?:数据|记录|行|条目|表格?行|数据行|)$")
_MEASURES = re.compile(
    r"^(?:天|日|小时|分钟|秒|周|星期|个?月|年|岁|元|块|钱|角|度|米|公里|克|千克|公斤|斤|升|次|倍|字|页|人|折|工作日|自然日|钟"
    r"|点|楼|层|号|g|gb|mb|kb|%|percent)",
    _I,
)
_ASKER = re.compile(
    r"我|需要|必须|应该|最多|最少|至多|至少|每人|每个账号|能用|能存|可以(?:用|存|试|申请)|才能|要(?:等|花|交|付)"
)


def recognise(question: str) -> Wanted | None:
    """Return what a Chinese question wants of the whole collection, None where it is an ordinary question."""
    text = re.sub(r"\s*[?？。.!！…~]+\s*$|(?:呢|吗|啊|呀)\s*[?？。]*$", "", " ".join(question.split()))
    text = _POLITE.sub("", text)
    for reading in (_times, _places, _headings, _documents, _counted, _listed):
        wanted = reading(question, text)
        if wanted is not None:
            return wanted
    return None


def _times(question: str, text: str) -> Wanted | None:
    found = _TIMES.match(text) or _TIMES_OF.match(text)
    if found is None:
        return None
    where = found.groupdict().get("where") or ""
    what, names = names_in(found["what"])
    _rest, more = names_in(where)
    texts = sought(what)
    if not texts or (not more and not _EXISTS.match(re.sub("所有|全部|文件|文档|资料", "", where))):
        return None
    return Wanted("mentions", question, count=True, texts=texts, names=(*names, *more))


def _places(question: str, text: str) -> Wanted | None:
    found = _PLACES.match(text)
    if found is None or not (texts := sought(found["what"] or found["what2"])):
        return None
    return Wanted("mentions", question, count=bool(found["count"]), texts=texts)


def _headings(question: str, text: str) -> Wanted | None:
    found = _HEADINGS.match(re.sub(rf"^{_ALL}", "", text))
    if found is None:
        return None
    rest, names = names_in(found["pre"])
    if not (names or re.search("所有|全部", text)) or not _EXISTS.match(re.sub("这个文件|文件|文档", "", rest)):
        return None
    structure = _STRUCTURES.get(found["what"])
    return Wanted("headings", question, count=bool(found["count"]), names=names, structure=structure)


def _documents(question: str, text: str) -> Wanted | None:
    text, folders = _without_folders(text)
    dated: Dated | None = None
    if found := next((f for f in _DATED.finditer(text) if not _inside(text, f.start())), None):
        dated = _dated(found)
        if dated:
            text = cleaned(text[: found.start()] + text[found.end() :])
    for form in _FORMS:
        found = form.match(text)
        if found is None or _inside(text, found.start("doc")):
            continue
        if re.search("哪(?:个|份|篇)(?:报告|文章|文本)", text):
            return None  # one that a document tells of
        types, language = _kind(found["kind"])
        said = found.groupdict()
        base = Wanted(
            "documents", question, count=bool(said.get("count") or said.get("number")), types=types, language=language, dated=dated,
            names=folders,
        )  # fmt: skip
        wanted = _with_rest(base, cleaned(found["pre"]), cleaned(found["post"]))
        if wanted is not None:
            return wanted
    return None


def _with_rest(base: Wanted, pre: str, post: str) -> Wanted | None:
    pre = re.sub(r"的$", "", pre)
    if _EXISTS.match(pre) and _EXISTS.match(re.sub("^(?:是|有)", "", post)):
        return base
    if _APPEARS.match(post) or (not post and _INVERTED.match(pre)):  # X 在哪些文件中出现
        what = re.sub(
            r"(?:这个词|一词)?(?:是|都|被|会)*(?:出现|提到|提及|写|讲|说|记载)?(?:过|了)*(?:在|于|到)?$", "", pre
        )
        negated = (found["negated"] or "") if (found := _APPEARS.match(post)) else ""
        return _texts(base, what, bool(negated)) if what and not _EXISTS.match(what) else None
    if not _EXISTS.match(pre) and post:
        return None if not _EXISTS.match(post) else _condition(base, pre)
    return _condition(base, post or pre)


def _condition(base: Wanted, said: str) -> Wanted | None:
    said = re.sub(r"^(?:是|都|里面|里)+(?=无法|不能|没能|未能|读不|打不|被跳过)", "", said)
    if _UNREAD.match(said):
        return replace(base, unread=True)
    if found := _LANGUAGE.match(said):
        return replace(base, language=LANGUAGES[found["language"]])
    if found := _IS_TYPE.match(said):
        return replace(base, types=TYPES[found["type"].casefold()])
    if found := _MENTION.match(said):
        what = re.sub(r"的$", "", found["what"])
        structure = _STRUCTURES.get(re.sub(r"^(?:一个|任何)", "", what))
        if structure:
            return replace(base, structure=structure, without=bool(found["negated"]))
        return _texts(base, what, bool(found["negated"]))
    if found := _RELATED.match(said):
        return _texts(base, found["what"], False)
    if found := _BY.match(said):
        return replace(base, condition=f"作者 = {found['who']}")
    if re.search(r"是|为|=|＝|等于|：|:", said):
        return replace(base, condition=re.sub(r"^的", "", said))
    return None


def _texts(base: Wanted, what: str, without: bool) -> Wanted | None:
    any_of = "或" in re.sub("“.*?”", "", what) and not without
    texts = sought(what)
    return replace(base, texts=texts, any_of=any_of, without=without) if texts else None


def _counted(question: str, text: str) -> Wanted | None:
    found = _COUNTED.match(text)
    back = _BACK.match(text)
    if found is None or _ASKER.search(text):
        return None
    if back is not None and not found["noun"] and found["unit"] not in ("行", "条"):
        return _things(question, back["noun"], "", count=True, unit="")
    noun, unit = found["noun"], found["unit"] or ""
    if _MEASURES.match(noun or unit) or (not noun and unit not in ("行", "条")):
        return None
    before, names = names_in(found["pre"])
    if unit in ("行", "条") and (_GENERIC.match(noun) or names):
        condition = _bare(f"{before} {re.sub('^(?:数据|记录|条目)', '', noun)}")
        return Wanted("rows", question, count=True, condition=condition, names=names, strict=False)
    return _things(question, noun, found["pre"], count=True, unit=unit)


def _listed(question: str, text: str) -> Wanted | None:
    if found := _LISTED.match(text):
        every = re.search(_EVERY, text) is not None
        return _things(question, found["noun"], "", count=False, unit="", strict=not every)
    if (found := _WHICH_ONES.match(text)) and not _ASKER.search(text):
        return _things(
            question, found["noun"] or found["pre"], found["pre"] if found["noun"] else "", count=False, unit=""
        )
    return None


def _things(question: str, noun: str, pre: str, *, count: bool, unit: str, strict: bool = True) -> Wanted | None:
    """`周一休息的服务点` is the noun 服务点 with the condition 周一休息; `服务点可以换屏` leaves it to the scan to find where the noun ends."""
    before, names = names_in(pre)
    noun, more = names_in(noun)
    condition = _bare(before)
    if "的" in noun:
        head, _, noun = noun.rpartition("的")
        condition = cleaned(f"{condition} {_bare(head)}")
    noun = cleaned(noun)
    if re.fullmatch("行|数据|记录|条目|数据行", noun):
        return Wanted("rows", question, count=count, condition=_bare(condition), names=(*names, *more), strict=False)
    if not noun or len(noun) > 60:
        return None
    return Wanted("rows", question, count=count, noun=noun, condition=condition, names=(*names, *more), strict=strict)


def _bare(text: str) -> str:
    """Return a condition without the words that only say where: 价目表里, 表格中."""
    text = re.sub(r"^[^，。]{0,15}?(?:表格?|手册|文档|文件|清单|目录)(?:里面|里|中|内)", "", cleaned(text))
    text = re.sub(r"^(?:里面|里|中|内|这个|的)+", "", text)
    return cleaned(re.sub(r"(?:一共|总共|共|里面|里|中|内|的|有|都)+$", "", text))


def _kind(said: str) -> tuple[tuple[str, ...], str]:
    types: tuple[str, ...] = ()
    language = ""
    for found in re.finditer(_TYPE, said, _I):
        name = found.group().casefold()
        if name in LANGUAGES:
            language = LANGUAGES[name]
        else:
            types = TYPES[name]
    return types, language


def _dated(found: re.Match[str]) -> Dated | None:
    date, how = found["date"] or found["date2"], found["how"] or found["how2"] or ""
    verb = found["verb"] or found["verb2"]
    late = re.search("不?[晚早]于", found.group())
    if late:
        way = {"晚于": "after", "早于": "before", "不早于": "since", "不晚于": "until"}[late.group()]
    else:
        way = (
            "in"
            if not how or how.endswith("内")
            else "after"
            if how.endswith("后")
            else "before"
            if how.endswith("前")
            else "since"
        )
    return date_range(way, date, found["end"], changed=verb not in ("创建", "写", "编写", "建立", "撰写", "发布"))


def _without_folders(text: str) -> tuple[str, tuple[str, ...]]:
    found = [match for match in _FOLDER.finditer(text) if not _inside(text, match.start())]
    names = tuple(f"{match['name'] or match['path']}".strip("/") + "/" for match in found)
    return (cleaned(_FOLDER.sub("", text)), names) if names else (text, ())


def _inside(text: str, place: int) -> bool:
    """True inside a quotation."""
    return any(found.start() <= place < found.end() for found in quoted(text))
