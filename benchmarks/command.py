"""What the command lines of the benchmarks share."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from threadpoolctl import threadpool_limits

from .fresh import ROOT


def add_common_arguments(parser: argparse.ArgumentParser, folder: str) -> None:
    """Add --resume, --render and --folder, kept in a folder of build/ by default."""
    parser.add_argument(
        "--resume", action="store_true", help="skip what is measured already"
    )
    parser.add_argument(
        "--render", action="store_true", help="measure nothing, show what is there"
    )
    parser.add_argument(
        "--folder",
        type=Path,
        default=ROOT / "build" / folder,
        help=f"where results are kept (build/{folder})",
    )


def guarded(task: Callable[[], None]) -> int:
    """Run a task with BLAS on one thread; returns the exit status.

    What is missing or fails is said in one line on stderr.
    """
    try:
        with threadpool_limits(limits=1):
            task()
    except (FileNotFoundError, ImportError, RuntimeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted: continue with --resume", file=sys.stderr)
        return 130
    return 0
