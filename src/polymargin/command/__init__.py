"""The command line: ``polymargin <subcommand>``, one module for each of them.

A module here is a subcommand if it is listed in `SUBCOMMANDS`. It has `HELP`, one line;
`EXAMPLES`, what ``--help`` ends with; `INTERRUPTED`, what to say after Ctrl-C;
`add_arguments(parser)`; and `run(arguments)`, which returns the exit status. It may
have `translate(words)`, which turns habits of other programs into our options. What a
module needs beside the standard library it imports in `run`: ``--help`` is quick.
"""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from .._version import __version__
from .brief_parser import BriefParser
from .exit_status import FAILED, INTERRUPTED, MISUSED, STATUSES, UsageError
from .standard_streams import flush_output, in_one_line, notes_on_stderr, silence_output

SUBCOMMANDS = (
    "train",
    "predict",
    "evaluate",
    "tune",
    "compare",
    "convert",
    "inspect",
    "explain",
    "demo",
    "completion",
)
_EXAMPLES = """\
in two lines:
  polymargin train news.svm                  # writes news.polymargin
  polymargin predict new.svm news.polymargin # a label for each row

`polymargin <command> --help` has examples of each command.
"""


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    words : sequence of str or None
        The arguments; those of the process if None.

    Returns
    -------
    status : int
        As in `usage.STATUSES`. Failures come after one sentence that says why.
    """
    words = list(sys.argv[1:] if words is None else words)
    command = words[0] if words and words[0] in SUBCOMMANDS else None
    prog = " ".join(filter(None, ["polymargin", command]))
    try:
        with notes_on_stderr(prog):
            status = _run(words, command)
        flush_output()
        return status
    except BrokenPipeError:
        # Who reads only the head of the output has seen enough.
        silence_output()
        return 0
    except UsageError as error:
        return _fail(prog, error, MISUSED)
    except (ValueError, TypeError, OSError, ImportError, MemoryError) as error:
        return _fail(prog, error, FAILED)
    except KeyboardInterrupt:
        return _fail(prog, _module(command).INTERRUPTED, INTERRUPTED)


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of what comes before a subcommand."""
    parser = _parser(
        "polymargin",
        "Multi-class support vector machines, for those who use files.",
        _EXAMPLES,
    )
    parser.add_argument("--version", action="version", version=__version__)
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="command")
    for name in SUBCOMMANDS:
        subparsers.add_parser(name, help=_module(name).HELP)
    return parser


def make_command_parser(command: str) -> argparse.ArgumentParser:
    """Return the parser of what comes after a subcommand."""
    module = _module(command)
    parser = _parser(
        f"polymargin {command}", module.HELP, f"examples:\n{module.EXAMPLES}"
    )
    module.add_arguments(parser)
    return parser


def _parser(prog: str, description: str, examples: str) -> argparse.ArgumentParser:
    return BriefParser(
        prog=prog,
        description=description,
        epilog=f"{examples}\n{STATUSES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def _run(words: list[str], command: str | None) -> int:
    try:
        if command is None:
            make_parser().parse_args(words)  # help, or misuse: it does not come back
        module = _module(command)
        words = getattr(module, "translate", list)(words[1:])
        arguments = make_command_parser(command).parse_intermixed_args(words)
    except SystemExit:
        flush_output()
        raise
    return module.run(arguments)


def _module(command: str):
    return import_module(f".{command}", __name__)


def _fail(prog: str, why: Exception | str, status: int) -> int:
    try:
        flush_output()
    except OSError:  # perhaps the very reason
        silence_output()
    print(f"{prog}: {in_one_line(why)}", file=sys.stderr)
    return status
