"""Numbers of things, in words."""


def counted(number: int, things: str) -> str:
    """Return "1 epoch", or "1,200 epochs": `things` is the plural, and ends with s."""
    return f"{number:,} {things if number != 1 else things.removesuffix('s')}"
