"""Small writers of PPTX and OpenDocument packages: only what a test needs, by hand, so that no library's habits are tested."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

A = "http://schemas.openxmlformats.org/drawingml/2006/main"
P = "http://schemas.openxmlformats.org/presentationml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_NAMES = (
    f'xmlns:a="{A}" xmlns:p="{P}" xmlns:r="{R}" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"'
    ' xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" xmlns:p14="http://schemas.microsoft.com/office/powerpoint/2010/main"'
    ' xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/main"'
)
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_CONTENT = "application/vnd.openxmlformats-officedocument."


def packed(parts: Mapping[str, str | bytes]) -> bytes:
    """A zip with these parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in parts.items():
            package.writestr(name, content)
    return out.getvalue()


def relations(targets: Mapping[str, tuple[str, str]]) -> str:
    """A part of relationships: id -> (last word of the type, target)."""
    items = "".join(
        f'<Relationship Id="{i}" Type="{R}/{kind}" Target="{target}"/>' for i, (kind, target) in targets.items()
    )
    return f'<Relationships xmlns="{_RELATIONS}">{items}</Relationships>'


def text_body(*paragraphs: str) -> str:
    """A text body; a paragraph is XML where it begins with `<`, else plain text."""
    items = (one if one.startswith("<a:p") else f"<a:p><a:r><a:t>{one}</a:t></a:r></a:p>" for one in paragraphs)
    return "".join(items)


def shape(*paragraphs: str, placeholder: str = "", box: tuple[int, int, int, int] | None = None) -> str:
    """A shape with text. `placeholder` are the attributes of p:ph, `box` left, top, width, height."""
    place = f"<p:ph {placeholder}/>" if placeholder else ""
    frame = f'<a:xfrm><a:off x="{box[0]}" y="{box[1]}"/><a:ext cx="{box[2]}" cy="{box[3]}"/></a:xfrm>' if box else ""
    return (
        f"<p:sp><p:nvSpPr><p:cNvPr id='1' name='n' descr='alternative text'/><p:nvPr>{place}</p:nvPr></p:nvSpPr><p:spPr>{frame}</p:spPr>"
        f"<p:txBody><a:bodyPr/>{text_body(*paragraphs)}</p:txBody></p:sp>"
    )


def title(text: str) -> str:
    """A title."""
    return shape(text, placeholder='type="title"')


def graphic(content: str) -> str:
    """A frame around a table, chart or diagram."""
    return f"<p:graphicFrame><a:graphic><a:graphicData>{content}</a:graphicData></a:graphic></p:graphicFrame>"


def pptx(
    *slides: str,
    notes: Mapping[int, str] | None = None,
    hidden: tuple[int, ...] = (),
    order: tuple[int, ...] = (),
    parts: Mapping[str, tuple[str, str, str]] | None = None,
    extension: str = "",
    comments: str = "",
) -> bytes:
    """A presentation. `parts`: id of a relationship of slide 1 -> (kind, content type, XML)."""
    order = order or tuple(range(1, len(slides) + 1))
    found: dict[str, str] = {}
    kinds = {"ppt/presentation.xml": "presentationml.presentation.main+xml"}
    listed = "".join(f'<p:sldId id="{255 + n}" r:id="rId{n}"/>' for n in order)
    found["ppt/presentation.xml"] = (
        f"<p:presentation {_NAMES}><p:sldIdLst>{listed}</p:sldIdLst>{extension}</p:presentation>"
    )
    found["ppt/_rels/presentation.xml.rels"] = relations(
        {f"rId{n}": ("slide", f"slides/slide{n}.xml") for n in range(1, len(slides) + 1)}
    )
    for number, content in enumerate(slides, 1):
        name = f"ppt/slides/slide{number}.xml"
        kinds[name] = "presentationml.slide+xml"
        show = ' show="0"' if number in hidden else ""
        found[name] = f"<p:sld {_NAMES}{show}><p:cSld><p:spTree>{content}</p:spTree></p:cSld></p:sld>"
        related = {}
        if notes and number in notes:
            related["n"] = ("notesSlide", f"../notesSlides/notesSlide{number}.xml")
            kinds[f"ppt/notesSlides/notesSlide{number}.xml"] = "presentationml.notesSlide+xml"
            found[f"ppt/notesSlides/notesSlide{number}.xml"] = (
                f"<p:notes {_NAMES}><p:cSld><p:spTree>{notes[number]}</p:spTree></p:cSld></p:notes>"
            )
        for identity, (kind, content_type, xml) in (parts or {}).items() if number == 1 else ():
            related[identity] = (kind, f"../extra/{identity}.xml")
            kinds[f"ppt/extra/{identity}.xml"] = content_type
            found[f"ppt/extra/{identity}.xml"] = xml.replace("<root", f"<root {_NAMES}", 1)
        found[f"ppt/slides/_rels/slide{number}.xml.rels"] = relations(related)
    if comments:
        kinds["ppt/comments/comment1.xml"] = "presentationml.comments+xml"
        found["ppt/comments/comment1.xml"] = f"<p:cmLst {_NAMES}><p:cm><p:text>{comments}</p:text></p:cm></p:cmLst>"
    overrides = "".join(
        f'<Override PartName="/{name}" ContentType="{_CONTENT}{kind}"/>' for name, kind in kinds.items()
    )
    types = f'<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">{overrides}</Types>'
    return packed(
        {
            "[Content_Types].xml": types,
            "_rels/.rels": relations({"r": ("officeDocument", "ppt/presentation.xml")}),
            **found,
        }
    )


_ODF = "urn:oasis:names:tc:opendocument:xmlns:"
ODF_NAMES = (
    " ".join(
        f'xmlns:{short}="{_ODF}{name}:1.0"'
        for short, name in (
            ("office", "office"), ("text", "text"), ("table", "table"), ("draw", "drawing"), ("style", "style"), ("presentation", "presentation"),
            ("svg", "svg-compatible"), ("meta", "meta"), ("form", "form"),
        )
    )
    + ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:math="http://www.w3.org/1998/Math/MathML"'
)  # fmt: skip


def odf(
    kind: str, body: str, *, styles: str = "", named: str = "", meta: str = "", parts: Mapping[str, str] | None = None
) -> bytes:
    """An OpenDocument package. `kind`: text, spreadsheet, presentation; `styles` automatic ones, `named` those of styles.xml."""
    content = (
        f"<office:document-content {ODF_NAMES}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
    )
    manifest = '<!DOCTYPE manifest SYSTEM "Manifest.dtd"><manifest:manifest xmlns:manifest="urn:m"/>'  # as old programs write it
    return packed({
        "mimetype": f"application/vnd.oasis.opendocument.{kind}",
        "content.xml": content,
        "styles.xml": f"<office:document-styles {ODF_NAMES}><office:styles>{named}</office:styles></office:document-styles>",
        "meta.xml": f"<office:document-meta {ODF_NAMES}><office:meta>{meta}</office:meta></office:document-meta>",
        "META-INF/manifest.xml": manifest,
        **(parts or {}),
    })  # fmt: skip


def flat_odf(kind: str, body: str) -> bytes:
    """The same as one XML file."""
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document {ODF_NAMES} office:mimetype="application/vnd.oasis.opendocument.{kind}">'
        f"<office:meta><dc:title>平面</dc:title></office:meta><office:body><office:{kind}>{body}</office:{kind}></office:body></office:document>"
    ).encode()
