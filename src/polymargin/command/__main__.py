"""``python -m polymargin.command`` is ``polymargin``."""

import sys

from . import main

sys.exit(main())
