"""ODT to a document: headings by outline level or style, lists with their numbers, tables as rows, notes behind their paragraph.

What was deleted under tracked changes, comments, tables of contents and reading aids stay out of the text and in the account. Page headers and
footers live in the part of the styles and are not counted.
"""

from __future__ import annotations

from yinju.load.builder import TextBuilder
from yinju.load.office.blocks import Blocks
from yinju.load.office.odf_blocks import OdfBlocks
from yinju.load.office.odf_inline import OdfInline
from yinju.load.office.odf_package import Odf, open_odf
from yinju.load.office.odf_styles import Styles
from yinju.load.office.package import damaged, only_pictures
from yinju.load.parsed import Limits, Parsed
from yinju.messages import say


def load_odt(data: bytes, source: str, limits: Limits) -> Parsed:
    """Return the text of an OpenDocument text. Raises DocumentError: damaged, encrypted, limit, no-text, unsafe-xml."""
    with open_odf(data, limits) as odf:
        root = odf.root()
        body = root.find("{*}body")
        if body is None:
            raise damaged(say("no text in the package", "包内没有正文"))
        reader = odf_reader(odf, root, limits)
        reader.write(body)
        title, metadata = odf.properties(root)
    builder = reader.builder
    if not builder.text().strip():
        raise only_pictures()
    marks = builder.sorted_marks()
    first = builder.first_heading(1)
    return Parsed(
        text=builder.text(),
        marks=marks,
        title=first or title,
        metadata=metadata,
        dropped=builder.dropped(),
        images=reader.inline.images,
        warnings=odf_warnings(reader),
    )


def odf_reader(odf: Odf, root: object, limits: Limits) -> OdfBlocks:
    """Return a reader of blocks with the styles of this file."""
    builder = TextBuilder()
    styles = Styles()
    styles.read(odf.part("styles.xml"))
    styles.read(root)
    return OdfBlocks(Blocks(builder), OdfInline(builder, odf, styles.raised), styles, limits)


def odf_warnings(reader: OdfBlocks) -> tuple[str, ...]:
    """Return what a reader of the receipt should know."""
    account = reader.builder.account
    found = []
    if deleted := account.get("deleted text", 0):
        found.append(f"tracked-changes: {deleted}")
    if reader.inline.comments:
        found.append(f"comments-left-out: {account.get('comment', 0)}")
    if reader.inline.embedded:
        found.append("embedded-files-not-read")
    return tuple(found) + reader.builder.warnings()
