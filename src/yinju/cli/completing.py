"""`yinju completion SHELL` prints a script; the script asks `yinju complete` for what may stand at the cursor.

Names of sources come from strangers, so a shell must never evaluate them: the scripts read them line by line into an array, and names with
control characters are left out. No model is loaded and no library is made or changed. Where nothing fits, the shell completes files.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer

from yinju.cli import helping, render
from yinju.errors import UsageError, YinjuError
from yinju.messages import say

MOST = 300  # sources that are offered
MEANING = 55  # columns: with a name before it, it fits a terminal
_VALUES = {
    "--mode": ("hybrid", "lexical", "dense", "rank-fusion"), "--widen": ("none", "neighbours", "section"),
    "--format": ("tagged", "numbered", "sections", "fragments"), "--rewrite": ("model", "rules", "off"), "--prefer": ("newest",),
    "--unsupported": ("mark", "remove"), "--from": ("huggingface", "modelscope"), "--model": ("e5", "hashing", "none"),
    "SHELL": ("bash", "zsh", "fish"), "NAME|FOLDER": ("e5", "hashing", "none"),
    "--where": ("source=", "type=", "language=", "headings=", "modified="),
}  # fmt: skip
_SOURCES = ("SOURCE", "[SOURCE]", "SOURCE...", "SOURCE[:FROM-TO|:p.PAGE]", "[PATH] [FILE]", "--source", "--expect")

SCRIPTS = {
    "bash": r"""_yinju() {
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        COMPREPLY+=("${line%%$'\t'*}")
    done < <("${COMP_WORDS[0]}" complete "$COMP_CWORD" -- "${COMP_WORDS[@]}" 2>/dev/null)
    compopt -o filenames 2>/dev/null
}
complete -o default -o bashdefault -F _yinju yinju""",
    "zsh": r"""#compdef yinju
_yinju() {
    local -a lines values shown
    lines=("${(@f)$("${words[1]}" complete "$((CURRENT - 1))" -- "${(@)words}" 2>/dev/null)}")
    lines=("${(@)lines:#}")
    if (( ! $#lines )); then
        _files
        return
    fi
    values=("${(@)lines%%$'\t'*}")
    shown=("${(@)lines/$'\t'/  -- }")
    compadd -l -d shown -a -- values
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _yinju "$@"
else
    (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
    compdef _yinju yinju
fi""",
    "fish": r"""function __yinju_complete
    set -l words (commandline -opc)
    set -l found ($words[1] complete (count $words) -- $words (commandline -ct) 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c yinju -f -a '(__yinju_complete)'""",
}


def completion(shell: Annotated[str, typer.Argument(metavar="SHELL", show_default=False)]) -> int:
    """Print the completion script for bash, zsh or fish."""
    if shell not in SCRIPTS:
        raise UsageError(
            say("There is no completion for {shell!r}.", "没有 {shell!r} 的补全。", shell=shell),
            say("Choose bash, zsh or fish.", "可选 bash、zsh 或 fish。"),
        )
    print(SCRIPTS[shell])
    return 0


def complete(
    at: Annotated[int, typer.Argument(metavar="N")],
    words: Annotated[list[str] | None, typer.Argument(metavar="WORD...")] = None,
) -> int:
    """Print what may stand at word N, a line each, with a tab before what it means."""
    from yinju.cli.app import root_command

    given = words or []
    begun = given[at] if at < len(given) else ""
    for value, meaning in candidates(root_command(), given[1:at], _bare(begun)):
        print(f"{value}\t{render.cut(meaning, MEANING)}" if meaning else value)
    return 0


def candidates(command: Any, before: Sequence[str], begun: str) -> Iterator[tuple[str, str]]:
    """Yield what may stand after these words and begins like this, with its meaning."""
    path, asked = "yinju", ""
    arguments = 0
    for word in before:
        if asked:
            asked = ""
        elif word in getattr(command, "commands", {}):
            command, path = command.commands[word], f"{path} {word}"
        elif word.startswith("-"):
            asked = _takes_value(command, word)
        else:
            arguments += 1
    if asked:
        yield from _values(asked, before, begun)
    elif begun.startswith("-"):
        yield from _options(command, begun)
    elif hasattr(command, "commands"):
        for name, one in helping.subcommands(command):
            if name.startswith(begun):
                yield name, helping.summary(one, f"{path} {name}")
    else:
        names = [one.metavar for one in command.params if one.param_type_name == "argument"]
        if names:
            yield from _values(names[min(arguments, len(names) - 1)], before, begun)


def _takes_value(command: Any, word: str) -> str:
    """Return the longest name of the option that waits for a value after this word, or an empty text."""
    for option in command.params:
        if option.param_type_name == "option" and word in option.opts and not option.is_flag:
            return str(max(option.opts, key=len))
    return ""


def _options(command: Any, begun: str) -> Iterator[tuple[str, str]]:
    for option in command.params:
        if option.param_type_name != "option" or option.hidden:
            continue
        for name in (*option.opts, *option.secondary_opts):
            if name.startswith(begun) and (name.startswith("--") or begun == name):
                yield name, helping.option_meaning(option)
    if "--help".startswith(begun):
        yield "--help", say("Show this page.", "显示本页。")


def _values(what: str, before: Sequence[str], begun: str) -> Iterator[tuple[str, str]]:
    for value in _VALUES.get(what, ()):
        if value.startswith(begun):
            yield value, ""
    if what in _SOURCES:
        library = next((before[at + 1] for at, word in enumerate(before[:-1]) if word == "--library"), None)
        for name in _sources(library, begun):
            yield name, ""


def _sources(library: str | None, begun: str) -> list[str]:
    """Return the sources that begin so; none where there is no library to read."""
    from yinju.cli import session

    try:
        with session.opened(library=library, quiet=True, with_model=False, read_only=True) as opened:
            names = [one.source for one in opened.sources() if not any(map(_is_control, one.source))]
    except YinjuError:
        return []
    found = [name for name in names if name.startswith(begun)]
    return found[:MOST]


def _is_control(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cs", "Cf", "Zl", "Zp")


def _bare(word: str) -> str:
    """Return a word as it would be without the signs of a shell: bash hands over what was typed."""
    return word.lstrip("'\"").replace("\\", "")
