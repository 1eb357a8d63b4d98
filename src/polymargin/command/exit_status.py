"""What the command line says by its exit status, and how a misuse is told."""

OK, FAILED, MISUSED, UNCONVERGED, INTERRUPTED = 0, 1, 2, 3, 130  # 128 + SIGINT

STATUSES = """\
exit status:
  0    done
  1    a file or the data in it is at fault, or cannot be written
  2    the command line is at fault
  3    the model is written, but training ended before it reached --tol
  130  stopped by Ctrl-C; `train` keeps the model trained so far
"""


class UsageError(ValueError):
    """The words of the command line do not go together."""
