"""A mail as a section of a document: its subject as heading, who wrote to whom and when, the text once, attachments by name.

One way for EML, mbox and Outlook. Quoted history stays text; nothing in a body becomes a heading by its looks.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from yinju.load.builder import TextBuilder
from yinju.load.mail.headers import is_chinese

_LABELS = {
    "from": ("From", "发件人"),
    "to": ("To", "收件人"),
    "cc": ("Cc", "抄送"),
    "date": ("Date", "日期"),
    "attachments": ("Attachments", "附件"),
}
_DEEPEST_HEADING = 6
_LONGEST_SUBJECT = 500  # characters
_GAP = re.compile(r"\n[ \t\u3000\xa0]*\n(?:[ \t\u3000\xa0]*\n)+")


@dataclass(frozen=True, slots=True)
class Envelope:
    """What stands around a mail's text, readable and in one line each; empty where it is missing."""

    subject: str = ""
    sender: str = ""
    to: str = ""
    cc: str = ""
    date: str = ""  # as the mail has it
    moment: datetime | None = None
    attachments: tuple[str, ...] = ()

    def metadata(self) -> dict[str, str]:
        """Return author, created, to and cc; what is missing is left out."""
        created = self.moment.isoformat() if self.moment else ""
        found = {"author": self.sender, "created": created, "to": self.to, "cc": self.cc}
        return {name: text for name, text in found.items() if text}


def write_mail(builder: TextBuilder, envelope: Envelope, level: int, body: Callable[[], None], sample: str) -> None:
    """Write one mail. `body` writes its text behind what the builder holds; `sample` is some of it, to choose the language of the labels."""
    chinese = is_chinese(envelope.subject + sample)
    if envelope.subject:
        builder.separate("\n\n")
        label = builder.added("mail header", envelope.subject[:_LONGEST_SUBJECT])
        builder.mark("heading", builder.write(label), min(level, _DEEPEST_HEADING), label)
    date = envelope.moment.strftime("%Y-%m-%d %H:%M:%S %z").strip() if envelope.moment else envelope.date
    values = {"from": envelope.sender, "to": envelope.to, "cc": envelope.cc, "date": date}
    values["attachments"] = ", ".join(envelope.attachments)
    colon = "：" if chinese else ": "
    lines = [_LABELS[key][chinese] + colon + value for key, value in values.items() if value]
    if lines:
        builder.separate("\n\n")
        builder.write(builder.added("mail header", "\n".join(lines)))
    body()


def write_plain(builder: TextBuilder, text: str, *, flowed: bool = False) -> None:
    """Write the plain text of a mail, its lines as they are; `flowed`: lines that end in a space go on in the next one."""
    text = builder.clean(text.replace("\r\n", "\n").replace("\r", "\n").replace("\x0c", "\n").replace("\x0b", "\n"))
    if flowed:
        text = re.sub(r"(?<!\n--)(?<!^--) \n(?![> \n])", " ", text)
    text = _GAP.sub("\n\n", re.sub(r"[ \t]+\n", "\n", text)).strip()
    if text:
        builder.separate("\n\n")
        builder.write(text)
