"""Measure how answers are checked against their passages: `python -m benchmarks.verification`.

From the gold answers and passages of the public sets sentences are built whose truth is known: verbatim ones, ones with their markers
exchanged, ones with a changed number, date, unit, name or negation, and light paraphrases (see `benchmarks.changes`). Each is checked against
its own passage and three neighbours from the same set, which are often about the same matter. Then come answers as a model writes them,
labelled by hand, in seven files (`benchmarks/data/answers*.tsv`), and sentences that mix two rows of a
table (`benchmarks.verification_tables`). `--show N` prints N failures of each kind.
"""

from __future__ import annotations

import argparse
import random
import re
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from benchmarks import changes, sets, verification_answers, verification_tables
from yinju.answer.verify import verify_answer
from yinju.types import Document, Hit, Passage, Span

SETS = ("xquad-zh", "cmrc2018-dev", "dragonball-zh", "xquad-en", "clapnq-dev", "deep-rag")
DATA = Path(__file__).with_name("data")
ANSWERS = {name: DATA / f"{name}.tsv" for name in ("answers", *(f"answers-{number}" for number in range(2, 8)))}
SEED, NEIGHBOURS = 20261130, 3
LONGEST_PASSAGE = 1200  # characters: longer texts are cut at the end of a sentence
PROVED = ("verified", "moved")
_ASKS_NAME = re.compile(
    r"谁|哪位|哪里|哪个城市|哪个国家|何处|\b(?:who|whom|whose|where|what city|which country|what country|which city)\b",
    re.I,
)
_PLACE = re.compile(r"哪里|哪个城市|哪个国家|何处|\b(?:where|city|country)\b", re.I)
_NO_NAME = re.compile(r"^[#@]|本人|患者|[，。、；：的是在有了]|^[a-z]|^(?:The|A|An|In)\b|\d")
_END = re.compile(r"(?<=[。！？])|(?<=[.!?])\s+(?=[A-Z`\"“])|\n+")
_ABBREVIATED = re.compile(
    r"(?:\b[A-Z]|\b(?:Mr|Mrs|Dr|St|No|vs|ca|Inc|Ltd|Co|Jr|Sr|Gen|Lt|Sgt|Col|Prof|approx|e\.g|i\.e))\.$"
)


@dataclass(frozen=True, slots=True)
class Source:
    """A passage of a set with its neighbours."""

    set: str
    id: str
    hit: Hit
    neighbours: tuple[Hit, ...]
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """A text with markers, the passages that it was given, and what should come out of it."""

    kind: str
    language: str
    text: str
    passages: tuple[Passage, ...]
    right: tuple[int, ...]  # the markers to be shown, empty where the text is wrong and none may be called proved
    origin: str = ""


@dataclass(slots=True)
class Tally:
    """How many cases of one kind went right, and those that did not."""

    good: int = 0
    bad: list[tuple[Case, str]] = field(default_factory=list)

    @property
    def total(self) -> int:
        return self.good + len(self.bad)

    @property
    def share(self) -> float:
        return self.good / self.total if self.total else 1.0


def hit_of(text: str, source: str, title: str | None, place: int) -> Hit:
    """Return a passage as retrieval would give it."""
    document = Document.from_text(text, source=source, title=title)
    span = Span(0, len(document.text))
    return Hit(
        id=f"c_{source}", source=source, document=document.id, title=title, headings=(), lines=document.lines(span), page=None, index=place,
        tokens=len(text) // 2, span=span, text=document.text, score=1.0,
    )  # fmt: skip


def cut(text: str) -> str:
    """Return the first part of a long text, whole sentences."""
    if len(text) <= LONGEST_PASSAGE:
        return text
    ends = [match.end() for match in re.finditer(r"[。！？]|[.!?]\s|\n", text[:LONGEST_PASSAGE])]
    return text[: ends[-1] if ends else LONGEST_PASSAGE]


def split(text: str) -> list[str]:
    """Return the plain sentences of ordinary length; what is unfinished, a heading, or holds brackets of markers is left out."""
    found: list[str] = []
    for part in _END.split(text):
        if found and _ABBREVIATED.search(found[-1]):
            found[-1] += " " + part
        else:
            found.append(part)
    return [s for s in (part.strip() for part in found) if _plain(s)]


