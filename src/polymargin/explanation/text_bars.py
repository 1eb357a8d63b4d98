"""Names with numbers as lines of text, each with a bar."""

_WIDEST = 43  # letters of a name: then a line without values has 80


def name_of(feature: str | int) -> str:
    """Return a feature as people read it; without a name it has a number."""
    return feature if isinstance(feature, str) else f"[{feature}]"


def shortened(name: str, most: int) -> str:
    """Return the beginning and the end of a name that is too long: a column of a table
    has features whose names differ at the end.

    Examples
    --------
    >>> shortened("how do you like it? = not at all", 20)
    'how do y...ot at all'
    """
    if len(name) <= most:
        return name
    head = (most - 3) // 2
    return f"{name[:head]}...{name[len(name) - (most - 3 - head) :]}"


def bars(
    rows: list[tuple[str, str, float]],
    width: int = 20,
    spreads: list[float] | None = None,
) -> list[str]:
    """Return a line for each name, value and number, with a bar as long as it.

    Behind a number stands its spread, if there are any.
    """
    if not rows:
        return ["  none"]
    rows = [(shortened(name, _WIDEST), value, number) for name, value, number in rows]
    names, values, _ = zip(*rows, strict=True)
    longest = max(abs(number) for *_, number in rows) or 1.0
    of_names, of_values = (max(map(len, column)) for column in (names, values))
    lines = []
    for at, (name, value, number) in enumerate(rows):
        filled = round(width * abs(number) / longest)
        sign = "+" if number > 0 else "-"
        line = f"  {name:<{of_names}}"
        line += f"  {value:>{of_values}}" if of_values else ""
        line += f"  {number:>+10.4g}"
        line += f" ± {spreads[at]:<7.2g}" if spreads else ""
        lines.append(f"{line}  {sign * filled}".rstrip())
    return lines
