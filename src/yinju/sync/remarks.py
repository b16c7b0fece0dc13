"""What the codes in receipts mean, and what a person can do about each: the one table for warnings, page states and reasons of skipping.

Loaders write codes (`garbled-pages: 3-7`), because receipts are kept and read by programs; people get a sentence and a next step. A
test holds this table against the sources: no code that a loader writes may lack its meaning.
"""

from __future__ import annotations

from typing import NamedTuple

from yinju.messages import language, say
from yinju.sync.retold import retold
from yinju.text.language import is_chinese

Two = tuple[str, str]  # English, Chinese


class Remark(NamedTuple):
    """A warning for people: what it says, and what to do about it (None: nothing needs to be done)."""

    code: str
    detail: str
    meaning: str
    hint: str | None


class _Known(NamedTuple):
    meaning: Two
    hint: Two | None = None


_ORIGINAL: Two = (
    "Compare with the original file; if letters are wrong there, get a better copy.",
    "请与原文件对照；若原文件就有错字，请换一份更好的副本。",
)
_SCAN: Two = (
    "Install `yinju[ocr]` and sync again, or run the file through OCR.",
    "安装 `yinju[ocr]` 后重新同步，或先做文字识别（OCR）。",
)
_DOUBTFUL: Two = (
    "Check numbers against the page, or scan it anew in better quality.",
    "请对照原页核对数字，或以更高质量重新扫描。",
)
_WARNINGS: dict[str, _Known] = {
    "attachments": _Known(
        ("it has attachments that were not read", "其中的附件没有读取"),
        ("Save the attachments as files beside it.", "请把附件另存为文件，放在旁边。"),
    ),
    "binary-values": _Known(("binary values were left out", "略去了二进制值")),
    **dict.fromkeys(
        ("chart-not-read", "charts-not-read"),
        _Known(("charts were not read", "图表没有读取"), ("Put their figures into a table beside them.", "请把数字另列成表。")),
    ),
    "code-not-parsed": _Known(
        ("the code could not be taken apart and was read line by line", "代码无法解析，已逐行读取"), ("Mend its syntax.", "请修正语法。")
    ),
    "comments-left-out": _Known(("comments of reviewers were left out", "略去了审阅批注")),
    "cut-off": _Known(
        ("the end of the file is missing", "文件结尾缺失"), ("Get the file again.", "请重新获取该文件。")
    ),
    **dict.fromkeys(
        ("diagram-not-read", "diagrams-not-read"),
        _Known(("diagrams were not read", "图示没有读取"), ("Say in words what they show.", "请用文字说明其内容。")),
    ),
    "embedded-files-not-read": _Known(
        ("files are embedded in it that were not read", "其中嵌入的文件没有读取"),
        ("Save them as files of their own.", "请把它们另存为单独的文件。"),
    ),
    "formulas-as-pictures": _Known(("formulas are pictures in it and were not read", "公式是图片，没有读取")),
    "front-matter": _Known(
        ("the block at its top is no valid YAML and was read line by line", "开头的元数据块不是有效的 YAML，已逐行读取"),
        ("Mend the block between the lines ---.", "请修正两行 --- 之间的内容。"),
    ),
    "garbled-pages": _Known(
        ("pages whose text cannot be decoded; they were left out", "这些页的文字无法解码，已略去"), _SCAN
    ),
    "hidden-characters": _Known(("invisible characters were removed", "移除了不可见字符")),
    "hidden-columns": _Known(
        ("hidden columns were read, too", "隐藏的列也已读取"), ("Delete them if they should not answer.", "若不应用于回答，请删除。")
    ),
    "hidden-rows": _Known(
        ("hidden rows were read, too", "隐藏的行也已读取"), ("Delete them if they should not answer.", "若不应用于回答，请删除。")
    ),
    "hidden-sheet": _Known(
        ("a hidden sheet was not read", "隐藏的工作表没有读取"), ("Unhide it if it should answer.", "若需要其内容，请取消隐藏。")
    ),
    "hidden-sheets": _Known(
        ("hidden sheets were not read", "隐藏的工作表没有读取"), ("Unhide them if they should answer.", "若需要其内容，请取消隐藏。")
    ),
    "hidden-slides": _Known(
        ("hidden slides were read, too", "隐藏的幻灯片也已读取"), ("Delete them if they should not answer.", "若不应用于回答，请删除。")
    ),
    "hidden-text": _Known(
        ("text that no reader sees was found in it", "含有读者看不到的文字"),
        ("Look at the file: hidden text may be meant for machines only.", "请查看文件：隐藏文字可能只是写给机器看的。"),
    ),
    "implausible-text": _Known(
        ("pages whose letters look shifted or are no words; do not trust them", "这些页的文字像是错位或不成词，不宜采信"), _SCAN
    ),
    "inserted-files-not-read": _Known(
        ("files are inserted in it that were not read", "其中插入的文件没有读取"), ("Save them as files of their own.", "请把它们另存为单独的文件。")
    ),
    "low-confidence": _Known(
        ("pages whose characters were recognised with little confidence", "这些页的文字识别把握不大"), _DOUBTFUL
    ),
    "messages-left-out": _Known(
        ("messages enclosed in it were not read", "其中附带的邮件没有读取"), ("Save them as files beside it.", "请另存为文件，放在旁边。")
    ),
    "mixed-encodings": _Known(
        ("lines of it are in another encoding than the rest; each was read in its own", "部分行的编码与其他行不同，已分别解码"), _ORIGINAL
    ),
    "mojibake": _Known(
        ("its text was decoded wrongly before it was saved (锟斤拷, Ã©) and cannot be repaired", "文字在保存前已被错误解码（锟斤拷、Ã©），无法修复"),
        ("Get the file from where it came, or export it anew as UTF-8.", "请向来源索取，或重新导出为 UTF-8。"),
    ),
    "mojibake-repaired": _Known(
        ("wrongly decoded text was put right", "已修复被错误解码的文字"), _ORIGINAL
    ),
    "nesting-flattened": _Known(("mark-up nested very deeply was flattened", "嵌套过深的标记已展平")),
    "no-subtitles": _Known(
        ("it holds no times of subtitles and was read as plain text", "没有字幕时间，已按纯文本读取")
    ),
    "not-a-number": _Known(
        ("values that JSON does not allow (NaN, Infinity) were kept as they are", "JSON 不允许的值（NaN、Infinity）已原样保留")
    ),
    "not-json": _Known(
        ("it is no valid JSON and was read as plain text", "不是有效的 JSON，已按纯文本读取"), ("Mend it at the place named.", "请修正所指位置。")
    ),
    "ocr-doubtful": _Known(
        ("pages whose characters were recognised with little confidence", "这些页的文字识别把握不大"),
        _DOUBTFUL,
    ),
    "ocr-pages": _Known(
        ("pages were read by character recognition; single letters can be wrong", "这些页由文字识别读取，个别字可能有误"),
    ),
    "pages-without-ocr": _Known(
        ("pictures were not read for want of OCR", "缺少文字识别，图像没有读取"), _SCAN
    ),
    "pages-without-text": _Known(
        ("pages hold pictures but no text, such as scans", "这些页只有图像没有文字，例如扫描页"), _SCAN
    ),
    "repeated-keys": _Known(("keys stand there more than once; all values were kept", "有重复的键，所有值都已保留")),
    "replaced-characters": _Known(
        ("bytes that are no characters became �", "无法解码的字节已替换为 �"),
        ("Save it as UTF-8 by the program that made it.", "请用原程序另存为 UTF-8。"),
    ),
    "styles-unreadable": _Known(
        ("its styles are damaged; headings may be missing", "样式已损坏，可能缺少标题"), ("Save it again in Word.", "请用 Word 重新保存。")
    ),
    "tracked-changes": _Known(
        ("changes are tracked in it: read as if all were accepted", "含有修订：按全部接受后的样子读取"),
        ("Accept or reject the changes before others rely on it.", "请在他人引用前接受或拒绝修订。"),
    ),
    "truncated": _Known(
        ("the end of the file is missing", "文件结尾缺失"), ("Get the file again.", "请重新获取该文件。")
    ),
    "type-mismatch": _Known(
        ("its name says another type than its content", "文件名与内容的类型不符"), ("Give it the right suffix.", "请改成正确的后缀。")
    ),
    "unclosed-quote": _Known(
        ("a quotation mark is never closed; rows after it may have run together", "有引号未闭合，其后的行可能连在一起"),
        ("Export the table again.", "请重新导出表格。"),
    ),
    "unknown-preset": _Known(
        ("it asks for a way of cutting that does not exist", "所要求的切分预设不存在"), ("Correct yinju-preset in it.", "请改正其中的 yinju-preset。")
    ),
    "unreadable-parts": _Known(
        ("parts of it could not be decoded and were left out", "有部分内容无法解码，已略去"), ("Get the file again.", "请重新获取该文件。")
    ),
    "unreadable-pages": _Known(
        ("pages are damaged and were not read", "这些页已损坏，没有读取"), ("Get the file again.", "请重新获取该文件。")
    ),
}  # fmt: skip

