"""What reading pictures means for a sync: which files a library without it may not lose, and which ones wait for it.

Whether pictures are read may change from one sync to the next (the extra is installed, `--no-ocr` is said). A picture that is in the library
stays there while nobody can read it; what could not be read for want of OCR is noted at its reader, and read by the first sync that can.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from yinju.load import Limits, archive, is_document_name, reads_pictures, type_by_name
from yinju.sync.plan import Known
from yinju.sync.scan import Scan
from yinju.sync.values import SyncOptions
from yinju.types import Receipt, SourceFile

_UNREAD_STATES = ("scanned", "garbled")
_HELPED = frozenset({"no-text", "no-ocr"})


def can_read(options: SyncOptions) -> bool:
    """Tell whether this sync reads text in pictures."""
    return options.limits.ocr_pages > 0 and reads_pictures()


def document_names(options: SyncOptions) -> partial[bool]:
    """Return the test of file names for a scan."""
    return partial(is_document_name, pictures=options.limits.ocr_pages > 0)


def lacks_ocr(receipt: Receipt) -> bool:
    """Tell whether pages of the file could not be read for want of OCR."""
    return any(receipt.page_states.get(state) for state in _UNREAD_STATES)


def is_no_document(source: str, code: str) -> bool:
    """Tell whether this refusal only says that a picture holds no text: nothing that anybody has to see to."""
    return code == "picture" or (code == "empty" and type_by_name(source) == "image")


def failed_without_ocr(source: str, code: str) -> bool:
    """Tell whether OCR might read the file that was refused with this code."""
    return code in _HELPED and type_by_name(source) in ("pdf", "image")


def with_known(found: Scan, known: Mapping[str, Known], options: SyncOptions) -> Scan:
    """Return the scan with the files that the library knows although a scan passes them over by their names: they are not gone.

    Those are pictures while nobody can read them, and what was named once although its name is that of no document (`notes.bak`).
    """
    is_document = document_names(options)
    present = {file.source for file in found.files}
    passed = [before.file for source, before in known.items() if source not in present and not is_document(source)]
    folder = found.root if os.path.isdir(found.root) else None
    there = [now for old in passed if found.covers(old.source) and (now := _as_it_is(old, folder, options.limits))]
    if not there:
        return found
    files = sorted((*found.files, *there), key=lambda file: file.source)
    return replace(found, files=tuple(files), ignored=max(0, found.ignored - len(there)))


def _as_it_is(file: SourceFile, folder: str | None, limits: Limits) -> SourceFile | None:
    """Return how a file that the scan passed over looks now, or None where it is gone."""
    place = archive.split(file.path)
    try:
        about = os.stat(file.path if place is None else place[0])
    except (OSError, ValueError):
        return None
    if place is None:
        return SourceFile(file.source, file.path, about.st_size, about.st_mtime_ns, folder=folder)
    member = next((one for one in archive.listing(place[0], limits).members if one.name == place[1]), None)
    return None if member is None else SourceFile(file.source, file.path, member.size, about.st_mtime_ns, folder=folder)
