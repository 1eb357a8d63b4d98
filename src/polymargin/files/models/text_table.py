"""Tables of text."""


def table(rows: list[tuple], n_left_out: int = 0) -> list[str]:
    """Return rows as indented lines, the first column to the left, others to the right.

    Parameters
    ----------
    rows : list of tuple of str
        All of the same length.
    n_left_out : int
        How many more there are, which a last line says.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for first, *others in rows:
        cells = [first.ljust(widths[0])]
        cells += [
            cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)
        ]
        lines.append("  " + "  ".join(cells).rstrip())
    if n_left_out:
        lines.append(f"  ... and {n_left_out:,} more")
    return lines