_STATES: dict[str, Two] = {
    "text": ("with text", "有文字"),
    "ocr": ("by character recognition", "文字识别"),
    "blank": ("blank", "空白"),
    "scanned": ("only pictures", "只有图像"),
    "garbled": ("cannot be decoded", "无法解码"),
    "unreadable": ("damaged", "已损坏"),
}

_REASONS: dict[str, Two] = {
    "binary": ("no text, though the name says so", "名称像文本，内容却不是"),
    "changed": ("changed since it was read", "读取之后已改变"),
    "changed-during-read": ("changed while it was read", "读取时发生了变化"),
    "crashed": ("the reader failed", "读取程序出错"),
    "damaged": ("damaged, or not of the type that its name says", "已损坏，或与后缀不符"),
    "empty": ("nothing in it", "内容为空"),
    "encrypted": ("protected by a password", "有密码保护"),
    "held": ("held back after an undo, until the file changes", "撤销后已搁置，文件改变后再同步"),
    "limit": ("too large or too slow to read", "过大或读取过慢"),
    "missing": ("not there any more", "已不存在"),
    "name-taken": ("its name is taken in the library", "库中已有同名文档"),
    "no-ocr": ("a picture, and OCR is not installed or switched off", "图像，且未安装或已关闭文字识别"),
    "no-page": ("it has no such page", "没有该页"),
    "no-picture": ("its pages cannot be shown", "无法显示页面"),
    "no-text": ("no text in it, such as a scan", "没有文字，例如扫描件"),
    "not-a-file": ("no regular file", "不是普通文件"),
    "outside root": ("a link out of the folder", "指向文件夹外的链接"),
    "permission": ("may not be read", "没有读取权限"),
    "picture": ("a picture without text", "没有文字的图片"),
    "too-deep": ("nested too deeply", "嵌套过深"),
    "unbalanced": ("part of its text would be lost", "会丢失部分文字"),
    "undone": ("as it was before", "已恢复到之前的状态"),
    "unknown-type": ("of a type that is not read", "不支持的类型"),
    "unreadable": ("the disk did not answer", "磁盘没有响应"),
    "unsafe-xml": ("XML with entities, which can harm", "含有危险的 XML 实体"),
}