def _plain(sentence: str) -> bool:
    chinese = bool(re.search("[\u4e00-\u9fff]", sentence))
    if not (14 <= len(sentence) <= 140 if chinese else 40 <= len(sentence) <= 300):
        return False
    if (not chinese and not re.match(r"[A-Z\"“]", sentence)) or re.match(r"\d{1,2}[.、]", sentence):
        return False
    if re.search(r"[\[\]【】［］`|#*\n\t]", sentence) or not sentence.endswith(("。", ".")):
        return False
    even = all(
        sentence.count(pair[0]) == sentence.count(pair[1]) for pair in ("“”", "()", "（）", "「」", "『』", "《》")
    )
    return even and sentence.count('"') % 2 == 0


def echoed(sentence: str, hit: Hit) -> bool:
    """True where most pairs of characters of a sentence stand in one sentence of a passage."""
    pairs = {sentence[i : i + 2] for i in range(len(sentence) - 1)}
    return any(
        len(pairs & {s[i : i + 2] for i in range(len(s) - 1)}) > 0.6 * len(pairs) for s in _END.split(hit.text) if s
    )


def sources(name: str, bench: Path) -> list[Source]:
    """Return the passages of a set that have sentences to be quoted. Raises SetMissing."""
    rows = [row for row in sets.rows(sets.folder_of(name, bench) / "corpus.jsonl") if row["text"].strip()]
    suffix = ".md" if name in sets.MARKDOWN_SETS else ".txt"
    hits = [hit_of(cut(row["text"]), row["id"] + suffix, row.get("title"), place) for place, row in enumerate(rows)]
    found = []
    for place, (row, own) in enumerate(zip(rows, hits, strict=True)):
        near = [at for step in range(1, NEIGHBOURS + 1) for at in (place - step, place + step) if 0 <= at < len(hits)]
        neighbours = tuple(hits[at] for at in near if hits[at].text != own.text)[:NEIGHBOURS]
        if sentences := split(own.text):
            found.append(Source(name, row["id"], own, neighbours, tuple(sentences)))
    return found


def named(name: str, bench: Path) -> dict[str, list[str]]:
    """Return gold answers that are names, by kind (`who`, `where`)."""
    found: dict[str, list[str]] = {"who": [], "where": []}
    for row in sets.rows(sets.folder_of(name, bench) / "queries.jsonl"):
        if _ASKS_NAME.search(row["text"]):
            kind = "where" if _PLACE.search(row["text"]) else "who"
            found[kind] += [a for a in row["answers"][:1] if 2 <= len(a) <= 24 and not _NO_NAME.search(a)]
    return {kind: sorted(set(names)) for kind, names in found.items()}


def given(rng: random.Random, *wanted: Hit, others: Sequence[Hit]) -> tuple[tuple[Passage, ...], list[int]]:
    """Return the passages in any order, numbered, and the markers of those that are wanted."""
    every = list({each.id: each for each in (*wanted, *others)}.values())
    rng.shuffle(every)
    return tuple(Passage(number, each) for number, each in enumerate(every, start=1)), [
        [each.id for each in every].index(h.id) + 1 for h in wanted
    ]


def built(name: str, bench: Path, count: int) -> Iterator[Case]:
    """Yield the cases of a set, from `count` sentences."""
    rng = random.Random(f"{SEED} {name}")
    every = sources(name, bench)
    names = named(name, bench)
    pool = [(source, sentence) for source in every for sentence in source.sentences]
    rng.shuffle(pool)
    for number, (source, sentence) in enumerate(pool[:count]):
        language = "zh" if re.search("[\u4e00-\u9fff]", sentence) else "en"
        passages, (own,) = given(rng, source.hit, others=source.neighbours)
        case = partial(Case, language=language, passages=passages, origin=f"{name}:{source.id}")
        yield case(kind="verbatim", text=f"{sentence[:-1]} [{own}]{sentence[-1]}", right=(own,))
        if any(echoed(sentence, each) for each in source.neighbours):
            continue  # it stands nearly so in another passage, too: no marker is the right one
        away = rng.choice([p.marker for p in passages if p.marker != own] or [own])
        yield case(kind="marker moved", text=f"{sentence[:-1]} [{away}]{sentence[-1]}", right=(own,))
        for kind, change in changes.SOMETHING_ELSE.items():
            if wrong := change(sentence, rng):
                yield case(kind=kind, text=f"{wrong[:-1]} [{own}]{wrong[-1]}", right=())
        for kind, change in changes.THE_SAME.items():
            if same := change(sentence, rng):
                yield case(kind=kind, text=f"{same[:-1]} [{own}]{same[-1]}", right=(own,))
        other, second = pool[(number + 7) % len(pool)]
        if any(
            echoed(a, b)
            for a, b in (
                (sentence, other.hit),
                (second, source.hit),
                *((second, h) for h in (*source.neighbours, *other.neighbours)),
            )
        ):
            continue
        if other.id != source.id and other.hit.text != source.hit.text:
            passages, (a, b) = given(rng, source.hit, other.hit, others=source.neighbours)
            text = f"{sentence[:-1]} [{b}]{sentence[-1]} {second[:-1]} [{a}]{second[-1]}"
            yield case(kind="markers swapped", text=text, passages=passages, right=(a, b))
    yield from _with_other_names(name, pool, names, rng, count)
    yield from _with_other_answers(name, pool, bench, rng, count)


