"""What can happen to a folder and its library, as rules that hypothesis puts into any order."""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from benchmarks.stateful.oracle import LISTS, PRESETS, RULES, SECTIONS, TITLES, written
from benchmarks.stateful.stops import POINTS, stop_at
from benchmarks.stateful.world import MODELS, World

NAMES = (
    "a.md",
    "b.md",
    "c.txt",
    "d.txt",
    "sub/a.md",
    "sub/e.md",
    "sub/deep/f.txt",
    "sub/d.md",
    "文档/甲.md",
    "文档/乙.md",
)
MADE = ("memo.md", "notes/甲.md", "a.md", "sub/e.md")  # of documents that are no files; two have names of files
WAYS = ("rename", "retype", "copy", "swap", "edit", "cut")  # in which a document, or its text, gets another name
PARTS = ("sub", "sub/deep", "文档", "a.md", "sub/e.md")

name = st.sampled_from(NAMES)
filled = st.builds(
    written, st.integers(0, len(TITLES) - 1), st.lists(st.integers(0, SECTIONS - 1), min_size=1, max_size=3),
    st.none() | st.none() | st.sampled_from(list(LISTS)),
)  # fmt: skip
people = st.frozensets(st.sampled_from(("anna", "team", "bert", "carl", "*")), max_size=2)
content = st.one_of(filled, filled, filled, st.just(b""))


