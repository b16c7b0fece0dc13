"""A document and its receipt to the entry that the store keeps: cut, named, hashed, its words taken.

Used for files (`apply`) and for documents that are no files (`run.add`), so that both are the same in the library. Everything
here follows from the document alone: the same document gives the same entry on any machine.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from fnmatch import fnmatchcase

from yinju.chunk import PRESETS, ChunkOptions, chunk, indexed_text, preset_for
from yinju.errors import UsageError
from yinju.load import revision_of, type_by_name
from yinju.messages import say
from yinju.store.access import stated
from yinju.store.records import ChunkRecord, Entry, chunk_id
from yinju.text import words
from yinju.types import Chunk, Document, Receipt, SourceFile

RECIPE = "2"  # raise it when words change so much that all files should be read again; of one format: Format.revision
LACKS_OCR = " without OCR"  # at the end of a reader
Presets = Mapping[str, str | ChunkOptions]


def entry_for(
    document: Document,
    receipt: Receipt | None = None,
    *,
    file: SourceFile | None = None,
    root: str | None = None,
    presets: Presets | None = None,
    lacks_ocr: bool = False,
) -> Entry:
    """Return the document as the store keeps it, its receipt completed (`covered`, `chunks`). `lacks_ocr`: see `reader_of`.

    Without a receipt (no file was read) every visible character of the text counts as found. Whether the receipt balances is for the
    caller to judge.
    """
    options, warnings = chunk_options(document, presets or {})
    chunks = chunk(document, options)
    if receipt is None:
        characters = visible(document.text)
        receipt = Receipt(characters=characters, found=characters)
    receipt = replace(
        receipt,
        covered=covered(document.text, chunks),
        chunks=len(chunks),
        warnings=(*receipt.warnings, *warnings, *_lets_nobody_in(document)),
    )
    reader = None if file is None else reader_of(document.source, document.type, lacks_ocr=lacks_ocr)
    return Entry(document, records(document, chunks), receipt, file, root, reader)


def _lets_nobody_in(document: Document) -> tuple[str, ...]:
    return ("access: names nobody, so only the owner sees this",) if stated(document.metadata) == () else ()


def reader_of(source: str, kind: str | None = None, *, lacks_ocr: bool = False) -> str:
    """Return by which loaders, in which revisions, a file of this name is read, whose content proved to be of this type (None: of none).

    Where this differs from what is on record the file has to be read again, though it did not change. `lacks_ocr`: with OCR more of it
    could have been read.
    """
    promised = _revision(type_by_name(source))
    reader = promised if kind is None or promised == _revision(kind) else f"{promised}/{_revision(kind)}"
    return reader + LACKS_OCR if lacks_ocr else reader


def is_outdated(source: str, kind: str | None, reader: str | None, *, ocr: bool) -> bool:
    """Tell whether a file that was read by this reader has to be read again; `ocr`: pictures are read now."""
    if reader is None:
        return True
    return reader.removesuffix(LACKS_OCR) != reader_of(source, kind) or (ocr and reader.endswith(LACKS_OCR))


def _revision(kind: str | None) -> str:
    revision = None if kind is None else revision_of(kind)
    return "none" if revision is None else f"{kind}:{revision}"


def records(document: Document, chunks: list[Chunk]) -> tuple[ChunkRecord, ...]:
    """Return the chunks with their ids: stable as long as the document's source and the chunk's indexed text are."""
    seen: Counter[str] = Counter()
    shared: dict[str, str] = {}  # the same word once: each of its own would take ten times the room
    made = []
    for piece in chunks:
        text = indexed_text(document.title, piece)
        text_hash = hash_of(text)
        terms = words.index_terms(text)
        made.append(
            ChunkRecord(
                chunk_id(document.id, text_hash, seen[text_hash]),
                piece,
                text_hash,
                tuple(shared.setdefault(word, word) for word in terms.words),
                tuple(shared.setdefault(pair, pair) for pair in terms.bigrams),
            )
        )
        seen[text_hash] += 1
    return tuple(made)


def hash_of(text: str) -> str:
    """Return `sha256:` and the hexadecimal digest of the text."""
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def visible(text: str) -> int:
    """Return the number of code points that are not white space."""
    return len("".join(text.split()))


def covered(text: str, chunks: list[Chunk]) -> int:
    """Return how many visible code points of the text lie in chunks, overlaps counted once."""
    total, end = 0, 0
    for span in sorted(piece.span for piece in chunks):
        total += visible(text[max(span.start, end) : span.end])
        end = max(end, span.end)
    return total


def chunk_options(document: Document, presets: Presets) -> tuple[ChunkOptions, tuple[str, ...]]:
    """Return how to cut the document, with warnings: as its own metadata ask (`yinju-preset`, `chunk`), else its source, else its type."""
    asked = document.metadata.get("yinju-preset")
    for wish in (asked, document.metadata.get("chunk")):
        if isinstance(wish, str) and wish in PRESETS:
            return PRESETS[wish], ()
    warnings = () if asked is None else (f"unknown-preset: {str(asked)[:40]}",)
    preset = preset_by_glob(document.source, presets) or preset_for(document)
    return (preset if isinstance(preset, ChunkOptions) else PRESETS[preset]), warnings


def preset_by_glob(source: str, presets: Presets) -> str | ChunkOptions | None:
    """Return the preset of the first glob that matches the source. `*` crosses `/`."""
    return next((preset for glob, preset in presets.items() if fnmatchcase(source, glob)), None)


def check_presets(presets: Presets) -> None:
    """Raise UsageError where a preset has no such name."""
    for glob, preset in presets.items():
        if isinstance(preset, str) and preset not in PRESETS:
            raise UsageError(
                say(
                    "There is no preset {preset!r} (for {glob}).",
                    "没有名为 {preset!r} 的切分预设（{glob}）。",
                    preset=preset,
                    glob=glob,
                ),
                say("Use one of: {names}.", "可用的有：{names}。", names=", ".join(sorted(PRESETS))),
            )


def recipe(presets: Presets) -> str:
    """Return a name for everything but the document that decides how it is cut: where it differs, files have to be read again."""
    parts = [RECIPE, *(f"{name}={options!r}" for name, options in sorted(PRESETS.items()))]
    parts += [f"{glob}={preset!r}" for glob, preset in presets.items()]
    return hash_of("\n".join(parts))
