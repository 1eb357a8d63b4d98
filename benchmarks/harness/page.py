"""The stamps of a page, and the rule that none shows uncommitted changes."""

from collections.abc import Iterable

from .markdown import markdown_table
from .records import DIRTY

PER_RUN = ("date", "command", "load")
BUILDS = "available"  # all instruction sets that were built: only one is used
SAME = ("processor", "commit", "instruction set")  # of all records of a line


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
    """Where the records come from: what all stamps share, then a line for each run."""
    if not records:
        return []
    stamps = [record["environment"] for record in records]
    shared = {
        key: value
        for key, value in stamps[0].items()
        if key not in PER_RUN and all(one.get(key) == value for one in stamps)
    }
    by_run: dict[tuple[str, ...], list[dict]] = {}
    others = dict.fromkeys(
        key for one in stamps for key in one if key not in (*shared, *PER_RUN, BUILDS)
    )
    for record in records:
        stamp = record["environment"]
        run = (stamp["command"], *(stamp.get(key, "") for key in others))
        by_run.setdefault(run, []).append(record)
    lines = []
    for (command, *values), group in by_run.items():
        date = group[-1]["environment"]["date"]
        lines.append([f"`{command}`", _measured(group, records), date, *values])
    parts = ["## Machine", "All records share this:"]
    parts.append(markdown_table(["machine", "value"], shared.items(), numbers=False))
    parts.append("They come from these runs:")
    if "processor" not in shared:
        parts.append("**Not all of them were on the same machine.**")
    header = ["command", "measured", "date", *others]
    return [*parts, markdown_table(header, lines, numbers=False), *_load(records)]


def _measured(group: list[dict], records: list[dict]) -> str:
    """The tables of a run; of those that other runs have a share in, its data sets."""

    def data_of(name: str, among: list[dict]) -> dict[str, None]:
        found = (one["data"] for one in among if one["table"] == name)
        return dict.fromkeys(data.split(", split")[0] for data in found)

    names = []
    for name in dict.fromkeys(record["table"] for record in group):
        mine = data_of(name, group)
        rest = mine != data_of(name, records)
        names.append(f"{name} ({', '.join(mine)})" if rest else name)
    return "; ".join(names)


def runs(records: list[dict]) -> list[str]:
    """The commands behind the records, as a table."""
    by_run: dict[tuple[str, ...], list[str]] = {}
    for record in records:
        stamp = record["environment"]
        command = stamp["command"].partition(" --data ")[0]  # one line for all sets
        run = (command, *(stamp.get(key, "") for key in SAME))
        by_run.setdefault(run, []).append(stamp["date"])
    if not by_run:
        return []
    rows = [
        [f"`{command}`", str(len(dates)), max(dates), *rest]
        for (command, *rest), dates in by_run.items()
    ]
    header = ["command", "records", "last", *SAME]
    return [markdown_table(header, rows, numbers=False), *_load(records)]


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