def _with_other_names(
    name: str, pool: Sequence[tuple[Source, str]], names: dict[str, list[str]], rng: random.Random, count: int
) -> Iterator[Case]:
    made = 0
    for source, sentence in pool:
        for group in names.values():
            inside = [each for each in group if each in sentence]
            if not inside or made >= count // 2:
                continue
            changed = changes.other_name(sentence, max(inside, key=len), group, source.hit.text, rng)
            if changed:
                made += 1
                passages, (own,) = given(rng, source.hit, others=source.neighbours)
                language = "zh" if re.search("[\u4e00-\u9fff]", sentence) else "en"
                yield Case(
                    "name", language, f"{changed[:-1]} [{own}]{changed[-1]}", passages, (), f"{name}:{source.id}"
                )


def _with_other_answers(
    name: str, pool: Sequence[tuple[Source, str]], bench: Path, rng: random.Random, count: int
) -> Iterator[Case]:
    """Yield sentences in which the answer to one question about a passage stands in the place of the answer to another one."""
    known, made = verification_answers.answered(name, bench), 0
    for source, sentence in pool:
        changed = verification_answers.exchanged(sentence, known.get(source.id, ()), rng) if made < count else None
        if not changed:
            continue
        made += 1
        passages, (marker,) = given(rng, source.hit, others=source.neighbours)
        language = "zh" if re.search("[\u4e00-\u9fff]", sentence) else "en"
        yield Case(
            "answer of another question",
            language,
            f"{changed[:-1]} [{marker}]{changed[-1]}",
            passages,
            (),
            f"{name}:{source.id}",
        )


def tabled(name: str, bench: Path, count: int) -> Iterator[Case]:
    """Yield sentences about rows of a handbook's tables, right ones and such that mix two rows."""
    for each in verification_tables.said(bench / name / verification_tables.FOLDERS[name], name, count, str(SEED)):
        passages = (Passage(1, hit_of(each.table, each.source, None, 0)),)
        kind = "row" if each.right else "rows mixed"
        yield Case(kind, each.language, each.text, passages, (1,) if each.right else (), f"{name}:{each.source}")


def written(bench: Path, file: Path) -> Iterator[Case]:
    """Yield the answers of a file that were labelled by hand."""
    known: dict[str, dict[str, Hit]] = {}
    for line in file.read_text(encoding="utf-8").split("\n"):
        if not line or line.startswith("#"):
            continue
        label, kind, ids, text = line.split("\t")
        hits = []
        for each in ids.split(","):
            name, _, passage = each.partition(":")
            if name not in known:
                rows = sets.rows(sets.folder_of(name, bench) / "corpus.jsonl")
                suffix = ".md" if name in sets.MARKDOWN_SETS else ".txt"
                known[name] = {
                    r["id"]: hit_of(r["text"], r["id"] + suffix, r.get("title"), n) for n, r in enumerate(rows)
                }
            hits.append(known[name][passage])
        passages = tuple(Passage(number, each) for number, each in enumerate(hits, start=1))
        language = "zh" if re.search("[\u4e00-\u9fff]", text) else "en"
        right = tuple(range(1, len(hits) + 1)) if label == "right" else ()
        yield Case(f"{label}: {kind}", language, text, passages, right, ids)


def judge(case: Case) -> tuple[bool, str, float]:
    """Return whether a case came out right, what came out, and the seconds that it took."""
    began = time.perf_counter()
    found = verify_answer(case.text, case.passages)
    took = time.perf_counter() - began
    said = ", ".join(f"{s.status}{list(s.markers)}" for s in found.sentences)
    statuses = {s.status for s in found.sentences}
    if not case.right:
        return not statuses <= set(PROVED), said, took
    if case.kind.startswith("right"):
        return "unsupported" not in statuses, said, took
    wanted = "moved" if "marker" in case.kind else "verified"
    shown = [marker for s in found.sentences for marker in s.markers]
    return statuses == {wanted} and set(shown) == set(case.right) and shown[0] == case.right[0], said, took


