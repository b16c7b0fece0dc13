"""Wrong sentences made of gold answers, for `benchmarks.verification`: the answer to one question about a passage in the place of another's.

All words of such a sentence stand in its passage; only the place of one phrase is wrong. The two questions ask for the same kind of thing.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks import sets

LONGEST = 24  # characters of an answer
_ASKS = re.compile(  # kinds of what is asked for, one group each
    r"(谁|哪位|\bwho(?:m|se)?\b)|(哪里|何处|哪个(?:城市|国家|地区)|\bwhere\b|what (?:city|country)\b)"
    r"|(什么时候|何时|哪年|哪一年|几时|\bwhen\b|what year\b)"
    r"|(多少|几个|\bhow (?:many|much)\b)|(哪个|哪种|哪些|什么|\b(?:what|which)\b)",
    re.I,
)


def answered(name: str, bench: Path) -> Mapping[str, Sequence[tuple[str, str]]]:
    """Return passage id -> (what is asked for, gold answer) of its questions."""
    folder = sets.folder_of(name, bench)
    relevant = sets.judgements(folder / "qrels.tsv")
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for row in sets.rows(folder / "queries.jsonl"):
        asks = _ASKS.search(row["text"])
        if asks and row.get("answers") and len(relevant.get(row["id"], ())) == 1:
            kind = next(str(number) for number, each in enumerate(asks.groups()) if each)
            found[next(iter(relevant[row["id"]]))].append((kind, row["answers"][0]))
    return found


def exchanged(sentence: str, known: Sequence[tuple[str, str]], rng: random.Random) -> str | None:
    """Return the sentence with one answer exchanged for another of its kind that it does not hold, None where there is no occasion."""
    choices = [
        (own, other)
        for kind, own in known
        for same, other in known
        if sentence.count(own) == 1 and same == kind and other not in sentence and own not in other
        and max(len(own), len(other)) <= LONGEST and bool(re.search(r"\d", own)) == bool(re.search(r"\d", other))
    ]  # fmt: skip
    return sentence.replace(*rng.choice(choices)) if choices else None
