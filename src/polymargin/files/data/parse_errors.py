"""One sentence for what is wrong with a text."""

_LONGEST = 40  # characters to show of what was found
_MARKS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}


def without_byte_order_mark(text: memoryview, name: str) -> memoryview:
    """Take the byte-order mark away; an error if it is not that of UTF-8."""
    start = bytes(text[:3])
    if start[:2] in _MARKS:
        raise ValueError(
            f"{name} is text in {_MARKS[start[:2]]}; save it as UTF-8, or, if it is "
            f"a table, give --encoding utf-16."
        )
    return text[3:] if start == b"\xef\xbb\xbf" else text


def check_utf8(text: memoryview, name: str) -> None:
    """Raise ValueError if text is not in UTF-8, and say in which line."""
    try:
        zero = str(text, "utf-8").find("\0")
        if zero >= 0:
            line = str(text, "utf-8").count("\n", 0, zero) + 1
            raise ValueError(
                f"{name}, line {line}: a byte is zero, which is no text; save the file "
                f"again as a table."
            )
    except UnicodeDecodeError as error:
        line = bytes(text[: error.start]).count(b"\n") + 1
        raise ValueError(
            f"{name}, line {line}: the byte 0x{text[error.start]:02x} is no text in "
            f"UTF-8; save it as that, or name its encoding, such as --encoding cp1252."
        ) from None


def parse_error_message(name: str, failure: dict) -> str:
    """Say where, what was expected and what was found.

    Parameters
    ----------
    name : str
        Of the source.
    failure : dict
        line, column, expected, and found, the bytes of a word.
    """
    found = failure["found"].decode("utf-8", "backslashreplace")
    if len(found) > _LONGEST:
        found = found[: _LONGEST - 3] + "..."
    return (
        f"{name}, line {failure['line']}, column {failure['column']}: expected "
        f"{failure['expected']}, found {repr(found) if found else 'nothing'}."
    )
