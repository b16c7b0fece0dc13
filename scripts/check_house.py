"""Hold the rules of the house that no other tool holds: file length, one owner room for each third-party library, no guessed encodings.

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
    "anyio": ("mcp_server",),
    "charset_normalizer": ("load",),
    "fastapi": ("web",),
    "httpx": ("inference",),
    "langchain_core": ("adapters",),
    "llama_index": ("adapters",),
    "lxml": ("load",),
    "markdown_it": ("load",),
    "mcp": ("mcp_server",),
    "numpy": (
        "embed",
        "rerank",
        "inference",
        "store",
        "retrieve",
        "answer",
        "testing",
        "protocols",
        "load",  # pictures for OCR
        "evaluate",  # bootstrap
    ),  # vectors travel between these; no door sees them
    "olefile": ("load",),
    "onnx": ("embed",),
    "onnxruntime": ("embed", "inference"),
    "openai": ("llm",),
    "openpyxl": ("load",),
    "pathspec": ("sync",),
    "platformdirs": ("settings",),
    "pydantic": ("web", "mcp_server", "adapters"),
    "pypdfium2": ("load",),
    "PIL": ("load",),
    "rapidocr": ("load",),
    "python_multipart": ("web",),
    "re2": ("retrieve",),
    "rich": ("cli",),
    "rjieba": ("text",),
    "selectolax": ("load",),
    "sentencepiece": ("embed", "inference"),
    "snowballstemmer": ("text",),
    "starlette": ("web", "mcp_server"),
    "tokenizers": ("inference",),
    "tree_sitter": ("load",),
    "tree_sitter_bash": ("load",),
    "tree_sitter_c": ("load",),
    "tree_sitter_c_sharp": ("load",),
    "tree_sitter_cpp": ("load",),
    "tree_sitter_go": ("load",),
    "tree_sitter_java": ("load",),
    "tree_sitter_javascript": ("load",),
    "tree_sitter_kotlin": ("load",),
    "tree_sitter_lua": ("load",),
    "tree_sitter_php": ("load",),
    "tree_sitter_python": ("load",),
    "tree_sitter_ruby": ("load",),
    "tree_sitter_rust": ("load",),
    "tree_sitter_scala": ("load",),
    "tree_sitter_swift": ("load",),
    "tree_sitter_typescript": ("load",),
    "typer": ("cli",),
    "uvicorn": ("web",),
    "watchfiles": ("sync",),
    "xlrd": ("load",),
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


def guessed_encodings(tree: ast.AST) -> list[int]:
    """Return the lines that open text without naming its encoding: on a Chinese Windows that means GBK."""
    return [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Call) and _guesses(node)]


def _guesses(call: ast.Call) -> bool:
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
    if "encoding" in given or None in given:
        return False
    if name in ("run", "Popen", "check_output"):
        return any(isinstance(given.get(key), ast.Constant) for key in ("text", "universal_newlines"))
    if name == "read_text":
        return not call.args
    if name == "write_text":
        return len(call.args) < 2
    if isinstance(call.func, ast.Name) and name == "open":
        mode = given.get("mode", call.args[1] if len(call.args) > 1 else None)
        return not (isinstance(mode, ast.Constant) and "b" in str(mode.value))
    return False


def breaches(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    room = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    found = []
    if text.count("\n") > MAXIMUM_LINES:
        found.append(f"{path}:{MAXIMUM_LINES}: longer than {MAXIMUM_LINES} lines; give part of it a room with a name")
    tree = ast.parse(text, str(path))
    found += [f"{path}:{line}: text without an encoding; say encoding=" for line in guessed_encodings(tree)]
    for line, root in imported_roots(tree):
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
