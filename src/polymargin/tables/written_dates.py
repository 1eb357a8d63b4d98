"""Dates as people and programs write them."""

_DAYS = ("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y")
_DAYS += ("%m-%d-%Y", "%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%d %b %Y", "%d-%b-%Y")
_DAYS += ("%Y.%m.%d", "%b %d, %Y", "%b %d %Y", "%d-%b-%y", "%a, %d %b %Y")
_DAYS += ("%a %b %d %Y", "%Y年%m月%d日")
_TIMES = ("", " %H:%M:%S", "T%H:%M:%S", " %H:%M", "T%H:%M", " %I:%M:%S %p", " %I:%M %p")
DATES = (*(day + time for day in _DAYS for time in _TIMES), "%Y-%m", "%b %Y", "%m/%Y")
# What follows the seconds of a clock: parts of one, the half of the day, a zone.
_CLOCK = (
    r"(?P<seconds>:\d\d)(?:[.,]\d+)?(?P<half> [AaPp][Mm])?"
    r" ?(?:Z|UTC|GMT)?(?:(?P<sign>[+-])(?P<hours>\d\d?):?(?P<minutes>\d\d)?)?"
    r"(?: \(.*\))?$"
)


def dates_of_form(words, form: str):
    """Return words as dates of a form, null if they are none; with a zone, in UTC.

    Parameters
    ----------
    words : pyarrow ChunkedArray of strings
        Null where a cell is missing.
    form : str
        One of DATES. %b is also the name of a month in full.

    Returns
    -------
    dates : pyarrow ChunkedArray of timestamps
    """
    import pyarrow.compute as pc

    plain = pc.replace_substring_regex(words, _CLOCK, r"\1\2")
    dates = pc.strptime(plain, format=form, unit="s", error_is_null=True)
    year = r"\d{4}" if "%Y" in form else r"\b\d\d\b"  # which may be shorter there
    dates = pc.if_else(pc.match_substring_regex(words, year), dates, None)
    return pc.subtract(dates, _ahead_of_utc(words))


def _ahead_of_utc(words):
    """Return by how much the zones of clocks are ahead; 0 where there is none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    parts = pc.extract_regex(words, _CLOCK)
    hours, minutes = (
        pc.cast(pc.if_else(pc.equal(part, ""), "0", part), pa.int64())
        for part in (pc.struct_field(parts, name) for name in ("hours", "minutes"))
    )
    ahead = pc.add(pc.multiply(hours, 3600), pc.multiply(minutes, 60))
    west = pc.equal(pc.struct_field(parts, "sign"), "-")
    ahead = pc.if_else(west, pc.negate(ahead), ahead)
    return pc.cast(pc.fill_null(ahead, 0), pa.duration("s"))
