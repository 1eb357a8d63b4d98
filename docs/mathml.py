"""A hook of MkDocs: formulas become MathML when the site is built.

A page writes ``$...$`` in a line and a block fenced as ``math``, as GitHub shows them
too. Browsers draw MathML by themselves, so the site needs no script for it.
"""

import html
import re

from latex2mathml.converter import convert

FORMULA = re.compile(
    r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', re.DOTALL
)


def on_page_content(content: str, **_) -> str:
    """Replace what pymdownx.arithmatex has marked."""
    return FORMULA.sub(_to_mathml, content)


def _to_mathml(found: re.Match) -> str:
    tag, latex = found[1], html.unescape(found[2]).strip()
    formula = convert(latex, display="block" if tag == "div" else "inline")
    return f'<{tag} class="formula">{formula}</{tag}>'
