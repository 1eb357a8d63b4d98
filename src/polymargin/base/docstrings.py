"""Paragraphs that are filled into docstrings when a class is made."""

import re
import textwrap


def fill_in(text: str, placeholder: str, paragraph: str) -> str:
    """Put a paragraph in the place of a line, as far to the right as that is.

    Python 3.13 and later take the indentation of a docstring away, others do not.
    """
    found = re.search(f"^( *){re.escape(placeholder)}", text, re.MULTILINE)
    if found is None:
        return text
    filled = textwrap.fill(
        paragraph,
        width=88,
        initial_indent=found[1],
        subsequent_indent=found[1],
        break_on_hyphens=False,
    )
    return text.replace(found[0], filled)
