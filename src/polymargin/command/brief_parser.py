"""A parser that tells a misuse in one sentence, with the word that was meant."""

import argparse
import re
import sys
from difflib import get_close_matches

from .exit_status import MISUSED


class BriefParser(argparse.ArgumentParser):
    """As argparse's, which prints all of the usage before it says what is wrong."""

    def error(self, message: str):
        """Say what is wrong, what may have been meant, and where to look; then exit."""
        print(f"{self.prog}: {message}{self._meant(message)}", file=sys.stderr)
        print(f"`{self.prog} --help` shows what can be given.", file=sys.stderr)
        sys.exit(MISUSED)

    def _meant(self, message: str) -> str:
        """Return a question with the known word that is closest to an unknown one."""
        unknown = re.search(r"unrecognized arguments: (\S+)", message)
        if unknown:
            word = unknown[1].split("=")[0]
            known = [flag for one in self._actions for flag in one.option_strings]
            known = [flag for flag in known if flag.startswith("--")]
        else:
            choice = re.search(r"invalid choice: '(.*?)' \(choose from (.*)\)", message)
            if choice is None:
                return "."
            word = choice[1]
            known = [name.strip(" '") for name in choice[2].split(",")]
        found = get_close_matches(word, known, n=1)
        if not found:  # the beginning of one
            found = [name for name in known if name.startswith(word)][:1]
        return f"; did you mean {found[0]}?" if found else "."
