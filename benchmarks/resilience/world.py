"""A folder that changes: documents are added, edited, renamed, exchanged, copied and deleted, all from one seed.

Each text says in every paragraph which document in which version it is (`d12v3`), so that a passage found anywhere tells where it comes from.
"""

from __future__ import annotations

import os
import random
import shutil
from dataclasses import dataclass, field
from pathlib import Path

MOST = 40  # documents
FOLDERS = ("", "faq/", "手册/", "a b/")
LICENCE = (
    "本资料仅供内部使用，未经许可不得转载。This text stands in many documents, word for word, so that they share its vector. "
    * 6
)


def marker(ident: int, version: int) -> str:
    """Return the word that stands in each paragraph of this version and nowhere else."""
    return f"d{ident}v{version}"


def text(ident: int, version: int) -> str:
    """Return the document's text in this version: 1 to 9 paragraphs in two languages."""
    rng = random.Random(f"{ident}/{version}")
    word = marker(ident, version)
    title = "Handbook 手册" if ident % 3 == 0 else f"Document {ident} 文档"
    paragraphs = [f"# {title}"]
    for number in range(rng.randint(1, 9)):
        if rng.random() < 0.3:
            paragraphs.append(f"## Section {number} 章节")
        lines = rng.randint(1, 8)
        one = f"第 {number} 段 {word} 说明水泵的压力为 {rng.randint(1, 999)} 千帕。Paragraph {number} of {word} is about pumps."
        paragraphs.append(" ".join([one] * lines))
    if ident % 3 == 0:
        paragraphs += ["## 许可", LICENCE.strip()]
    return "\n\n".join(paragraphs) + "\n"


@dataclass
class World:
    """The folder `root` as it should be: which document, in which version, lies at which source."""

    root: Path
    rng: random.Random
    files: dict[str, tuple[int, int]] = field(default_factory=dict)
    added: dict[str, tuple[int, int]] = field(default_factory=dict)  # through `Library.add`: no files
    markers: set[str] = field(default_factory=set)  # of all versions that there ever were
    last: int = 0

    def start(self, count: int) -> None:
        """Make the folder with its first documents."""
        self.root.mkdir(parents=True)
        self.start_more(count)

    def start_more(self, count: int) -> None:
        """Add so many documents."""
        for _ in range(count):
            self._add()

    def step(self) -> list[str]:
        """Change some things, and say what."""
        said = []
        for _ in range(self.rng.randint(1, 10)):
            change = self.rng.choices(
                (self._add, self._edit, self._rename, self._exchange, self._copy, self._delete, self._move_and_edit),
                (4, 6, 3, 1, 2, 3, 1),
            )[0]
            said.append(change())
        return [one for one in said if one]

    def wanted(self) -> dict[str, str]:
        """Return by source the texts that a library in step with this world holds."""
        return {source: text(*which) for source, which in (self.files | self.added).items()}

    def living(self) -> set[str]:
        """Return the markers of all versions that lie in the folder or were added."""
        return {marker(*which) for which in (self.files | self.added).values()}

    def new_document(self) -> tuple[str, str]:
        """Return source and text of a document to add without a file; half of the time one that replaces an older one."""
        if self.added and self.rng.random() < 0.5:
            source = self.rng.choice(sorted(self.added))
            ident, version = self.added[source][0], self.added[source][1] + 1
        else:
            self.last += 1
            source, ident, version = f"memo/{self.last}.md", self.last, 1
        self.added[source] = self._noted(ident, version)
        return source, text(ident, version)

    def _noted(self, ident: int, version: int) -> tuple[int, int]:
        self.markers.add(marker(ident, version))
        return ident, version

    def _add(self) -> str:
        if len(self.files) >= MOST:
            return self._delete()
        self.last += 1
        return self._write(self._free_name(f"{self.last}.md"), self.last, 1)

    def _edit(self) -> str:
        if not self.files:
            return ""
        source = self._any()
        ident, version = self.files[source]
        return self._write(source, ident, self._newest(ident, version) + 1)

    def _rename(self) -> str:
        if not self.files:
            return ""
        source = self._any()
        new = self._free_name(f"r{self.rng.randrange(10_000)}.md")
        self._place(new).parent.mkdir(parents=True, exist_ok=True)
        os.rename(self._place(source), self._place(new))
        self.files[new] = self.files.pop(source)
        return f"{source} -> {new}"

    def _move_and_edit(self) -> str:
        said = self._rename()
        return f"{said}, {self._edit()}"

    def _exchange(self) -> str:
        if len(self.files) < 2:
            return ""
        one, other = self.rng.sample(sorted(self.files), 2)
        aside = self.root / "aside.tmp"
        os.rename(self._place(one), aside)
        os.rename(self._place(other), self._place(one))
        os.rename(aside, self._place(other))
        self.files[one], self.files[other] = self.files[other], self.files[one]
        return f"{one} <-> {other}"

    def _copy(self) -> str:
        if not self.files or len(self.files) >= MOST:
            return ""
        source = self._any()
        new = self._free_name(f"copy{self.rng.randrange(10_000)}.md")
        self._place(new).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(self._place(source), self._place(new))
        self.files[new] = self.files[source]
        return f"{new} = {source}"

    def _delete(self) -> str:
        if len(self.files) < 4:
            return ""
        source = self._any()
        self._place(source).unlink()
        del self.files[source]
        return f"- {source}"

    def _newest(self, ident: int, version: int) -> int:
        while marker(ident, version + 1) in self.markers:
            version += 1
        return version

    def _write(self, source: str, ident: int, version: int) -> str:
        place = self._place(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text(ident, version), encoding="utf-8")
        self.files[source] = self._noted(ident, version)
        return f"{source}: {marker(ident, version)}"

    def _any(self) -> str:
        return self.rng.choice(sorted(self.files))

    def _free_name(self, name: str) -> str:
        source = self.rng.choice(FOLDERS) + name
        return source if source not in self.files else self._free_name("x" + name)

    def _place(self, source: str) -> Path:
        return self.root / source
