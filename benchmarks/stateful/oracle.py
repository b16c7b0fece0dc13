"""What a library has to hold, from pure functions: a file's bytes and its name to the passages that must be found, and their vectors.

Nothing of the store and nothing of `sync`'s decisions is used here. Hashes are made anew, so that a fault in those of the product is seen.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from yinju.chunk import indexed_text
from yinju.errors import DocumentError
from yinju.load import Loaded, load, structure
from yinju.principal import Principal
from yinju.store.records import chunk_id
from yinju.sync.documents import entry_for
from yinju.types import Document, SourceFile, Span, document_id

PAIRS = ("鹤鲸", "鹿鲨", "熊蛙", "虎蟹", "豹蚁", "狼蜂", "狐蝶", "猫鸦", "兔鹰", "羊雁")
SECTIONS = len(PAIRS)  # different sections that documents are made of
TITLES = ("Fees 费用", "Rules 规则")
PRESETS: tuple[Mapping[str, str], ...] = ({}, {"*": "window"}, {"sub/*": "window", "*.txt": "headings"})


ASKERS = (Principal("anna", ("team",)), Principal("bert"), Principal("carl"))
# an access list as front matter says it -> who is on it; one that is no list lets nobody in
LISTS: Mapping[str, frozenset[str]] = {
    "[anna, bert]": frozenset({"anna", "bert"}), "team": frozenset({"team"}), "'*'": frozenset({"*"}), "{anna: yes}": frozenset(),
}  # fmt: skip
NOBODY_BUT: Mapping[str, frozenset[str]] = {"sub": frozenset({"team", "bert"}), "文档": frozenset({"carl"})}
# rules files, and who may see what lies in which folder by them; by one that cannot be understood nobody sees anything
RULES: tuple[tuple[str | None, Mapping[str, frozenset[str]]], ...] = (
    (None, {}),
    ("sub/*: team, bert\n文档/*: carl\n", NOBODY_BUT),
    ("# closed for now\nthis is no rule\n", {"": frozenset()}),
)


@dataclass(frozen=True, slots=True)
class Version:
    """One state of one document: its bytes, and by which of PRESETS it was cut. `made`: added as a Document, it is no file."""

    content: bytes
    presets: int
    made: bool = False


@dataclass(frozen=True, slots=True)
class Passage:
    """One chunk as it must be."""

    id: str
    text_hash: str
    span: Span
    text: str
    indexed: str


@dataclass(frozen=True, slots=True)
class Expected:
    """What one version of one source must be in a library."""

    text: str
    passages: tuple[Passage, ...]


def word(section: int) -> str:
    """Return the word that stands in this section and in no other."""
    return f"qz{section:03d}w"


def pair(section: int) -> str:
    """Return the pair of characters that stands in this section and in no other."""
    return PAIRS[section]


def written(title: int, sections: Sequence[int], access: str | None = None) -> bytes:
    """Return a file: a title, and sections of which each can be found by its word, its pair and its vector. Empty without sections.

    `access` is one of LISTS, which goes into its front matter.
    """
    if not sections:
        return b""
    parts = [] if access is None else [f"---\naccess: {access}\n---\n"]
    parts.append(f"# {TITLES[title]}\n")
    for section in sections:
        body = f"Here {word(section)} says that the fee is {100 + section} yuan. 本节写明{pair(section)}，费用为 {100 + section} 元。"
        parts.append(f"## Section {section}\n\n{body}\n")
    return "\n".join(parts).encode()


def own_list(content: bytes) -> frozenset[str] | None:
    """Return who the front matter lets in; None where it gives no list."""
    found = re.match(rb"---\naccess: (.*)\n---\n", content)
    return None if found is None else LISTS[found[1].decode()]


def narrower(one: frozenset[str] | None, other: frozenset[str] | None) -> frozenset[str] | None:
    """Return the names that are on both lists; None is no list, and on one with `*` is everyone."""
    if one is None or (other is not None and "*" in one):
        return other
    return one if other is None or "*" in other else one & other


def by_rules(number: int, source: str) -> frozenset[str] | None:
    """Return who the rules file of this number lets see a file; None where it gives no list."""
    folders = RULES[number][1]
    return folders.get("", folders.get(source.split("/", maxsplit=1)[0] if "/" in source else "-"))


def hash_of(text: str) -> str:
    """Return the name of a text, made without the product's own function."""
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _made(source: str, content: bytes) -> Document:
    return structure(Document.from_text(content.decode(), source=source))


@functools.lru_cache(maxsize=20_000)
def expected(source: str, version: Version) -> Expected:
    """Return what this version of this source must be."""
    document = _made(source, version.content) if version.made else load(version.content, source).document
    entry = entry_for(document, presets=PRESETS[version.presets])
    seen: Counter[str] = Counter()
    passages = []
    for record in entry.chunks:
        indexed = indexed_text(document.title, record.chunk)
        text_hash = hash_of(indexed)
        number = seen[text_hash]
        seen[text_hash] += 1
        passages.append(
            Passage(
                chunk_id(document_id(source), text_hash, number),
                text_hash,
                record.chunk.span,
                record.chunk.text,
                indexed,
            )
        )
    return Expected(document.text, tuple(passages))


@functools.lru_cache(maxsize=20_000)
def vector(text: str, seed: int) -> Any:
    """Return a unit vector (float32, 8 numbers) that belongs to this text and this model."""
    row = np.frombuffer(hashlib.sha256(f"{seed} {text}".encode("utf-8", "surrogatepass")).digest()[:8], np.uint8)
    made = row.astype(np.float32) + 1
    return (made / np.linalg.norm(made)).astype(np.float32)


class CountingEmbedder:
    """Another vector for each text and seed; `embedded` counts by hash which passages were computed since it was last emptied."""

    never_changes = True
    dimension = 8

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.fingerprint = f"counting/{seed}"
        self.embedded: Counter[str] = Counter()

    def embed_passages(self, texts: Sequence[str]) -> Any:
        """Return one row for each text, and count it."""
        self.embedded.update(hash_of(text) for text in texts)
        return self.embed_queries(texts)

    def embed_queries(self, texts: Sequence[str]) -> Any:
        """Return one row for each text."""
        return np.array([vector(text, self.seed) for text in texts], np.float32).reshape(len(texts), self.dimension)


@dataclass
class Reader:
    """Reads files in this process. Those of `locked` cannot be read now; of those of `losing` the loader loses a sentence."""

    locked: set[str] = field(default_factory=set)
    losing: set[str] = field(default_factory=set)

    def __call__(self, *_: object, **__: object) -> Self:
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def load_files(self, files: Iterable[SourceFile]) -> Iterator[tuple[SourceFile, Loaded | DocumentError]]:
        """Yield each file with what was read, or why it could not be."""
        for file in files:
            yield file, self._load(file)

    def _load(self, file: SourceFile) -> Loaded | DocumentError:
        path = Path(file.path)
        if file.source in self.locked and path.stat().st_size:
            return DocumentError("locked", "Try later.", code="permission")
        try:
            loaded = load(path.read_bytes(), file.source)
        except DocumentError as error:
            return error
        receipt = loaded.receipt
        if file.source in self.losing:
            receipt = replace(receipt, found=receipt.found + 7)
        return Loaded(loaded.document, receipt, loaded.digest, loaded.size, path.stat().st_mtime_ns)
