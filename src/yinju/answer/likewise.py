"""Words that say the same, and words that say the opposite, in both languages: what a dictionary would tell us about two words in one place.

Stems, as `text.words` makes them. The lists hold common words of reports, rules and descriptions; a word that is in none of them is only
like another one if both share their root: the beginning in English, a character in Chinese that no opposite character stands beside.
"""

from __future__ import annotations

from functools import lru_cache

from yinju.text.words import stem

_SAME = """
defeat beat won | found establish creat set start launch begin began open | larg big great | small littl | buy purchas acquir
show demonstr indic | need requir | use utilis utiliz employ | make made produc | begin start launch commenc | end finish stop conclud
build construct erect | get got receiv obtain | live resid | die death dead | kill slain | help assist aid | chang alter modifi
keep retain maintain | say said state remark claim declar note | call name known term label | cover includ contain compris span
compani firm corpor | film movi | children kid | about around approxim approx roughli near | author writer
peopl person inhabit resid popul | citi town | countri nation state | also too addit | often frequent common usual general
quick rapid fast | import signific key major | differ distinct separ own | year annual | work job | car vehicl automobil | show display
allow permit let | forbid prohibit ban | must requir | wed marri marriag | earli begin | exchang market | reason caus becaus | avoid prevent
crime case offens | goal aim object purpos | area region zone | part section portion | complet finish
above higher over exceed more greater | below lower under less fewer | assess evalu measur | sever multipl mani various numer | resolut size
touchdown td | intercept int | effici efficaci | tell told ask prompt | divid split divis | join enter | increas rise rose grow grew grown
decreas fall fell declin drop | member particip | lead led head | whole entir total | child kid son daughter | success succeed
imag pictur photo | 建立 成立 创建 创立 创办 设立 组建 建 | 发生 爆发 出现 | 去世 死 逝世 病逝 死亡 离世 死于 | 大约 约 左右 近 将近 大概
拥有 具有 有 享有 具备 | 称为 叫 称 名为 叫做 被称为 | 使用 运用 应用 利用 采用 用 用作 | 位于 地处 坐落 坐落于 | 包括 包含 含 涵盖
得到 获得 取得 荣获 | 开始 起 启动 着手 | 结束 终止 完结 | 说 表示 认为 指出 称 声称 宣称 提到 | 公司 企业 | 居民 人口 人 民众 | 地区 区域
目的 目标 | 帮助 协助 援助 | 支付 付 付款 缴纳 | 购买 买 | 出售 卖 售出 | 提高 提升 上升 升高 增加 增长 上涨 升 | 降低 下降 减少 下跌 减
孩子 儿子 子 之子 儿童 | 首次 第一 最初 首 第一次 | 原因 缘故 | 职业 工作 | 最高 最高峰 顶峰 高峰 山峰 | 必须 不得不 必需 需要 须 应当 要
可以 能够 能 可 | 禁止 不得 不准 严禁 | 击败 打败 战胜 | 重要 重大 主要 | 迅速 快速 很快 | 常常 经常 往往 通常 一般 | 非常 十分 很 极
所有 全部 一切 全体 | 患者 病人 病患 | 医生 医师 大夫 | 学生 学员 | 老师 教师 | 国家 国 | 城市 市 | 电影 影片 | 发现 找到 查明
继承 继位 接替 接任 即位 | 逃 逃走 逃往 南逃 | 前身 雏形 | 著作 作品 书籍 书 | 出版 发行 发表 刊行 | 影响 作用 | 担任 任 出任 就任
加入 参加 参与 进入 | 死亡 丧生 遇难
"""
_OPPOSITE = """
big/larg small/littl | largest smallest | high low | higher lower | highest lowest | long short | longer shorter | longest shortest
old new/young/modern | oldest newest/youngest | older newer/younger | earli late | earlier later | earliest latest | first last
north south/east/west | northern southern/eastern/western | east west/south/north | eastern western/southern/northern | left right
upper lower | inner outer | intern extern | increas decreas/declin/fall/fell/drop | rise/rose/grow/grew fall/fell/declin/drop/shrank
gain lose/lost | win/won lose/lost | success/succeed fail/failur | start/begin end/finish/stop | open close | buy sell/sold | import export
before after | above below | over under | more less/fewer | most least | maximum minimum | best worst | better wors | good bad | rich poor
hot cold | warm cool | warmer cooler | warmest coolest | hard soft/easi | easi difficult | strong weak | stronger weaker | fast slow
faster slower | heavi light | posit negat | activ passiv | public privat | male female | man woman | men women | father mother
son daughter | brother sister | husband wife | king queen | allow/permit forbid/prohibit/ban | accept reject/refus | enabl disabl
support oppos/attack | agre disagre | like dislik | love hate | true fals | right wrong | major minor | majority minority | all none/some
alway never/sometim | same differ | common rare | frequent rare | near far | wide narrow | deep shallow | singl doubl/tripl
doubl tripl/singl | appear disappear/vanish | arriv depart/leav/left | attack defend/defens | birth death | born die | captur releas/lost
citi villag/countri | conquer lose | north south | optim/optimist pessimist | primari secondari | present absent | profit loss
simpl complex | union divis | mean median | keep/kept/retain lose/lost/abolish | preserv destroy/abolish
增加/增长/上升/提高/提升/上涨/升高/扩大/增强 减少/下降/降低/下跌/缩减/缩小/减弱 | 支持/赞成/拥护 反对/抵制
允许/准许/许可 禁止/不准 | 同意 反对/拒绝 | 接受 拒绝 | 开始 结束/停止 | 打开/开启/启用 关闭/停用/禁用 | 购买/买入/收购 出售/卖出
进口 出口 | 成功 失败 | 胜利/获胜 失败/落败 | 战胜/击败/打败 败给/输给 | 之前/以前 之后/以后 | 早期 晚期/后期/中期 | 早于 晚于 | 上游 下游
东部 西部/南部/北部 | 南部 北部/西部/东部 | 东方 西方/南方/北方 | 南方 北方/西方 | 左侧/左边 右侧/右边 | 最大 最小 | 最高 最低 | 最多 最少
最早 最晚 | 最长 最短 | 高于 低于 | 大于 小于 | 多于 少于 | 以上 以下 | 超过 不足/低于/少于 | 较高 较低 | 较大 较小 | 较多 较少 | 积极 消极
正面 负面 | 主动 被动 | 公开 秘密 | 公立 私立 | 公有 私有 | 男性 女性 | 父亲 母亲 | 儿子 女儿 | 丈夫 妻子 | 哥哥 弟弟 | 姐姐 妹妹
有利 不利/有害 | 有效 无效 | 合法 非法/违法 | 安全 危险 | 优点 缺点 | 优势 劣势 | 免费 收费/付费 | 简单 复杂 | 容易/易于 困难/难以 | 强 弱
增强 减弱/削弱 | 加强 削弱 | 促进 阻碍/抑制 | 加速 减速/减缓 | 进入 离开/退出 | 加入 退出 | 建立 废除/推翻/取消 | 保留 取消/废除
继续 停止/中止 | 存在 消失 | 出现 消失 | 正式 非正式 | 主要 次要 | 直接 间接 | 全部/所有 部分/少数/个别 | 大多数/多数 少数
总是/一直 从不/偶尔 | 经常/常常 很少/偶尔 | 单个/单一 多个/多种 | 相同 不同 | 相似 不同 | 内部 外部 | 国内 国外 | 城市 农村/乡村
白天 夜间/夜晚/晚上 | 上午 下午/晚上 | 富裕 贫困/贫穷 | 发达 落后 | 先进 落后 | 热带 寒带/温带 | 轻度 重度/中度 | 轻伤 重伤 | 急性 慢性
阳性 阴性 | 自动 手动/人工 | 自愿 强制 | 临时/暂时 永久/长期 | 水平 垂直 | 固定 浮动
必修 选修 | 独居 群居 | 同一 另一 | 顺时针 逆时针 | 雄性 雌性 | 昼行性 夜行性
automat manual | voluntari compulsori/mandatori | temporari perman | urban rural | domest foreign
guilti innoc | horizont vertic | strengthen weaken | includ exclud | clockwiz counterclockw/anticlockw | nocturn diurnal
升级 降级 | 盈利 亏损 | 收入 支出 | 借款 贷款/还款 | 原告 被告 | 攻击/进攻 防守/防御 | 有罪 无罪 | 喜欢 讨厌 | 乐观 悲观
"""
_SIDES = (
    "东西南北", "左右", "上下", "前后", "内外里", "大小", "多少", "高低", "长短", "轻重", "快慢", "早晚", "男女", "父母", "新旧老", "好坏",
    "正负反", "升降", "增减", "开关闭", "始终末", "买卖", "进出", "胜败", "单双", "强弱", "冷热", "有无", "公私", "生死", "远近", "深浅",
    "厚薄", "宽窄", "软硬", "明暗", "甲乙丙丁", "首末", "夫妻", "阴阳", "雌雄", "春夏秋冬",
)  # fmt: skip
_DOING = """
need declar requir reach run hold show say use make made get got give gave take took win won beat lose lost start begin began end stop cover contain
includ becom becam come came go went see saw find found know knew think thought call mean meant keep kept let put set seem tell told turn want work
write wrote read live play move like believ bring brought happen provid sit sat stand stood lead led lose pay paid meet met continu learn chang
follow creat speak spoke allow add spend spent grow grew open walk offer rememb consid appear buy bought serv die send sent build built stay fall fell
cut kill rais pass sell sold decid return explain hope develop carri break broke receiv agre support hit produc eat ate catch caught draw drew choos
avoid prevent count constitut requir enabl ensur achiev attract attempt await base border claim collect combin compet concern conduct confirm consid
constitut contribut control cross deal defin deliv depend deriv design destroy determin discuss domin drive drove earn elect employ encourag establish
estim extend face fail feel felt fight fought fill finish fit fli flew focus forc gain govern grant guid handl head hire host identifi inspir intend
introduc invent join lack last launch leav left locat maintain manag mark match measur mention move name need note obtain occur occupi offer oper own
perform permit plan possess prefer present preserv prohibit promot propos protect prove provid purchas push question rank reduc refer reflect refus
regard regul reject relat remain remov replac report repres reveal rule search seek sought separ share signal sign speak stop store struggl studi
succeed suffer suggest suppli surround surviv tend test train transport travel treat trigger unit updat use vari visit wait warn watch wear wore win
chose caus point listen realiz place close involv increas appli describ publish releas consist belong exist form form throw threw
"""
VERBS = frozenset(_DOING.split())

