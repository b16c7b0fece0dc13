"""What the codes in receipts mean, and what a person can do about each: the one table for warnings, page states and reasons of skipping.

Loaders write codes (`garbled-pages: 3-7`), because receipts are kept and read by programs; people get a sentence and a next step. A
test holds this table against the sources: no code that a loader writes may lack its meaning.
"""

from __future__ import annotations

from typing import NamedTuple

from yinju.messages import language, say

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
_WARNINGS: dict[str, _Known] = {
    "attachments": _Known(
        ("it has attachments that were not read", "其中的附件没有读取"),
        ("Save the attachments as files beside it.", "请把附件另存为文件，放在旁边。"),
    ),
    "archived": _Known(("some files inside the archive were not read", "压缩包里有文件未能读取"),
                       ("Unpack it to see which, and why.", "请解压后查看是哪些文件。")),
    "comments-left-out": _Known(("comments of reviewers were left out", "略去了审阅批注")),
    "embedded-files-not-read": _Known(
        ("files are embedded in it that were not read", "其中嵌入的文件没有读取"),
        ("Save them as files of their own.", "请把它们另存为单独的文件。"),
    ),
    "entries-left-out": _Known(
        ("some files inside the archive were not read", "压缩包里有文件未能读取"),
        ("Unpack it and sync the folder.", "请解压后同步该文件夹。"),
    ),
    "front-matter": _Known(
        ("the block at its top is no valid YAML and was read line by line", "开头的元数据块不是有效的 YAML，已逐行读取"),
        ("Mend the block between the lines ---.", "请修正两行 --- 之间的内容。"),
    ),
    "garbled-pages": _Known(
        ("pages whose text cannot be decoded; they were left out", "这些页的文字无法解码，已略去"), _SCAN
    ),
    "hidden-characters": _Known(("invisible characters were removed", "移除了不可见字符")),
    "hidden-sheet": _Known(
        ("a hidden sheet was not read", "隐藏的工作表没有读取"), ("Unhide it if it should answer.", "若需要其内容，请取消隐藏。")
    ),
    "hidden-sheets": _Known(
        ("hidden sheets were not read", "隐藏的工作表没有读取"), ("Unhide them if they should answer.", "若需要其内容，请取消隐藏。")
    ),
    "implausible-text": _Known(
        ("pages whose letters look shifted or are no words; do not trust them", "这些页的文字像是错位或不成词，不宜采信"), _SCAN
    ),
    "mojibake": _Known(
        ("its text was decoded wrongly before it was saved (锟斤拷, Ã©) and cannot be repaired", "文字在保存前已被错误解码（锟斤拷、Ã©），无法修复"),
        ("Get the file from where it came, or export it anew as UTF-8.", "请向来源索取，或重新导出为 UTF-8。"),
    ),
    "mojibake-repaired": _Known(
        ("wrongly decoded text was put right", "已修复被错误解码的文字"), _ORIGINAL
    ),
    "nesting-flattened": _Known(("mark-up nested very deeply was flattened", "嵌套过深的标记已展平")),
    "not-a-number": _Known(
        ("values that JSON does not allow (NaN, Infinity) were kept as they are", "JSON 不允许的值（NaN、Infinity）已原样保留")
    ),
    "not-json": _Known(
        ("it is no valid JSON and was read as plain text", "不是有效的 JSON，已按纯文本读取"), ("Mend it at the place named.", "请修正所指位置。")
    ),
    "ocr-doubtful": _Known(
        ("pages whose characters were recognised with little confidence", "这些页的文字识别把握不大"),
        ("Check numbers against the page, or scan it anew in better quality.", "请对照原页核对数字，或以更高质量重新扫描。"),
    ),
    "ocr-pages": _Known(
        ("pages were read by character recognition; single letters can be wrong", "这些页由文字识别读取，个别字可能有误"),
    ),
    "pages-left-out": _Known(
        ("pages were left out, because there are too many of their kind", "此类页面过多，部分未读取"), ("Split the file.", "请拆分文件。")
    ),
    "pages-without-text": _Known(
        ("pages hold pictures but no text, such as scans", "这些页只有图像没有文字，例如扫描页"), _SCAN
    ),
    "repeated-keys": _Known(("keys stand there more than once; all values were kept", "有重复的键，所有值都已保留")),
    "replaced-characters": _Known(
        ("bytes that are no characters became �", "无法解码的字节已替换为 �"),
        ("Save it as UTF-8 by the program that made it.", "请用原程序另存为 UTF-8。"),
    ),
    "tracked-changes": _Known(
        ("changes are tracked in it: read as if all were accepted", "含有修订：按全部接受后的样子读取"),
        ("Accept or reject the changes before others rely on it.", "请在他人引用前接受或拒绝修订。"),
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
    "changed-during-read": ("changed while it was read", "读取时发生了变化"),
    "crashed": ("the reader failed", "读取程序出错"),
    "damaged": ("damaged, or not of the type that its name says", "已损坏，或与后缀不符"),
    "empty": ("nothing in it", "内容为空"),
    "encrypted": ("protected by a password", "有密码保护"),
    "limit": ("too large or too slow to read", "过大或读取过慢"),
    "missing": ("not there any more", "已不存在"),
    "name-taken": ("its name is taken in the library", "库中已有同名文档"),
    "no-text": ("no text in it, such as a scan", "没有文字，例如扫描件"),
    "not-a-file": ("no regular file", "不是普通文件"),
    "outside root": ("a link out of the folder", "指向文件夹外的链接"),
    "permission": ("may not be read", "没有读取权限"),
    "too-deep": ("nested too deeply", "嵌套过深"),
    "unbalanced": ("part of its text would be lost", "会丢失部分文字"),
    "unknown-type": ("of a type that is not read", "不支持的类型"),
    "unreadable": ("the disk did not answer", "磁盘没有响应"),
    "unsafe-xml": ("XML with entities, which can harm", "含有危险的 XML 实体"),
}

# what loaders leave out or add, by the names that stand in receipts
_DROPPED: dict[str, str] = {
    "character without a code": "没有编码的字符",
    "comment": "注释",
    "deleted text": "已删除的修订",
    "delimiter": "分隔符",
    "footnote mark": "脚注标记",
    "front matter": "文件头元数据",
    "hidden characters": "不可见字符",
    "hidden sheet": "隐藏的工作表",
    "hidden text": "隐藏文字",
    "hyphen": "连字符",
    "hyphen at a line end": "行尾连字符",
    "list number": "列表编号",
    "note mark": "注释标记",
    "note without reference": "未被引用的注释",
    "page footer": "页脚",
    "page header": "页眉",
    "page number": "页码",
    "quote": "引号",
    "running footer": "页脚",
    "running header": "页眉",
    "script": "脚本",
    "sheet name": "工作表名",
    "sheet outside of the workbook": "不属于工作簿的表",
    "style": "样式",
    "table of contents": "目录",
    "text printed twice": "重复打印的文字",
    "value as displayed": "按显示格式的值",
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


def dropped(what: str) -> str:
    """Return for people what was left out: as the receipt names it, in Chinese where its name is known."""
    return _DROPPED.get(what, what) if language() == "zh" else what