_AGAIN: Two = ("Get the file again from where it came.", "请向来源重新获取该文件。")
_SMALLER: Two = ("Split it, or save it in a plainer format.", "请拆分，或另存为更简单的格式。")
_HINTS: dict[str, Two] = {
    "binary": ("Rename it, or name it in .yinjuignore.", "请重命名，或写入 .yinjuignore。"),
    "changed-during-read": ("Sync again.", "请重新同步。"),
    "crashed": ("Save it again in its own program, or report it.", "请用原程序重新保存，或向我们报告。"),
    "damaged": (
        "Open it in its own program and save it again, or get it again.",
        "请用原程序打开并重新保存，或重新获取。",
    ),
    "empty": ("Nothing to do.", "无需处理。"),
    "encrypted": ("Save a copy without a password.", "请另存一份不带密码的副本。"),
    "limit": _SMALLER,
    "missing": ("The link points nowhere: mend or remove it.", "链接无目标：请修正或删除。"),
    "no-ocr": _SCAN,
    "no-text": (
        "If it holds scanned pages, install `yinju[ocr]` and sync again.",
        "若是扫描件，请安装 `yinju[ocr]` 后重新同步。",
    ),
    "permission": ("Give the right to read it.", "请授予读取权限。"),
    "too-deep": _SMALLER,
    "unknown-type": ("Convert it to text, PDF or another type of document.", "请转换为文本、PDF 等文档类型。"),
    "unreadable": _AGAIN,
    "unsafe-xml": ("Open it in its own program and save it again.", "请用原程序打开并重新保存。"),
}