_groups: dict[str, set[int]] = {}
for _number, _group in enumerate(part for line in _SAME.strip().split("\n") for part in line.split("|")):
    for _word in _group.split():
        _groups.setdefault(stem(_word), set()).add(_number)
        _groups.setdefault(_word, set()).add(_number)
_opposites: set[tuple[str, str]] = set()
for _pair in (part for line in _OPPOSITE.strip().split("\n") for part in line.split("|")):
    _ones, _others = _pair.split()
    for _one in _ones.split("/"):
        for _other in _others.split("/"):
            _forms = [(_one, _other), (stem(_one), stem(_other))]
            _opposites |= {form for pair in _forms for form in (pair, pair[::-1])}
_ENDING = "停禁罢免"
_side = {character: number for number, each in enumerate(_SIDES) for character in each}


_DEGREES = frozenset("越更较最很")


@lru_cache(maxsize=1 << 14)
def opposite(one: str, other: str) -> bool:
    """True where two words say the opposite: 支持 and 反对, 南部 and 北部, largest and smallest."""
    if one == other:
        return False
    one, other = (word[1:] if len(word) > 1 and word[0] in _DEGREES else word for word in (one, other))  # 越低, 高
    if (one, other) in _opposites:
        return True
    if len(one) == len(other) and not one.isascii():
        apart = [(a, b) for a, b in zip(one, other, strict=True) if a != b]
        return len(apart) == 1 and _side.get(apart[0][0], -1) == _side.get(apart[0][1], -2)
    for prefix in ("un", "in", "im", "dis", "non", "ir"):
        if one == prefix + other or other == prefix + one:
            return len(min(one, other, key=len)) > (2 if prefix in ("un", "non") else 3)
    if len(one) == len(other) == 2 and (one[0] in _ENDING) != (other[0] in _ENDING) and not one.isascii():
        return (one[1] if one[0] in _ENDING else other[1]) in (other if one[0] in _ENDING else one)  # 停播 and 播出
    longer, shorter = (one, other) if len(one) > len(other) else (other, one)
    return longer[0] in "不非无未" and len(shorter) > 1 and longer.endswith(shorter) and len(longer) <= len(shorter) + 2


_listed = {word for pair in _opposites for word in pair if not word.isascii()} | {
    word for word in _groups if not word.isascii()
}


def listed(word: str) -> bool:
    """True for a Chinese word of which we know what says the same or the opposite."""
    return word in _listed


def grouped(one: str, other: str) -> bool:
    """True where two words stand in one group of words that say the same."""
    return bool(_groups.get(one, set()) & _groups.get(other, set()))


def group(word: str) -> list[str]:
    """Return the words that stand in a group with this one."""
    numbers = _groups.get(word, set())
    return [other for other, those in _groups.items() if numbers & those] if numbers else []


@lru_cache(maxsize=1 << 14)
def same(one: str, other: str) -> bool:
    """True where two words may say the same: the same root, or both in one group of words."""
    if one == other:
        return True
    if opposite(one, other):
        return False
    if grouped(one, other):
        return True
    if one.isascii() or other.isascii():
        root = min(len(one), len(other), 7)
        return root >= 4 and one[:root] == other[:root] and one.isalpha() and other.isalpha()
    return bool(set(one) & set(other))
