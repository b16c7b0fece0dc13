"""The command line: parse, call one method of Library, render. Results go to stdout, everything else to stderr."""

from __future__ import annotations

import os
import sys
from typing import Any

EXIT_INTERRUPTED = 130
EXIT_FAULT = 70


def main(arguments: list[str] | None = None) -> None:
    """Run `yinju` with these arguments (the process's own for None) and exit with the code of DESIGN part 1."""
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: list[str]) -> int:
    """Run a command and return its exit code. Every error becomes a message with a hint: no traceback, unless `YINJU_DEBUG` is set."""
    try:
        return _run(arguments)
    except KeyboardInterrupt:  # while the programs are loaded, or once more while it stops
        return _stopped()


def _run(arguments: list[str]) -> int:
    import typer

    from yinju.errors import UsageError, YinjuError
    from yinju.messages import say, set_language

    _speak_utf8()
    set_language(None)
    if arguments in ([], ["eval"], ["model"], ["token"]):  # a group without a command
        arguments = [*arguments, "--help"]
    as_json = "--json" in arguments and arguments[:1] != ["mcp"]  # whose stdout belongs to the protocol
    try:
        code = _commands(arguments)(args=arguments, prog_name="yinju", standalone_mode=False)
        sys.stdout.flush()
        if code == EXIT_INTERRUPTED:  # what typer makes of Ctrl-C
            return _stopped()
        return code if isinstance(code, int) else 0
    except typer.TyperException as error:
        hint = _usage(error)
        if hasattr(error, "option_name") and "possibilities" in vars(error):  # no such option: it may be a question
            more = say('Before a text that begins with "-" write --.', "以“-”开头的文本之前请写 --。")
            hint = f"{hint} {more}"
        usage = UsageError(error.format_message(), hint)
        return _report(usage, as_json)
    except YinjuError as error:
        return _report(error, as_json)
    except typer.Abort:
        return _stopped()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if os.environ.get("YINJU_DEBUG"):
            raise
        text = say(
            "This is a fault of Yinju: {kind}: {why}",
            "这是引据自身的故障：{kind}：{why}",
            kind=type(error).__name__,
            why=error,
        )
        hint = say(
            "Run again with YINJU_DEBUG=1 and report what it prints.",
            "请设 YINJU_DEBUG=1 重新运行，并报告所显示的内容。",
        )
        return _report(YinjuError(text, hint), as_json)


def _usage(error: Any) -> str:
    """Return how the command is written whose arguments were wrong, or where that stands."""
    from yinju.messages import say

    context = getattr(error, "ctx", None)
    if context is None:
        return say("See `yinju --help`.", "用法见 `yinju --help`。")
    see = say("See `{command} --help`.", "用法见 `{command} --help`。", command=context.command_path)
    about_an_option = type(error).__name__ != "UsageError"
    if about_an_option or hasattr(context.command, "commands"):  # of a group: there is no such command
        return see
    written = [one.metavar for one in context.command.params if one.param_type_name == "argument"]
    library = " [--library DIR]" if any(one.name == "library" for one in context.command.params) else ""
    text = say("Write `{usage}`.", "请写 `{usage}`。", usage=" ".join([context.command_path, *written]) + library)
    return f"{text} {see}"


def _commands(arguments: list[str]) -> Any:
    """Return the table of commands; `mcp` comes alone, because a client waits for its handshake."""
    if arguments[:1] != ["mcp"] or {"-h", "--help"} & set(arguments):
        from yinju.cli.app import app

        return app
    import typer

    from yinju.cli.mcp import mcp

    alone = typer.Typer(
        pretty_exceptions_enable=False, rich_markup_mode=None, add_completion=False, context_settings={"help_option_names": ["-h", "--help"]}
    )  # fmt: skip
    alone.command("mcp")(mcp)
    alone.callback()(lambda: None)
    return alone


def _stopped() -> int:
    from yinju.messages import say

    print(say("Stopped. What was done so far is kept.", "已停止。已完成的部分都已保存。"), file=sys.stderr)
    return EXIT_INTERRUPTED


def _report(error: object, as_json: bool) -> int:
    from yinju.cli.render import emit_json, error_json, flat
    from yinju.errors import YinjuError
    from yinju.messages import say

    assert isinstance(error, YinjuError)
    if as_json:
        emit_json(error_json(error))
    else:
        print(f"{say('Error', '出错')}: {flat(error.message)}", file=sys.stderr)
        if error.hint:
            print(f"  → {flat(error.hint)}", file=sys.stderr)
    return error.exit_code


def _speak_utf8() -> None:
    """Chinese must not fail on a terminal or pipe with another encoding; names that are no text come out escaped."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
