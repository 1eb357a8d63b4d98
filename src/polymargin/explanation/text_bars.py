"""Names with numbers as lines of text, each with a bar."""


def name_of(feature: str | int) -> str:
    """Return a feature as people read it; without a name it has a number."""
    return feature if isinstance(feature, str) else f"[{feature}]"


def bars(rows: list[tuple[str, str, float]], width: int = 20) -> list[str]:
    """Return a line for each name, value and number, with a bar as long as it."""
    if not rows:
        return ["  none"]
    names, values, _ = zip(*rows, strict=True)
    longest = max(abs(number) for *_, number in rows) or 1.0
    of_names, of_values = (max(map(len, column)) for column in (names, values))
    lines = []
    for name, value, number in rows:
        filled = round(width * abs(number) / longest)
        sign = "+" if number > 0 else "-"
        cells = (
            f"  {name:<{of_names}}  {value:>{of_values}}"
            if of_values
            else (f"  {name:<{of_names}}")
        )
        lines.append(f"{cells}  {number:>+10.4g}  {sign * filled}".rstrip())
    return lines
