"""Numbers of bytes as people write them, and how many there are to have."""

import os
import re
from numbers import Real
from pathlib import Path

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_BINARY = {"ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}
_NUMBER = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([kmgt]i?)?b?\s*", re.IGNORECASE)


def parse_bytes(value, name: str) -> int:
    """Return a number of bytes.

    Parameters
    ----------
    value : number or str
        Such as 2e9, "2GB", "1.5 GiB" or "500M".
    name : str
        Of the argument, for the message.

    Examples
    --------
    >>> parse_bytes("2GB", "memory_limit"), parse_bytes("1.5 KiB", "memory_limit")
    (2000000000, 1536)
    """
    number = value
    if isinstance(value, str):
        found = _NUMBER.fullmatch(value)
        number = (
            found and float(found[1]) * (_UNITS | _BINARY)[(found[2] or "").lower()]
        )
    usable = isinstance(number, Real) and not isinstance(number, bool)
    if not usable or not 0 < number < float("inf"):
        raise ValueError(
            f"{name}={value!r} is not a number of bytes; write 2e9 or '2GB', for "
            f"example."
        )
    return int(number)


def format_bytes(number: float) -> str:
    """Return a number of bytes as people write it.

    Examples
    --------
    >>> format_bytes(1536), format_bytes(2.5e9)
    ('1.54 kB', '2.5 GB')
    """
    for unit in ("bytes", "kB", "MB", "GB"):
        if number < 1000:
            return f"{number:.3g} {unit}"
        number /= 1000
    return f"{number:.3g} TB"


def half_of_free_memory() -> int:
    """Return half of the memory that programs could have now."""
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024 // 2
    except (OSError, ValueError):
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, ValueError, OSError):  # not POSIX
        return 2**30
