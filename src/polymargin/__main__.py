"""``python -m polymargin`` is ``polymargin``."""

import sys

from .command import main

sys.exit(main())
