"""The page: the machine, then the tables that there are records for."""

from collections.abc import Sequence

from .markdown import markdown_table
from .render import TITLES


def render(tables: dict[int, list[dict]], notes: Sequence[str] = ()) -> str:
    """The whole page.

    Parameters
    ----------
    tables : dict of int to list of dict
        Records by number of the table; each has the key "environment".
    notes : sequence of str
        Sentences for the reader, such as peers that are missing.
    """
    parts = ["# Benchmarks", "Written by `make bench`.", *notes]
    parts += machines([record for records in tables.values() for record in records])
    for number, records in tables.items():
        if records:
            title, body = TITLES[number]
            parts += [f"## Table {number}. {title}", body(records)]
    return "\n\n".join(parts) + "\n"


def machines(records: list[dict]) -> list[str]:
    """The machines behind the records: once if it is one, else all, with a warning."""
    per_run = {"date", "command"}
    distinct: dict[tuple, list[dict]] = {}
    for record in records:
        described = record["environment"]
        key = tuple(item for item in described.items() if item[0] not in per_run)
        distinct.setdefault(key, []).append(record)
    parts = ["## Machine"] if distinct else []
    if len(distinct) > 1:
        parts.append("**The results below come from different machines or versions.**")
    for key, group in distinct.items():
        if len(distinct) > 1:
            names = [f"{record['table']} ({record['data']})" for record in group]
            parts.append(f"Tables {', '.join(names)}:")
        runs = {record["environment"]["command"]: record for record in group}
        lines = [
            f"- `{command}`, {record['environment']['date']}"
            for command, record in runs.items()
        ]
        parts.append(
            markdown_table(["machine", "value"], [*key]).replace("---:", "---")
        )
        parts.append("\n".join(["Commands:", "", *lines]))
    return parts


SHOWN = ("command", "date", "processor", "commit", "instruction set")


def runs(records: list[dict]) -> str:
    """The commands behind the records, as a table."""
    found = {}
    for record in records:
        described = record["environment"]
        found.setdefault(tuple(described[key] for key in SHOWN), None)
    return markdown_table([*SHOWN], [list(run) for run in found], numbers=False)
