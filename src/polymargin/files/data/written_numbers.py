"""Numbers as people write them: 1,234.5 or 1.234,5, as a share or a sum of money."""

# What a column of such numbers is called in a model file.
POINT, COMMA = "number, as 1,234.5", "number, as 1.234,5"
_MONEY = "$€£¥"
_BEFORE, _AFTER = rf"^[+-]?[{_MONEY}]? ?[+-]?", rf" ?[%{_MONEY}]?$"
_PATTERNS = {
    POINT: rf"{_BEFORE}([1-9]\d{{0,2}}(,\d{{3}})+|\d+)(\.\d+)?{_AFTER}",
    COMMA: rf"{_BEFORE}([1-9]\d{{0,2}}(\.\d{{3}})+|\d+)(,\d+)?{_AFTER}",
}


def styles_for(delimiter: str) -> tuple[str, str]:
    """Return both styles, the likelier one first: 1,234 is a thousand and more where
    columns are separated by a comma, and little more than one where by a semicolon.
    """
    return (COMMA, POINT) if delimiter == ";" else (POINT, COMMA)


def numbers_in_style(words, style: str):
    """Return words as numbers, or None if one of them is none in this style.

    Parameters
    ----------
    words : pyarrow ChunkedArray of strings
        Null where a cell is missing.
    style : {POINT, COMMA}

    Returns
    -------
    numbers : pyarrow ChunkedArray of float64 or None
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    matches = pc.match_substring_regex(words, _PATTERNS[style])
    if not pc.all(matches, min_count=0).as_py():  # of missing cells, all do
        return None
    plain = pc.replace_substring_regex(words, r"[^0-9.,+-]", "")
    groups, point = (",", ".") if style == POINT else (".", ",")
    plain = pc.replace_substring(plain, groups, "")
    return pc.cast(pc.replace_substring(plain, point, "."), pa.float64())
