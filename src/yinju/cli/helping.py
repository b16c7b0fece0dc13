"""Help for people: usage, arguments, options and examples of every command on 80 columns, in their language.

Typer's own formatter counts a Chinese character as one column, cuts short what a command does, and shows types of Python; so the pages are
laid out here. `docs/cli.md` is made of the same lines. The Chinese texts stand in `chinese.py`.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from typing import Any

from typer.core import TyperCommand, TyperGroup

from yinju.cli import render
from yinju.cli.chinese import ARGUMENTS, COMMANDS, EXAMPLES, OPTIONS
from yinju.cli.tables import wrapped
from yinju.messages import language, say

WIDTH = 80
_MOST = 24  # columns of the names of options; longer ones have a line of their own
HELP_NAMES = {"help_option_names": ["-h", "--help"]}


class Command(TyperCommand):
    """A command whose help is laid out here."""

    def get_help(self, ctx: Any) -> str:
        """Return the page."""
        return "\n".join(page(self, ctx.command_path, columns()))


class Group(TyperGroup):
    """A group of commands whose help is laid out here."""

    def get_help(self, ctx: Any) -> str:
        """Return the page."""
        return "\n".join(page(self, ctx.command_path, columns()))


def columns() -> int:
    """Return the columns of a page: 80, or those of a narrower terminal."""
    return max(40, min(WIDTH, render.columns()))


def page(command: Any, path: str, room: int = WIDTH) -> list[str]:
    """Return the help of a command or group in lines of at most so many columns."""
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    options = [one for one in command.params if one.param_type_name == "option" and not one.hidden]
    out = list(wrapped(_usage(command, path, arguments), " " * 7, room=room))
    out[0] = out[0].lstrip()
    out.append("")
    for text in about(command, path).split("\n\n"):
        out += [*wrapped(" ".join(text.split()), "  ", room=room), ""]
    sections: list[tuple[str, Sequence[tuple[str, str]]]] = [
        (say("Arguments:", "参数："), [(one.metavar, _argument(one.metavar)) for one in arguments]),
        (say("Commands:", "命令："), [(name, summary(one, f"{path} {name}")) for name, one in subcommands(command)]),
        (say("Options:", "选项："), [*(_option(one) for one in options), ("-h, --help", say("Show this page.", "显示本页。"))]),
    ]  # fmt: skip
    for title, rows in sections:
        if rows:
            out += [title, *_rows(rows, room), ""]
    examples = EXAMPLES.get(path, ())
    if examples:
        out += [say("Examples:", "示例："), *(f"  {_of_language(one)}" for one in examples), ""]
    return out[:-1]


def subcommands(command: Any) -> list[tuple[str, Any]]:
    """Return the commands of a group that people see, in the order of the table; none for a command."""
    return [(name, one) for name, one in getattr(command, "commands", {}).items() if not one.hidden]


def about(command: Any, path: str) -> str:
    """Return what a command does, in the language of the user."""
    english = inspect.cleandoc(command.help or "")
    return COMMANDS.get(path, english) if language() == "zh" else english


def summary(command: Any, path: str) -> str:
    """Return what a command does in one paragraph on one line."""
    return " ".join(about(command, path).split("\n\n")[0].split())


def _usage(command: Any, path: str, arguments: Sequence[Any]) -> str:
    parts = [path, say("[OPTIONS]", "[选项]"), *(one.metavar for one in arguments)]
    if hasattr(command, "commands"):
        parts.append(say("COMMAND ...", "命令 ..."))
    return say("Usage: ", "用法：") + " ".join(parts)


def _argument(metavar: str) -> str:
    return _of_language(ARGUMENTS.get(metavar, ("", "")))


def _option(option: Any) -> tuple[str, str]:
    names = sorted(option.opts, key=len)
    name = ", ".join(names) if len(option.opts) > 1 else names[0]
    if option.secondary_opts:
        name += f" / {option.secondary_opts[0]}"
    if not option.is_flag and option.metavar:
        name += f" {option.metavar}"
    text = option_meaning(option)
    default = _default(option)
    if default:
        text += say(" Default: {what}.", "默认：{what}。", what=default)
    return name, text + (say(" Required.", "必填。") if option.required else "")


def option_meaning(option: Any) -> str:
    """Return the help of an option in the language of the user."""
    english = option.help or ""
    return OPTIONS.get(english, english) if language() == "zh" else english


def _default(option: Any) -> str:
    if option.secondary_opts:
        return "" if option.default is None else (option.opts if option.default else option.secondary_opts)[0]
    if option.is_flag or option.default is None or option.default in ((), [], ""):
        return ""
    return str(option.default)


def _rows(rows: Sequence[tuple[str, str]], room: int) -> Iterator[str]:
    names = min(max(render.width(name) for name, _ in rows), _MOST)
    for name, text in rows:
        lead = f"  {render.pad(name, names)}  "
        if render.width(name) > names:
            yield f"  {name}"
            lead = " " * (names + 4)
        lines = wrapped(text, " " * (names + 4), room=room)
        yield (lead + lines[0].lstrip()).rstrip() if lines else lead.rstrip()
        yield from lines[1:]


def _of_language(pair: tuple[str, str]) -> str:
    return pair[1] if language() == "zh" else pair[0]
