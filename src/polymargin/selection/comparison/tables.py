"""Tables, and how they look in a terminal, in Markdown and in HTML."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

WORSE = "†"  # significantly worse than the best of its line
NONE = "-"


@dataclass(frozen=True)
class Cell:
    """A value in words; the best of its line is bold, one that is worse has a mark.

    What is less important, such as its spread, is a note beside it.
    """

    text: str
    bold: bool = False
    worse: bool = False
    note: str = ""

    def __str__(self) -> str:
        text = self.text + (WORSE if self.worse else "")
        return f"{text} {self.note}" if self.note else text


@dataclass(frozen=True)
class Table:
    """A title, a header, lines of cells, and what the reader has to know.

    Attributes
    ----------
    key : str
        Its place in a page.
    numbers : bool
        Whether all columns but the first are numbers.
    """

    key: str
    title: str
    header: Sequence[str]
    lines: list[list[Cell]] = field(default_factory=list)
    caption: str = ""
    numbers: bool = True

    def as_text(self) -> str:
        """Return the table for a terminal; the best have a star."""
        cells = [
            [f"{cell}{'*' if cell.bold else ''}" for cell in line]
            for line in self.lines
        ]
        columns = zip(self.header, *cells, strict=True)
        widths = [max(map(len, column)) for column in columns]
        rule = "  ".join("-" * width for width in widths)

        def row(words: Sequence[str]) -> str:
            first, *rest = zip(words, widths, strict=True)
            align = str.rjust if self.numbers else str.ljust
            aligned = [first[0].ljust(first[1]), *(align(w, n) for w, n in rest)]
            return "  ".join(aligned).rstrip()

        head = [self.title, rule, row(self.header), rule]
        # A terminal may have no bold.
        caption = self.caption.replace("in bold", "with a star")
        tail = [caption.replace("bold:", "star:")] if caption else []
        return "\n".join([*head, *map(row, cells), rule, *tail])

    def as_markdown(self) -> str:
        """Return the table in Markdown, with a heading."""
        rule = ["---", *["---:" if self.numbers else "---"] * (len(self.header) - 1)]
        lines = [[_markdown(cell) for cell in line] for line in self.lines]
        header = [_escaped(name) for name in self.header]
        rows = "\n".join(f"| {' | '.join(row)} |" for row in [header, rule, *lines])
        caption = f"\n\n{self.caption}" if self.caption else ""
        return f"## {self.title}\n\n{rows}{caption}\n"

    def as_html(self) -> str:
        """Return the table in HTML, in a box that scrolls by itself."""
        head = "".join(f'<th scope="col">{escape(name)}</th>' for name in self.header)
        body = "\n".join(
            f'<tr><th scope="row">{escape(str(first))}</th>'
            + "".join(map(_html, rest))
            + "</tr>"
            for first, *rest in self.lines
        )
        kind = "numbers" if self.numbers else "words"
        caption = f'<p class="note">{escape(self.caption)}</p>' if self.caption else ""
        return (
            f'<div class="scroll" role="region" tabindex="0" '
            f'aria-label="{escape(self.title)}">\n<table class="{kind}">\n'
            f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>\n"
            f"</div>\n{caption}"
        )


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


def _markdown(cell: Cell) -> str:
    text = _escaped(str(cell))
    return f"**{text}**" if cell.bold else text


def _html(cell: Cell) -> str:
    text = escape(cell.text)
    if cell.worse:
        text += f'<sup title="significantly worse than the best">{WORSE}</sup>'
    text = f"<b>{text}</b>" if cell.bold else text
    note = f" <small>{escape(cell.note)}</small>" if cell.note else ""
    return f"<td>{text}{note}</td>"


def digits(value: float) -> str:
    """Return three digits, or all those before the point.

    Examples
    --------
    >>> digits(0.01234), digits(12.345), digits(1234.5)
    ('0.0123', '12.3', '1,234')
    """
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:#.3g}".rstrip(".") if value >= 1e-4 or not value else f"{value:.2g}"


def p_value(p: float) -> str:
    """Return a p-value to two digits."""
    return "< 0.0001" if p < 1e-4 else f"{p:.2g}"