GROUPS = {
    "markers put right": ("marker moved", "markers swapped"),
    "changed number, date, unit caught": ("number", "date", "unit"),
    "changed name, negation caught": ("name", "negation added", "negation dropped"),
    "answer of another question caught": ("answer of another question",),
    "verbatim verified": ("verbatim",),
    "light paraphrases verified": tuple(changes.THE_SAME),
    "values of another row caught": ("rows mixed",),
    "values of the own row verified": ("row",),
}


@dataclass(slots=True)
class Result:
    """The tallies by (kind, language), and the milliseconds of each case."""

    tallies: dict[tuple[str, str], Tally] = field(default_factory=lambda: defaultdict(Tally))
    took_ms: list[float] = field(default_factory=list)

    def add(self, case: Case) -> None:
        good, said, took = judge(case)
        tally = self.tallies[case.kind, case.language]
        if good:
            tally.good += 1
        else:
            tally.bad.append((case, said))
        self.took_ms.append(1000 * took)

    def share(self, *kinds: str, language: str = "") -> tuple[float, int]:
        """Return the share of right ones among all cases of these kinds, and their number."""
        chosen = [t for (kind, spoken), t in self.tallies.items() if kind in kinds and language in ("", spoken)]
        total = sum(tally.total for tally in chosen)
        return (sum(tally.good for tally in chosen) / total if total else 1.0), total


def measure(names: Sequence[str], bench: Path, count: int, *, tables: bool = False) -> Result:
    """Check `count` sentences of each set, with all that is made of them, and of each handbook so many tables."""
    result = Result()
    for name in names:
        for case in built(name, bench, count):
            result.add(case)
    for name in verification_tables.FOLDERS if tables else ():
        for case in tabled(name, bench, count):
            result.add(case)
    return result


def measure_written(bench: Path, file: Path) -> Result:
    """Check the answers of a file that were labelled by hand."""
    result = Result()
    for case in written(bench, file):
        result.add(case)
    return result


def report(result: Result, groups: dict[str, tuple[str, ...]]) -> list[str]:
    """Return the lines of the table: right cases of each kind, both languages and each alone."""
    lines = [f"{'':<36} {'n':>6} {'all':>8} {'zh':>8} {'en':>8}"]
    for title, kinds in groups.items():
        for name, those in ((title, kinds), *((f"  {kind}", (kind,)) for kind in kinds if len(kinds) > 1)):
            share, total = result.share(*those)
            each = [result.share(*those, language=spoken) for spoken in ("zh", "en")]
            lines.append(
                f"{name:<36} {total:>6} {share:>8.2%} " + " ".join(f"{s:>8.2%}" if n else f"{'-':>8}" for s, n in each)
            )
    took = sorted(result.took_ms)
    if took:
        lines.append(
            f"ms a text: median {statistics.median(took):.2f}, p95 {took[int(0.95 * (len(took) - 1))]:.2f}, most {took[-1]:.1f}"
        )
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.verification", description=__doc__)
    parser.add_argument("--bench", type=Path, default=sets.BENCH, help="folder of the public sets")
    parser.add_argument("--sets", default=",".join(SETS), help="names of sets, separated by commas")
    parser.add_argument("--sample", type=int, default=150, help="sentences of each set, from which all others are made")
    parser.add_argument("--show", type=int, default=0, help="print so many failures of each kind")
    parser.add_argument("--only", default="", help="show failures of kinds that begin so")
    arguments_given = parser.parse_args(arguments)
    try:
        made = measure(arguments_given.sets.split(","), arguments_given.bench, arguments_given.sample, tables=True)
        by_hand = {name: measure_written(arguments_given.bench, file) for name, file in ANSWERS.items()}
    except sets.SetMissing as missing:
        print(missing, file=sys.stderr)
        return 2
    print("\n".join(report(made, GROUPS)))
    for name, result in by_hand.items():
        kinds = sorted({kind for kind, _ in result.tallies})
        hand = {
            f"{name}: {label}, {what}": tuple(k for k in kinds if k.startswith(label))
            for label, what in (("right", "not doubted"), ("wrong", "not verified"))
        }
        print("\n".join(report(result, hand)))
    for result in (made, *by_hand.values()):
        for (kind, language), tally in sorted(result.tallies.items()):
            for case, said in tally.bad[: arguments_given.show] if kind.startswith(arguments_given.only) else ():
                print(f"[{kind}, {language}] {case.origin} wanted {list(case.right)}, got {said}\n    {case.text}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