class LibraryOfAFolder(RuleBasedStateMachine):
    """The world under random histories. It ends with a sync of everything, whatever happened."""

    def __init__(self) -> None:
        super().__init__()
        self.world = World()

    def teardown(self) -> None:
        try:
            if self.world.sound:
                self.world.sync()
        finally:
            self.world.close()

    @initialize(
        sources=st.lists(name, min_size=3, max_size=9, unique=True), texts=st.lists(filled, min_size=3, max_size=3)
    )
    def begin(self, sources: list[str], texts: list[bytes]) -> None:
        for number, source in enumerate(sources):
            self.world.write(source, texts[number % len(texts)])
        self.world.sync()

    # the disk

    @rule(source=name, text=content)
    def write(self, source: str, text: bytes) -> None:
        self.world.write(source, text)

    @rule(sources=st.lists(name, min_size=2, max_size=6, unique=True), text=filled)
    def write_several(self, sources: list[str], text: bytes) -> None:
        for source in sources:
            self.world.write(source, text)

    @precondition(lambda self: self.world.disk)
    @rule(data=st.data(), text=filled)
    def edit(self, data: st.DataObject, text: bytes) -> None:
        self.world.write(self._file(data), text)

    @precondition(lambda self: self.world.disk)
    @rule(data=st.data())
    def touch(self, data: st.DataObject) -> None:
        self.world.touch(self._file(data))

    @precondition(lambda self: self.world.disk)
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        self.world.delete(self._file(data))

    @precondition(lambda self: self.world.trash)
    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        self.world.write(*data.draw(st.sampled_from(self.world.trash[-4:])))

    @precondition(lambda self: self.world.disk)
    @rule(data=st.data(), new=name)
    def rename(self, data: st.DataObject, new: str) -> None:
        old = self._file(data)
        if old != new:
            self.world.rename(old, new)

    @precondition(lambda self: len(self.world.disk) > 1)
    @rule(data=st.data())
    def swap(self, data: st.DataObject) -> None:
        one, other = self._file(data), self._file(data)
        if one != other:
            self.world.swap(one, other)

    @precondition(lambda self: self.world.disk)
    @rule(data=st.data(), new=name)
    def copy(self, data: st.DataObject, new: str) -> None:
        self.world.write(new, self.world.disk[self._file(data)])

    @precondition(lambda self: len(self.world.disk) > 3)
    @rule(number=st.integers(0, 20))
    def delete_several(self, number: int) -> None:
        for source in sorted(self.world.disk)[number % 2 :: 2]:
            self.world.delete(source)

    @rule()
    def delete_a_folder(self) -> None:
        for source in [source for source in self.world.disk if source.startswith("sub/")]:
            self.world.delete(source)

    @precondition(lambda self: self.world.from_files())
    @rule(data=st.data(), text=filled, loses=st.booleans())
    def edit_and_be_unreadable(self, data: st.DataObject, text: bytes, loses: bool) -> None:
        source = data.draw(st.sampled_from(sorted(self.world.from_files())))
        self.world.write(source, text)
        (self.world.reader.losing if loses else self.world.reader.locked).add(source)

    # the library

    @rule()
    def sync(self) -> None:
        self.world.sync()

    @rule()
    def sync_with_check(self) -> None:
        self.world.sync(check=True)

    @rule(part=st.sampled_from(PARTS))
    def sync_a_part(self, part: str) -> None:
        self.world.sync(part)

    @rule(
        point=st.sampled_from(POINTS),
        call=st.integers(1, 3),
        after=st.booleans(),
        part=st.sampled_from(("", "", "sub")),
    )
    def sync_and_be_stopped(self, point: str, call: int, after: bool, part: str) -> None:
        self.world.stopped_sync(part, stop_at(point, call, after=after))

    @precondition(lambda self: self.world.disk)
    @rule(
        data=st.data(), text=filled, point=st.sampled_from(POINTS), call=st.integers(1, 2), after=st.booleans(),
    )  # fmt: skip
    def edit_and_be_stopped(self, data: st.DataObject, text: bytes, point: str, call: int, after: bool) -> None:
        self.world.write(self._file(data), text)
        self.world.stopped_sync("", stop_at(point, call, after=after))

    @rule(model=st.integers(0, MODELS - 1))
    def use_a_model(self, model: int) -> None:
        self.world.model = model
        self.world.reopen()

    @rule(presets=st.integers(0, len(PRESETS) - 1))
    def cut_otherwise(self, presets: int) -> None:
        self.world.presets = presets
        self.world.reopen()

    @rule(source=st.sampled_from(MADE), text=filled)
    def add(self, source: str, text: bytes) -> None:
        self.world.add(source, text)

    @precondition(lambda self: self.world.library)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        self.world.remove(data.draw(st.sampled_from(sorted(self.world.library))))

    @precondition(lambda self: self.world.library)
    @rule(data=st.data(), names=st.none() | people)
    def restrict(self, data: st.DataObject, names: frozenset[str] | None) -> None:
        self.world.restrict(data.draw(st.sampled_from(sorted(self.world.library))), names)

    @precondition(lambda self: self.world.disk)
    @rule(data=st.data(), new=name, names=people, way=st.sampled_from(WAYS), text=filled)
    def restrict_and_move(self, data: st.DataObject, new: str, names: frozenset[str], way: str, text: bytes) -> None:
        self.world.restrict_and_move(self._file(data), new, names, way, text)

    @rule(number=st.integers(0, len(RULES) - 1))
    def use_rules(self, number: int) -> None:
        self.world.use_rules(number)

    @rule(edits=st.dictionaries(name, content, min_size=1, max_size=3))
    def undo(self, edits: dict[str, bytes]) -> None:
        self.world.undo(edits)

    @rule()
    def lose_views(self) -> None:
        self.world.lose_views()

    def _file(self, data: st.DataObject) -> str:
        found: str = data.draw(st.sampled_from(sorted(self.world.disk)))
        return found


def limits(examples: int, steps: int, *, shrink: bool = True) -> settings:
    """Return settings for so many histories of so many steps, the same ones each time unless the machine is given a seed."""
    phases = [Phase.generate, Phase.shrink] if shrink else [Phase.generate]
    return settings(
        max_examples=examples, stateful_step_count=steps, deadline=None, database=None, phases=phases,
        suppress_health_check=list(HealthCheck), report_multiple_bugs=False, print_blob=False,
    )  # fmt: skip
