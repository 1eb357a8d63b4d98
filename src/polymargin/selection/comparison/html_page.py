"""A page of HTML: one file, no network, no script, for screen, phone and paper."""

from collections.abc import Sequence
from html import escape
from importlib.resources import files


def section(key: str, heading: str, body: str) -> tuple[str, str, str]:
    """Return a section of a page: its name in links, its heading, its HTML."""
    return (
        key,
        heading,
        f'<section id="{key}">\n<h2>{escape(heading)}</h2>\n{body}\n</section>',
    )


def figure(svg: str, caption: str) -> str:
    """Return a plot with its caption."""
    return f"<figure>\n{svg}\n<figcaption>{escape(caption)}</figcaption>\n</figure>\n"


def html_page(
    brand: str,
    title: str,
    header: Sequence[str],
    sections: Sequence[tuple[str, str, str]],
    footer: str,
) -> str:
    """Return a whole page.

    Parameters
    ----------
    brand : str
        The command that makes it.
    title : str
        Plain text.
    header : sequence of str
        HTML below the title; links to the sections come after the first.
    sections : sequence of (str, str, str)
        As `section` returns them.
    footer : str
        HTML.
    """
    style = files(__package__).joinpath("page.css").read_text(encoding="utf-8")
    links = " ".join(
        f'<a href="#{key}">{escape(heading)}</a>' for key, heading, _ in sections
    )
    nav = f'<nav aria-label="Sections">{links}</nav>'
    head = "\n".join([*header[:1], nav, *header[1:]])
    body = "\n\n".join(html for _, _, html in sections)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="{escape(brand)}">
<title>{escape(title)}</title>
<style>
{style}</style>
</head>
<body>
<header>
<p class="brand">{escape(brand)}</p>
<h1>{escape(title)}</h1>
{head}
</header>
<main>
{body}
</main>
<footer><p>{footer}</p></footer>
</body>
</html>
"""
