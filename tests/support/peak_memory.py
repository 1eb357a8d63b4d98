"""How much memory a process has had, for scripts that tests run."""

from pathlib import Path

STATUS = Path("/proc/self/status")
KNOWN = STATUS.exists()


def peak() -> int:
    """Return the most bytes that this process ever held.

    Not ru_maxrss, which begins at what the parent had.
    """
    lines = STATUS.read_text().splitlines()
    line = next(line for line in lines if line.startswith("VmHWM"))
    return 1024 * int(line.split()[1])
