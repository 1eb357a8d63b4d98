"""The command line: ``polymargin <subcommand>``, one module for each of them.

A module here is a subcommand if it is listed in `SUBCOMMANDS`. It has `HELP`, one line;
`INTERRUPTED`, what to say after Ctrl-C; `add_arguments(parser)`; and `run(arguments)`,
which returns the exit status.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from .._version import __version__

SUBCOMMANDS = ("compare",)
_INTERRUPTED = 130  # 128 + SIGINT, as shells have it


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    words : sequence of str or None
        The arguments; those of the process if None.

    Returns
    -------
    status : int
        0; 1 if it failed, after one sentence that says why; 130 after Ctrl-C.
    """
    parser = argparse.ArgumentParser(
        prog="polymargin", description="Multi-class support vector machines."
    )
    parser.add_argument("--version", action="version", version=__version__)
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="command")
    modules = {name: import_module(f".{name}", __name__) for name in SUBCOMMANDS}
    for name, module in modules.items():
        module.add_arguments(
            subparsers.add_parser(name, help=module.HELP, description=module.HELP)
        )
    arguments = parser.parse_args(words)
    try:
        return modules[arguments.command].run(arguments)
    except BrokenPipeError:
        # Who reads only the head of the tables has seen enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ValueError, TypeError, OSError) as error:
        print(f"polymargin {arguments.command}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        told = modules[arguments.command].INTERRUPTED
        print(f"polymargin {arguments.command}: {told}", file=sys.stderr)
        return _INTERRUPTED