# what loaders leave out or add, by the names that stand in receipts
_DROPPED: dict[str, str] = {
    "alternative text of pictures and objects": "图片和对象的替代文字",
    "author and date of a note": "批注的作者和日期",
    "author of a note": "批注的作者",
    "back links": "返回链接",
    "captions shown again": "重复显示的图注",
    "chapter title": "章节标题",
    "character without a code": "没有编码的字符",
    "check box": "复选框",
    "check marks": "勾选标记",
    "chosen entry": "选中的选项",
    "colon of an error": "错误信息的冒号",
    "colours of a terminal": "终端颜色码",
    "columns as CREATE TABLE names them": "CREATE TABLE 中的列名",
    "comment": "批注",
    "deleted text": "已删除的修订",
    "delimiter": "分隔符",
    "drawing outside of the sheets": "工作表之外的图形",
    "drawings": "图形",
    "fences around code": "代码围栏",
    "formula": "公式",
    "frame set": "框架集",
    "frames": "框架",
    "front matter": "文件头元数据",
    "hidden characters": "不可见字符",
    "hidden sheet": "隐藏的工作表",
    "hidden text": "隐藏文字",
    "hyphen": "连字符",
    "hyphen at a line end": "行尾连字符",
    "label of notes": "备注标签",
    "list number": "列表编号",
    "list number as stored": "存储的列表编号",
    "long output": "过长的输出",
    "mail header": "邮件头",
    "mark of a long output": "过长输出的标记",
    "mark-up of an output": "输出中的标记",
    "mark-up of subtitles": "字幕标记",
    "merged cell": "合并单元格",
    "message of an error, which ends its traceback": "错误信息（已含在回溯末尾）",
    "note mark": "注释标记",
    "note without reference": "未被引用的注释",
    "notes and styles of subtitles": "字幕的注释和样式",
    "number of a note": "注释编号",
    "other forms of an output": "输出的其他形式",
    "other version of the text": "正文的另一版本",
    "page footer": "页脚",
    "page header": "页眉",
    "page number": "页码",
    "place of a note": "注释的位置",
    "progress that was overwritten": "被覆盖的进度",
    "quote": "引号",
    "reading aid": "注音",
    "repeated cell": "重复的单元格",
    "repeated or unrounded values of charts": "图表中重复或未取整的值",
    "repeated row": "重复的行",
    "running footer": "页脚",
    "running header": "页眉",
    "section name": "节名",
    "settings": "设置",
    "sheet name": "工作表名",
    "sheet outside of the workbook": "不属于工作簿的表",
    "signs of formulas": "公式符号",
    "signs of nested tables": "嵌套表格的符号",
    "slide number, date or footer": "幻灯片编号、日期或页脚",
    "symbol without a letter": "没有对应文字的符号",
    "table of contents": "目录",
    "text behind the end": "结尾之后的文字",
    "text between notes": "注释之间的文字",
    "text of an embedded object": "嵌入对象的文字",
    "text outside of cells": "单元格之外的文字",
    "text outside of paragraphs": "段落之外的文字",
    "text outside of shapes": "图形之外的文字",
    "text printed twice": "重复打印的文字",
    "text under a merged cell": "合并单元格下的文字",
    "texts of a diagram that are not shown": "图示中未显示的文字",
    "texts of drawings that are not shown": "图形中未显示的文字",
    "the same for older programs": "供旧版程序使用的相同内容",
    "times and numbers of subtitles": "字幕的时间和编号",
    "value as displayed": "按显示格式的值",
    "value without text": "没有文字的值",
}


def remark(warning: str) -> Remark:
    """Return what a warning of a receipt (`code` or `code: detail`) means. An unknown one speaks for itself."""
    code, _, detail = warning.partition(": ")
    known = _WARNINGS.get(code)
    if known is None:
        return Remark(code, detail, code.replace("-", " "), None)
    return Remark(code, detail, say(*known.meaning), None if known.hint is None else say(*known.hint))


def is_known(code: str) -> bool:
    """Tell whether the table has a meaning for this code of a warning."""
    return code in _WARNINGS


def page_state(state: str) -> str:
    """Return the state of pages for people."""
    known = _STATES.get(state)
    return state if known is None else say(*known)


def reason(code: str) -> str:
    """Return why files were skipped or kept, without the details of one."""
    known = _REASONS.get(code)
    return code if known is None else say(*known)


def skipped(reason_text: str, hint: str | None) -> tuple[str, str | None]:
    """Return for people why a file was skipped or kept (`code` or `code: detail`), and what to do.

    Detail and hint were written down when the file was read, perhaps in another language: they are retold, or the hint is that for all
    files of this code.
    """
    code, _, detail = reason_text.partition(": ")
    hint = None if hint is None else retold(hint)
    if code not in _REASONS:
        return reason_text, hint
    text = reason(code) + (say(" ({detail})", "（{detail}）", detail=retold(detail)) if detail else "")
    known = _HINTS.get(code)
    if known is None or (hint is not None and is_chinese(hint) == (language() == "zh")):
        return text, hint
    return text, say(*known)


def dropped(what: str) -> str:
    """Return for people what was left out: as the receipt names it, in Chinese where its name is known."""
    return _DROPPED.get(what, what) if language() == "zh" else what
