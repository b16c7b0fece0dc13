"""Characters that Office files write as places in a symbol font: check boxes, arrows, Greek letters.

A place without a counterpart in Unicode is no text. Sources: the fonts' own tables as the Unicode consortium maps them (Symbol, Wingdings).
"""

from __future__ import annotations

_SYMBOL = {0x20 + place: sign for place, sign in enumerate(
    " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
)}  # fmt: skip
_SYMBOL |= {0xA1 + place: sign for place, sign in enumerate(
    "ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑"
)}  # fmt: skip
_WINGDINGS = {
    0x22: "✂", 0x28: "☎", 0x29: "✆", 0x2A: "✉", 0x46: "☞", 0x45: "☜", 0x6C: "●", 0x6D: "❍", 0x6E: "■", 0x6F: "□", 0x70: "□", 0x71: "❑",
    0x72: "❒", 0x73: "⬧", 0x74: "⧫", 0x75: "◆", 0x76: "❖", 0x77: "⬥", 0xA0: "▪", 0xA1: "○", 0xA4: "◉", 0xA7: "▪", 0xA8: "□", 0xAA: "✦",
    0xAB: "★", 0xD8: "➢", 0xDB: "←", 0xDC: "→", 0xE0: "→", 0xDF: "←", 0xE1: "↑", 0xE2: "↓", 0xE8: "➔", 0xF0: "⇨", 0xEF: "⇦", 0xF3: "⇔",
    0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑", 0x4A: "☺", 0x4C: "☹", 0xB5: "✪", 0xB6: "☆",
}  # fmt: skip
_WINGDINGS |= {0x80 + place: chr(0x24EA) if place == 0 else chr(0x2460 + place - 1) for place in range(11)}
_WINGDINGS |= {0x8B + place: chr(0x24FF) if place == 0 else chr(0x2776 + place - 1) for place in range(11)}
_WINGDINGS_2 = {
    0x50: "✓",
    0x51: "☒",
    0x52: "☑",
    0x53: "☒",
    0x54: "☒",
    0x2A: "□",
    0x30: "☑",
    0x4F: "✗",
    0xA3: "□",
    0x96: "●",
    0x97: "•",
    0x98: "●",
}
_FONTS = {"symbol": _SYMBOL, "wingdings": _WINGDINGS, "wingdings 2": _WINGDINGS_2}


def is_private(character: str) -> bool:
    """Return whether the character is a place in a symbol font."""
    return "\uf020" <= character <= "\uf0ff"


def symbol(code: int, font: str) -> str:
    """Return the character at this place of a font, or nothing where it has no counterpart."""
    place = code - 0xF000 if 0xF020 <= code <= 0xF0FF else code
    table = _FONTS.get(font.strip().lower())
    if table is not None:
        return table.get(place, "")
    return "" if 0xE000 <= code <= 0xF8FF or not chr(code).isprintable() else chr(code)


_RAISED = str.maketrans("0123456789+-−=()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾")
_LOWERED = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")


def scripted(text: str, *, raised: bool) -> str:
    """Return raised or lowered figures as such (m², CO₂, 10⁻⁵), so that 10 to the fifth is not read as 105; other texts as they are."""
    figures = text.strip()
    if not figures or not any(character.isdigit() for character in figures) or figures.strip("0123456789+-−"):
        return text
    return text.translate(_RAISED if raised else _LOWERED)
