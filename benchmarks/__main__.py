"""``python -m benchmarks CONTEST [--render] [--list]``; see `harness.command`."""

import sys

from .harness.command import main

if __name__ == "__main__":
    sys.exit(main())
