"""Hold the rules of the house that no other tool holds: file length, and one owner room for each third-party library.

Run by `make check`. Prints each breach as file:line and exits 1.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "src" / "yinju"
MAXIMUM_LINES = 400
# library -> the rooms (first part of the module's name) that may import it
OWNERS: dict[str, tuple[str, ...]] = {
    "apsw": ("store",),
    "charset_normalizer": ("load",),
    "httpx": ("embed",),
    "lxml": ("load",),
    "markdown_it": ("load",),
    "numpy": (
        "embed",
        "store",
        "retrieve",
        "answer",
        "testing",
        "protocols",
    ),  # vectors travel between these; no door sees them
    "onnx": ("embed",),
    "onnxruntime": ("embed",),
    "openai": ("llm",),
    "openpyxl": ("load",),
    "pathspec": ("sync",),
    "platformdirs": ("settings",),
    "pypdfium2": ("load",),
    "re2": ("retrieve",),
    "rich": ("cli",),
    "rjieba": ("text",),
    "selectolax": ("load",),
    "sentencepiece": ("embed",),
    "snowballstemmer": ("text",),
    "tree_sitter": ("load",),
    "tree_sitter_javascript": ("load",),
    "tree_sitter_python": ("load",),
    "typer": ("cli",),
    "watchfiles": ("sync",),
    "yaml": ("load",),
}


def imported_roots(tree: ast.AST) -> list[tuple[int, str]]:
    roots: list[tuple[int, str]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            roots += [(node.lineno, alias.name.split(".")[0]) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            roots.append((node.lineno, node.module.split(".")[0]))
    return roots


def breaches(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    room = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    found = []
    if text.count("\n") > MAXIMUM_LINES:
        found.append(f"{path}:{MAXIMUM_LINES}: longer than {MAXIMUM_LINES} lines; give part of it a room with a name")
    for line, root in imported_roots(ast.parse(text, str(path))):
        if root == "yinju" or root in sys.stdlib_module_names:
            continue
        if root not in OWNERS:
            found.append(f"{path}:{line}: {root} has no owner room in {Path(__file__).name}; is it a dependency?")
        elif room not in OWNERS[root]:
            found.append(f"{path}:{line}: {root} belongs to {', '.join(OWNERS[root])}; go through that room")
    return found


def main() -> int:
    found = [breach for path in sorted(SOURCE.rglob("*.py")) for breach in breaches(path)]
    print("\n".join(found) if found else "house: in order")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
