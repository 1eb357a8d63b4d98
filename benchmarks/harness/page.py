"""The stamps of a page, and the rule that none shows uncommitted changes."""

from collections.abc import Iterable

from .markdown import markdown_table
from .records import DIRTY

PER_RUN = ("date", "command", "load")
SHOWN = ("command", "date", "processor", "commit", "instruction set")


def refuse_uncommitted(records: Iterable[dict]) -> None:
    """Raise if a record was measured with uncommitted changes."""
    for record in records:
        name = record["environment"].get("commit", "")
        if name.endswith(DIRTY):
            raise RuntimeError(
                f"no page is written, for table {record['table']} on {record['data']} "
                f"was measured with uncommitted changes ({name}); commit them and "
                "measure it again."
            )


def machines(records: list[dict]) -> list[str]:
    """The machines behind the records: once if it is one, else all, with a warning."""
    distinct: dict[tuple, list[dict]] = {}
    for record in records:
        described = record["environment"].items()
        key = tuple(item for item in described if item[0] not in PER_RUN)
        distinct.setdefault(key, []).append(record)
    parts = ["## Machine"] if distinct else []
    if len(distinct) > 1:
        parts.append("**The results below come from different machines or versions.**")
    for key, group in distinct.items():
        if len(distinct) > 1:
            names = [f"{record['table']} ({record['data']})" for record in group]
            parts.append(f"Tables {', '.join(names)}:")
        commands = {one["environment"]["command"]: one for one in group}
        lines = [
            f"- `{command}`, {record['environment']['date']}"
            for command, record in commands.items()
        ]
        parts.append(markdown_table(["machine", "value"], key, numbers=False))
        parts.append("\n".join(["Commands:", "", *lines]))
    return [*parts, *_load(records)]


def runs(records: list[dict]) -> list[str]:
    """The commands behind the records, as a table."""
    found = dict.fromkeys(
        tuple(record["environment"].get(key, "") for key in SHOWN) for record in records
    )
    if not found:
        return []
    return [markdown_table(SHOWN, found, numbers=False), *_load(records)]


def _load(records: list[dict]) -> list[str]:
    """What else the machine was doing."""
    stamps = [record["environment"] for record in records]
    loads = [float(one["load"]) for one in stamps if "load" in one]
    if not loads:
        return []
    cores = min((int(one["cores"]) for one in stamps if "cores" in one), default=1)
    note = f"Load average when measurements began: {min(loads):g} to {max(loads):g}."
    if max(loads) > cores:
        note += " **The machine was shared with other work: seconds are noisy.**"
    return [note]
