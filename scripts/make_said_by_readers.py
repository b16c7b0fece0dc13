"""Write src/yinju/sync/said.py, what readers say in both languages: `python scripts/make_said_by_readers.py`; with --check only compare.

Readers write why a file was skipped in the language of that moment, and it is shown in that of the one who asks, perhaps years later. Their
messages stand where they are used; this table of them is made, so that nobody has to write them twice.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
ROOM = ROOT / "src" / "yinju" / "load"
TARGET = ROOT / "src" / "yinju" / "sync" / "said.py"
HEAD = '''"""What readers say of files, in English and Chinese. Made by scripts/make_said_by_readers.py from the room `load`: do not edit."""

from __future__ import annotations

SAID: tuple[tuple[str, str], ...] = (
'''


def pairs() -> list[tuple[str, str]]:
    """Return the messages of the readers in both languages, sorted, each once."""
    found = set()
    for path in sorted(ROOM.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "say":
                texts = [one.value for one in node.args if isinstance(one, ast.Constant)]
                if len(texts) == 2:
                    found.add((str(texts[0]), str(texts[1])))
            if isinstance(node, ast.Tuple) and len(node.elts) == 2:  # messages that wait in a table, such as hints
                texts = [one.value for one in node.elts if isinstance(one, ast.Constant)]
                if len(texts) == 2 and all(isinstance(one, str) for one in texts) and not str(texts[1]).isascii():
                    found.add((str(texts[0]), str(texts[1])))
    return sorted(found)


def written() -> str:
    """Return the text of the table, as the formatter leaves it."""
    text = HEAD + "".join(f"    ({english!r}, {chinese!r}),\n" for english, chinese in pairs()) + ")\n"
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(TARGET), "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True, encoding="utf-8").stdout


def main() -> int:
    """Write the table, or compare it."""
    if "--check" not in sys.argv:
        TARGET.write_text(written(), encoding="utf-8")
        return 0
    if TARGET.read_text(encoding="utf-8") == written():
        return 0
    print(f"{TARGET.name} is not what the readers say; run python scripts/make_said_by_readers.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
