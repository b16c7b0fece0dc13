"""Count the training data and tell what is malformed: `python training/check.py`."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
FEWEST, MOST = 3, 16  # sentences of a passage


def groups(file: Path) -> Iterator[list[dict[str, Any]]]:
    """Yield the passages of a file by groups (a passage that has no rivals is a group of its own), each with all questions of its group."""
    for line in file.read_text(encoding="utf-8").split("\n"):
        if line:
            whole = json.loads(line)
            yield [whole] if "sentences" in whole else [_alone(whole, place) for place in range(len(whole["passages"]))]


def _alone(group: Mapping[str, Any], number: int) -> dict[str, Any]:
    passage, asked = group["passages"][number], []
    for each in group["questions"]:
        if any(not 0 <= place < len(group["passages"]) for place, _ in each["s"]):
            raise ValueError(f"{each['q']}: no such passage")
        here = [sentence for place, sentence in each["s"] if place == number]
        first = bool(each["s"]) and each["s"][0][0] == number
        # The wording of the answer is that of the best sentence; where another passage says it, too, its whole sentence counts.
        other = "" if first or not here else passage["sentences"][here[0]]
        asked.append({**each, "s": here, "a": other or each.get("a", "")})
    return {**passage, "questions": asked}


def passages(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the passages of a file."""
    return (passage for group in groups(file) for passage in group)


def files() -> list[Path]:
    """Return the files of all data."""
    return sorted(file for folder in ("questions", "groups", "claims") for file in HERE.glob(f"{folder}/*.jsonl"))


def faults(passage: dict[str, Any]) -> Iterator[str]:
    """Yield what is wrong with a passage and its questions."""
    sentences = passage["sentences"]
    if not FEWEST <= len(sentences) <= MOST or not all(sentence.strip() for sentence in sentences):
        yield f"{passage['title']}: {len(sentences)} sentences"
    if passage["lang"] not in ("zh", "en") or not passage["title"]:
        yield f"{passage['title']}: no language or title"
    for asked in passage["questions"]:
        right = asked["s"]
        if any(not 0 <= place < len(sentences) for place in right):
            yield f"{asked['q']}: no such sentence"
        elif right and (not asked["a"] or asked["a"] not in sentences[right[0]]):
            yield f"{asked['q']}: {asked.get('a')!r} is not in its sentence"


def main() -> int:
    bad = 0
    for file in files():
        counts: Counter[str] = Counter()
        for passage in passages(file):
            counts["passages"] += 1
            for asked in passage["questions"]:
                counts["asked"] += 1  # of a group: once for each passage
                counts["without an answer"] += not asked["s"]
                counts["in the other language"] += asked["lang"] != passage["lang"]
            for fault in faults(passage):
                bad += 1
                print(f"{file.name}: {fault}", file=sys.stderr)
        print(f"{file.parent.name}/{file.name}: " + ", ".join(f"{count} {what}" for what, count in counts.items()))
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
