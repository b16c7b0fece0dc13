"""Write docs/cli.md from the commands themselves: `python scripts/make_cli_docs.py`; with --check only say whether it is up to date.

The pages are those that `--help` prints, so the document cannot say anything else than the program. A test runs the check.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parent.parent / "docs" / "cli.md"

INTRODUCTION = """\
# Command line

This file is made from the commands by `scripts/make_cli_docs.py`; each page is what `--help` prints.

Results go to stdout, progress and notices to stderr. Colours, links to files (OSC 8) and progress appear on a terminal only; `NO_COLOR` and
`TERM=dumb` switch colours off, a pipe gets plain text. `--json` prints the documented shapes. Messages and help are Chinese where the locale or
`YINJU_LANG` is. Before a text that begins with "-" write `--`.

| exit code | means |
|---|---|
| 0 | done |
| 2 | wrong usage |
| 3 | done, but some files were skipped or are kept at their old version |
| 4 | no evidence in the documents: refused, not found, or below `--fail-under` |
| 70 | a fault of Yinju, or a model failed |
| 73 | cannot write |
| 74 | a file, source or disk fault |
| 75 | another process is writing |
| 130 | stopped by Ctrl-C |

Completion: `eval "$(yinju completion bash)"` in `~/.bashrc`, `eval "$(yinju completion zsh)"` in `~/.zshrc`,
`yinju completion fish | source` in `config.fish`. Commands, options, their values and the sources of the library are completed; no model is loaded.
"""


def pages(command: Any, path: str) -> Iterator[str]:
    """Yield a section for a command and for those below it."""
    from yinju.cli import helping

    lines = "\n".join(helping.page(command, path))
    yield f"{'##' if path.count(' ') < 2 else '###'} {path}\n\n```text\n{lines}\n```\n"
    for name, one in helping.subcommands(command):
        yield from pages(one, f"{path} {name}")


def document() -> str:
    """Return the whole document, in English."""
    from yinju.cli.app import root_command
    from yinju.messages import set_language

    set_language("en")
    return "\n".join([INTRODUCTION, *pages(root_command(), "yinju")])


def main() -> int:
    """Write the document, or check it; return the exit code."""
    os.environ["YINJU_LANG"] = "en"
    made = document()
    if "--check" not in sys.argv[1:]:
        TARGET.write_text(made, encoding="utf-8")
        return 0
    if TARGET.exists() and TARGET.read_text(encoding="utf-8") == made:
        return 0
    print("docs/cli.md is not what the commands say; run python scripts/make_cli_docs.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
