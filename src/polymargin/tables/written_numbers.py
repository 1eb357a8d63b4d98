"""Numbers as people write them: 1,234.5 or 1.234,5, as a share, a sum or with a unit.

A way to write them is called by an example, to which the unit is added if there is one:
"number, as 1,234.5 kg". Times of day and durations are numbers, too: of hours.
"""

import re

# What a column of such numbers is called in a model file.
POINT, COMMA = "number, as 1,234.5", "number, as 1.234,5"
TIMES = ("time, as 12:30", "time, as 12:30:59", "time, as 1:30 PM")
_MONEY = "$€£¥₹₽₩₺"
_CODES = r"USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|BRL|US\$|C\$|A\$|R\$|Rs\.?"
_BEFORE = rf"[+-]?(?:[{_MONEY}]|{_CODES})? ?[+-]?"
_SPACES = " \u00a0\u202f\u2009'\u2019"  # and apostrophes, between groups of digits
_GROUPS = rf"[1-9]\d{{0,2}}(?:[{_SPACES}]\d{{3}})+"
_DIGITS = {
    POINT: rf"(?:[1-9]\d{{0,2}}(?:,\d{{3}})+|{_GROUPS}|\d+)(?:\.\d+)?",
    COMMA: rf"(?:[1-9]\d{{0,2}}(?:\.\d{{3}})+|{_GROUPS}|\d+)(?:,\d+)?",
}
_OWED = r"^\(([^()]*\d[^()]*)\)$"  # as accounts have what is below zero
_AFTER = rf" ?(?:[%{_MONEY}]|{_CODES})?$"
_UNIT = re.compile(r"[+-]?[\d.,]*\d ?([^\W\d_][^\s\d.,;:-]{0,11}[23]?|[°'\"][CF]?)")
_CLOCKS = {
    TIMES[0]: r"^(?P<h>\d{1,3}):(?P<m>[0-5]\d)$",
    TIMES[1]: r"^(?P<h>\d{1,3}):(?P<m>[0-5]\d):(?P<s>[0-5]\d(?:\.\d+)?)$",
    TIMES[2]: r"^(?P<h>0?[1-9]|1[0-2]):(?P<m>[0-5]\d) ?(?P<half>[AaPp])\.?[Mm]\.?$",
}


def styles_for(delimiter: str) -> tuple[str, str]:
    """Return both styles, the likelier one first: 1,234 is a thousand and more where
    columns are separated by a comma, and little more than one where by a semicolon.
    """
    return (COMMA, POINT) if delimiter == ";" else (POINT, COMMA)


def is_style(kind: str) -> bool:
    """Whether this is a way to write numbers, with a unit or without."""
    return kind.startswith((POINT, COMMA))


def unit_of(word: str) -> str:
    """Return what follows the digits of a number, one word; "" if nothing does.

    Examples
    --------
    >>> unit_of("12.5 kg"), unit_of("37°C"), unit_of("3 years"), unit_of("12a4")
    ('kg', '°C', 'years', '')
    """
    found = _UNIT.fullmatch(word)
    return found[1] if found else ""


def numbers_in_style(words, style: str):
    """Return words as numbers, or None if one of them is none in this style.

    Parameters
    ----------
    words : pyarrow ChunkedArray of strings
        Null where a cell is missing.
    style : str
        POINT or COMMA; with a unit, all of them have it. One year and two years are of
        one unit.

    Returns
    -------
    numbers : pyarrow ChunkedArray of float64 or None
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    words = pc.replace_substring_regex(words, _OWED, r"-\1")
    words = pc.replace_substring(words, "\u2212", "-")
    digits = POINT if style.startswith(POINT) else COMMA
    unit = style[len(digits) :].strip()
    after = rf" ?{re.escape(unit.removesuffix('s'))}s?$" if unit else _AFTER
    pattern = f"^(?P<before>{_BEFORE})(?P<digits>{_DIGITS[digits]}){after}"
    if not _all_match(words, pattern):
        return None
    parts = pc.extract_regex(words, pattern)
    plain = pc.struct_field(parts, "digits")
    groups, point = (",", ".") if digits == POINT else (".", ",")
    plain = pc.replace_substring_regex(plain, f"[{groups}{_SPACES}]", "")
    numbers = pc.cast(pc.replace_substring(plain, point, "."), pa.float64())
    negative = pc.match_substring(pc.struct_field(parts, "before"), "-")
    return pc.if_else(negative, pc.negate(numbers), numbers)


def hours(words, clock: str):
    """Return times as hours, or None if one of them is none; see `numbers_in_style`."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not _all_match(words, _CLOCKS[clock]):
        return None
    parts = pc.extract_regex(words, _CLOCKS[clock])
    part = {field.name: pc.struct_field(parts, field.name) for field in parts.type}
    hour, minute = (pc.cast(part[name], pa.float64()) for name in "hm")
    if "half" in part:  # 12 AM is midnight
        hour = pc.if_else(pc.equal(hour, 12), 0.0, hour)
        late = pc.equal(pc.utf8_lower(part["half"]), "p")
        hour = pc.if_else(late, pc.add(hour, 12.0), hour)
    found = pc.add(hour, pc.divide(minute, 60.0))
    if "s" in part:
        found = pc.add(found, pc.divide(pc.cast(part["s"], pa.float64()), 3600.0))
    return found


def _all_match(words, pattern: str) -> bool:
    import pyarrow.compute as pc

    matches = pc.match_substring_regex(words, pattern)
    return bool(pc.all(matches, min_count=0).as_py())  # of missing cells, all do
