"""The machine and the versions something was run with."""

import io
import os
import platform
from contextlib import redirect_stdout
from datetime import UTC, datetime
from pathlib import Path

from ..._config import show_config


def environment() -> dict[str, str]:
    """Return date, processor, cores, memory and versions, in words."""
    with redirect_stdout(io.StringIO()):
        config = show_config()
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "processor": processor(),
        "cores": str(os.cpu_count()),
        "memory": f"{memory_bytes() / 2**30:.0f} GiB" if memory_bytes() else "unknown",
        **{name: str(value) for name, value in config.items()},
    }


def processor() -> str:
    """Return the name of the processor."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def memory_bytes() -> int:
    """Return the size of the memory; 0 if the system does not tell."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 0
