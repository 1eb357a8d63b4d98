"""Dates as people and programs write them."""

_DAYS = ("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y")
_DAYS += ("%m-%d-%Y", "%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%d %b %Y", "%d-%b-%Y")
_DAYS += ("%Y.%m.%d", "%b %d, %Y", "%b %d %Y", "%d-%b-%y", "%a, %d %b %Y")
_TIMES = ("", " %H:%M:%S", "T%H:%M:%S", " %H:%M", "T%H:%M", " %I:%M:%S %p", " %I:%M %p")
DATES = (*(day + time for day in _DAYS for time in _TIMES), "%Y-%m", "%b %Y", "%m/%Y")
# Parts of a second, and the zone of a clock, which are left out.
_CLOCK = r"(:\d\d)[.,]?\d*( ?(Z|UTC|GMT|[+-]\d\d:?\d\d))?$"


def dates_of_form(words, form: str):
    """Return words as dates of a form, null if they are none.

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

    words = pc.replace_substring_regex(words, _CLOCK, r"\1")
    dates = pc.strptime(words, format=form, unit="s", error_is_null=True)
    year = r"\d{4}" if "%Y" in form else r"\b\d\d\b"  # which may be shorter there
    return pc.if_else(pc.match_substring_regex(words, year), dates, None)
