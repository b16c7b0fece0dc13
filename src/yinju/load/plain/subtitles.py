"""Subtitles (SubRip and WebVTT): what is said, in turns; times and numbers are left out and found again by the line in the file.

A sentence runs over several cues, so the cues of a turn are joined: by a space, in Chinese by nothing, in subtitles of two languages by a
line end. A turn ends at a pause, where somebody else speaks, or at the end of a sentence once it is long.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from yinju.load.builder import TextBuilder
from yinju.load.clean import clean
from yinju.load.encoding import decode
from yinju.load.parsed import Limits, Parsed, visible
from yinju.load.plain.text import plain

PAUSE = 2.0  # seconds without speech that end a turn
LONG_TURN = 400  # characters, after which the next end of a sentence ends it
LONGEST_TURN = 1_500
ROLLING = 0.3  # of the cues repeat the one before: captions that roll up
_TIME = r"(?:(\d{1,3}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})"
_TIMING = re.compile(rf"[ \t]*{_TIME}[ \t]*-{{1,2}}>[ \t]*{_TIME}(?:[ \t].*)?$")
_BLOCKS = ("NOTE", "STYLE", "REGION")
_VOICE = re.compile(r"<v(?:\.[\w.-]*)?[ \t]+([^<>\n]{1,100})>", re.IGNORECASE)
_TAG = re.compile(
    r"</?(?:[a-z][\w.-]{0,30}(?:[ \t][^<>\n]{0,200})?|\d{1,3}:[\d:.]{4,12})>|\{\\[^{}\n]{1,100}\}", re.IGNORECASE
)
_TURN = re.compile(
    r"(?:[-–—]\s*\S|>>|[A-Z][A-Za-z.' -]{0,30}:[ \t]|[\u3400-\u9fff·]{1,10}[：:]|[\[(（【][^\])）】]{1,30}[\])）】]$)"
)
_ENDS_A_SENTENCE = re.compile(r"[。！？…!?.][\"'”’）)」』]*$")
_WIDE = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uff60\U00020000-\U0003ffff，。！？；：、]")
_HAN = re.compile(r"[\u3400-\u9fff]")
_LATIN = re.compile(r"[A-Za-z]{2}")


@dataclass(frozen=True, slots=True)
class Cue:
    """What stands on the screen from `start` to `end` seconds; `line` is the first line of its text in the file."""

    line: int
    start: float
    end: float
    lines: tuple[str, ...]


@dataclass(slots=True)
class _Read:
    """A file taken apart: cues in order, text outside of them as cues without time, and what is left out, in visible characters."""

    cues: list[Cue]
    title: str | None
    timing: int
    notes: int


def load_subtitles(data: bytes, source: str, limits: Limits) -> Parsed:
    """Return what is said. A file without any timing is plain text with a warning. Raises DocumentError."""
    decoded = decode(data)
    cleaned = clean(decoded.text)
    read = _read(cleaned.text.split("\n"))
    if not any(cue.end > 0 for cue in read.cues):
        parsed = plain(data, source, headings=True)
        return replace(parsed, warnings=(*parsed.warnings, "no-subtitles: no line of times"))
    builder = TextBuilder()
    builder.drop("times and numbers of subtitles", read.timing)
    builder.drop("notes and styles of subtitles", read.notes)
    cues = _rolled_up(_shown(read.cues, builder), builder)
    _write(cues, builder, bilingual=_in_two_languages(cues))
    builder.separate("\n")
    return Parsed(
        text=builder.text(),
        anchors=tuple(builder.anchors),
        title=read.title,
        metadata={"encoding": decoded.encoding},
        dropped=builder.dropped() + cleaned.dropped,
        warnings=decoded.warnings + cleaned.warnings,
        preset="chat",
    )


def _read(lines: list[str]) -> _Read:
    read = _Read([], None, 0, 0)
    place = 0
    if lines and lines[0].startswith("WEBVTT"):
        read.title = lines[0][6:].strip(" \t-–:") or None
        while place < len(lines) and lines[place].strip() and not _TIMING.match(lines[place]):
            read.notes += visible(lines[place])
            place += 1
    while place < len(lines):
        line = lines[place]
        following = lines[place + 1] if place + 1 < len(lines) else ""
        if not line.strip():
            place += 1
        elif match := _TIMING.match(line):
            read.timing += visible(line)
            place = _cue(lines, place + 1, match, read)
        elif _TIMING.match(following):  # its number or name
            read.timing += visible(line)
            place += 1
        elif line.split(" ", 1)[0].rstrip() in _BLOCKS and (place == 0 or not lines[place - 1].strip()):
            while place < len(lines) and lines[place].strip():
                read.notes += visible(lines[place])
                place += 1
        else:
            read.cues.append(Cue(place + 1, 0.0, 0.0, (line,)))
            place += 1
    return read


def _cue(lines: list[str], place: int, match: re.Match[str], read: _Read) -> int:
    """Read the text of one cue, which ends at a blank line or at the next number and timing; return where the next line is.

    In WebVTT a line of spaces is none that ends a cue: captions that roll up have them.
    """
    vtt = lines[0].startswith("WEBVTT")
    first = place
    while place < len(lines) and (lines[place] if vtt else lines[place].strip()):
        following = lines[place + 1] if place + 1 < len(lines) else ""
        if _TIMING.match(lines[place]) or (lines[place].strip().isdigit() and _TIMING.match(following)):
            break
        place += 1
    numbers = [int(part or 0) for part in match.groups()]
    digits = (len(match.group(4)), len(match.group(8)))
    start, end = (
        hours * 3600 + minutes * 60 + seconds + fraction / 10**length
        for (hours, minutes, seconds, fraction), length in zip((numbers[:4], numbers[4:]), digits, strict=True)
    )
    if place > first:
        read.cues.append(Cue(first + 1, start, max(end, 1e-9), tuple(lines[first:place])))
    return place


def _shown(cues: list[Cue], builder: TextBuilder) -> list[Cue]:
    """Return the cues without mark-up, voices as `Name: ` where another one begins."""
    shown: list[Cue] = []
    speaker, end = "", 0.0
    for cue in cues:
        lines = []
        speaker = speaker if cue.start <= end + PAUSE else ""
        for line in cue.lines:
            text, speaker = _without_tags(line, speaker)
            builder.drop("mark-up of subtitles", visible(line) - visible(text))
            lines.append(text)
        end = cue.end
        shown.append(replace(cue, lines=tuple(lines)))
    return shown


def _without_tags(line: str, speaker: str) -> tuple[str, str]:
    """Return the line as it is shown and who speaks at its end."""
    voices = [voice.strip() for voice in _VOICE.findall(line)]
    named = _VOICE.sub(lambda match: f"{match.group(1).strip()}: ", line)
    shown = clean(html.unescape(_TAG.sub("", named))).text.replace("\n", " ").strip()
    if voices and voices[0] == speaker:
        shown = shown.removeprefix(f"{speaker}: ")
    return shown, voices[-1] if voices else speaker


def _rolled_up(cues: list[Cue], builder: TextBuilder) -> list[Cue]:
    """Return the cues without what the one before showed already, if this is how the whole file is made."""
    pairs = [(before, after) for before, after in pairwise(cues) if after.start <= before.end + 0.5]
    rolling = sum(1 for before, after in pairs if _again(before, after) or _grows(before, after))
    if rolling < 3 or rolling < ROLLING * len(cues):
        return cues
    kept: list[Cue] = []
    before: Cue | None = None
    for cue in cues:
        again = _again(before, cue) if before is not None and cue.start <= before.end + 0.5 else 0
        rest = cue.lines[again:]
        if (
            again == 0
            and before is not None
            and kept
            and _grows(before, cue)
            and kept[-1].lines[-1:] == before.lines[-1:]
        ):
            builder.drop("captions shown again", before.lines[-1])
            kept[-1] = replace(kept[-1], lines=kept[-1].lines[:-1])
        builder.drop("captions shown again", "".join(cue.lines[:again]))
        if any(rest):
            kept.append(replace(cue, line=cue.line + again, lines=rest))
        before = cue if any(cue.lines) else before
    return kept


def _again(before: Cue, after: Cue) -> int:
    """Return how many first lines of the cue were the last ones of the cue before."""
    old, new = [line for line in before.lines if line], list(after.lines)
    empty = 0
    while empty < len(new) and not new[empty]:
        empty += 1
    for length in range(min(len(old), len(new) - empty), 0, -1):
        if old[-length:] == new[empty : empty + length]:
            return empty + length
    return 0


def _grows(before: Cue, after: Cue) -> bool:
    """Say whether the cue begins with the last line of the cue before, which was still being written."""
    last, first = before.lines[-1] if before.lines else "", after.lines[0] if after.lines else ""
    return bool(last) and first.startswith(last) and first != last


def _in_two_languages(cues: list[Cue]) -> bool:
    """Say whether most cues have a line in Chinese and one in Latin letters."""
    both = sum(
        1
        for cue in cues
        if len(cue.lines) > 1
        and any(_HAN.search(line) for line in cue.lines)
        and any(_LATIN.search(line) and not _HAN.search(line) for line in cue.lines)
    )
    return both > 0.5 * len(cues)


def _write(cues: list[Cue], builder: TextBuilder, *, bilingual: bool) -> None:
    end, turn, last = 0.0, 0, ""
    for number, line, cue in _lines(cues):
        if not line:
            continue
        new_cue = number == 0
        pause = new_cue and cue.start - end > PAUSE
        long = turn > LONGEST_TURN or (turn > LONG_TURN and bool(_ENDS_A_SENTENCE.search(last)))
        if pause or (new_cue and long):
            builder.separate("\n\n")
            turn = 0
        elif bilingual or _TURN.match(line):
            builder.separate("\n")
        else:
            builder.separate("" if _WIDE.match(last[-1:]) and _WIDE.match(line) else " ")
        builder.anchor(cue.line + number)
        builder.write(line)
        turn, last, end = turn + len(line), line, cue.end or end


def _lines(cues: list[Cue]) -> Iterator[tuple[int, str, Cue]]:
    for cue in cues:
        for number, line in enumerate(cue.lines):
            yield number, line, cue
