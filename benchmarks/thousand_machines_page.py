"""The page about a run on 1,000 machines: the formulas with the measured rates in."""

from dataclasses import replace

from .markdown import NONE, digits, markdown_table
from .scale_machines import MACHINES
from .scale_overhead import TABLE as OVERHEAD
from .scale_partitions import ALONE, PARTS, TOL
from .scale_partitions import TABLE as PARTITIONS
from .thousand_machines import (
    Cluster,
    Design,
    Problem,
    Rates,
    busiest_bytes,
    extrapolate,
    levels,
    rates_of,
    rounds_law,
    seconds_of_round,
    state_bytes,
)
from .thousand_machines_text import BEFORE, CHANGES, LIMITS, ROUNDS, ROUNDS_END, TASKS

TEXT = Problem("text", 1e10, 50, 10**6, 100, sparse=True)
DENSE = Problem("dense", 1e10, 54, 54, 7, sparse=False)
LIKE = {TEXT: "debian_maintainer", DENSE: "covtype"}
MACHINE = "cs"  # whose rates the tables show
CLUSTER = Cluster()
ONE = Design("a partition for each machine, its cores as threads", 1)
IN_PLACE = replace(ONE, name="and one W on a machine, in place", in_place=True)
STAYING = replace(IN_PLACE, name="and tasks that stay", staying=True)
ALL_REDUCE = replace(STAYING, name="and an all-reduce for the tree", all_reduce=True)
BYTE = replace(ALL_REDUCE, name="and a byte for a number", bytes_per_number=1)
NOW = Design("as it is, a partition for each core", CLUSTER.cores)
DESIGNS = (NOW, ONE, IN_PLACE, STAYING, ALL_REDUCE, BYTE)
SOME = (ONE, IN_PLACE, ALL_REDUCE)


def render(tables: dict[str, list[dict]]) -> str | None:
    """The whole page; None if something has not been measured yet."""
    cells: dict[tuple[str, str], dict[int, dict]] = {}
    for record in tables[PARTITIONS]:
        row = cells.setdefault((record["name"], record["machine"]), {})
        row[record["parts"]] = record
    complete = all(
        {ALONE, 2} <= set(cells.get((d, MACHINE), ())) for d in LIKE.values()
    )
    if not tables[OVERHEAD] or not complete:
        return None
    [overhead] = tables[OVERHEAD]
    rates = {
        problem: rates_of(cells[like, MACHINE], overhead, problem.sparse)
        for problem, like in LIKE.items()
    }
    parts = [
        BEFORE,
        "## The problem",
        _problems(),
        "## What was measured",
        _rates(rates),
        "## A round",
        _rounds_table(rates),
        _dominates(rates),
        TASKS,
        "## How many rounds",
        ROUNDS.format(largest=max(PARTS)),
        _laws(cells),
        ROUNDS_END,
        "## Hours, and what they cost",
        _hundred(rates),
        _totals(cells, overhead),
        "## If something were otherwise",
        _sensitivity(rates[TEXT]),
        "## What has to change",
        CHANGES,
        LIMITS,
    ]
    return "\n\n".join(parts) + "\n"


def _problems() -> str:
    header = ["", *[problem.name for problem in LIKE]]

    def row(what: str, value) -> list[str]:
        return [what, *[value(problem) for problem in LIKE]]

    def gigabytes(value: float) -> str:
        return f"{digits(value / 1e9)} GB"

    rows = [
        row("rows n", lambda p: f"{p.n:.0e}"),
        row("values of a row", lambda p: str(p.nonzeros)),
        row("features d, classes k", lambda p: f"{p.d:,}, {p.k:,}"),
        row(
            "rows, on each machine", lambda p: gigabytes(p.row_bytes / CLUSTER.machines)
        ),
        row(
            "dual variables if none is zero, on a machine",
            lambda p: gigabytes(p.dual_bytes / CLUSTER.machines),
        ),
        row("W in float32", lambda p: gigabytes(p.model_bytes)),
        row(
            "matrices like W on a machine, a partition for each core",
            lambda p: gigabytes(state_bytes(p, NOW)),
        ),
        row(
            "the same, a partition for each machine",
            lambda p: gigabytes(state_bytes(p, ONE)),
        ),
    ]
    return markdown_table(header, rows)


def _rates(rates: dict[Problem, Rates]) -> str:
    header = ["rate", *[f"{p.name}: {MACHINE} on {like}" for p, like in LIKE.items()]]
    shown = {
        "product of a value with a weight, ns": ("product", 1e9),
        "byte of W in a round, ns": ("model_byte", 1e9),
        "row in a round beside its visit, ns": ("row", 1e9),
        "partition in a round for Dask, ms": ("task", 1e3),
    }
    rows = [
        [what, *[digits(getattr(rates[p], name) * unit) for p in LIKE]]
        for what, (name, unit) in shown.items()
    ]
    return markdown_table(header, rows)


def _rounds_table(rates: dict[Problem, Rates]) -> str:
    header = ["seconds of a round", "problem", "epoch", "rest", "traffic", "tasks"]
    rows = []
    for problem in LIKE:
        for design in DESIGNS:
            cost = seconds_of_round(problem, CLUSTER, design, rates[problem])
            numbers = [cost.epoch, cost.rest, cost.traffic, cost.tasks, cost.total]
            rows.append([design.name, problem.name, *map(_short, numbers)])
    return markdown_table([*header, "together"], rows)


def _short(value: float) -> str:
    return "0" if value < 1e-3 else digits(value)


def _dominates(rates: dict[Problem, Rates]) -> str:
    now = seconds_of_round(TEXT, CLUSTER, NOW, rates[TEXT])
    few = seconds_of_round(TEXT, CLUSTER, ONE, rates[TEXT])
    names = ("epoch", "rest", "traffic", "tasks")

    def largest(cost) -> str:
        name = max(names, key=lambda one: getattr(cost, one))
        return f"{name}, {100 * getattr(cost, name) / cost.total:.0f} % of it"

    parts = CLUSTER.machines * CLUSTER.cores
    return (
        f"What dominates on text: as it is, {largest(now)}; with a partition for each "
        f"machine, {largest(few)}. The epoch, which is the work, is "
        f"{100 * now.epoch / now.total:.1f} % and {100 * few.epoch / few.total:.0f} %. "
        f"The tree over {parts:,} partitions has {levels(parts)} levels, over "
        f"{CLUSTER.machines:,} {levels(CLUSTER.machines)}; the busiest network card "
        f"sees {digits(busiest_bytes(TEXT, CLUSTER, NOW) / 1e9)} GB and "
        f"{digits(busiest_bytes(TEXT, CLUSTER, ONE) / 1e9)} GB in a round, with an "
        f"all-reduce {digits(busiest_bytes(TEXT, CLUSTER, ALL_REDUCE) / 1e9)} GB "
        "whatever the number of machines."
    )


def _laws(cells: dict[tuple[str, str], dict[int, dict]]) -> str:
    header = ["data set", "machine", "power", "2", str(max(PARTS)), "1,000", "32,000"]
    rows = []
    for (name, machine), row in cells.items():
        law = rounds_law(row)
        measured = [_rounds(row.get(parts)) for parts in (2, max(PARTS))]
        if law is None:
            beyond = [NONE, NONE]
        else:
            beyond = [f"{extrapolate(law, parts):,.0f}" for parts in (1000, 32_000)]
        power = NONE if law is None else f"{law[1]:.2f}"
        rows.append([name, machine, power, *measured, *beyond])
    return markdown_table(header, rows)


def _rounds(cell: dict | None) -> str:
    if cell is None:
        return NONE
    return f"{'' if cell['gap'] <= TOL else '> '}{cell['rounds']:,}"


def _hundred(rates: dict[Problem, Rates]) -> str:
    header = ["100 rounds", "problem", "hours", "machine-hours"]
    rows = []
    for problem in LIKE:
        for design in DESIGNS:
            cost = seconds_of_round(problem, CLUSTER, design, rates[problem])
            rows.append([design.name, problem.name, *_hours(100, cost.total)])
    return (
        "A hundred rounds. At about one unit of money for an hour of a machine of 32 "
        f"cores, machine-hours are also the price.\n\n{markdown_table(header, rows)}"
    )


def _hours(rounds: float, seconds: float) -> list[str]:
    hours = rounds * seconds / 3600
    return [digits(hours), f"{hours * CLUSTER.machines:,.0f}"]


def _totals(cells: dict[tuple[str, str], dict[int, dict]], overhead: dict) -> str:
    header = ["problem", "machine", "design", "rounds", "hours", "machine-hours"]
    rows = []
    for problem, like in LIKE.items():
        for machine in MACHINES:
            row = cells.get((like, machine), {})
            law = rounds_law(row)
            if law is None or not {ALONE, 2} <= set(row):
                continue
            rates = rates_of(row, overhead, problem.sparse)
            for design in (NOW, *SOME):
                seconds = seconds_of_round(problem, CLUSTER, design, rates).total
                count = extrapolate(law, CLUSTER.machines * design.partitions)
                numbers = [f"{count:,.0f}", *_hours(count, seconds)]
                rows.append([problem.name, machine, design.name, *numbers])
    if not rows:
        return "No machine converged on enough numbers of partitions to extrapolate."
    return (
        "To a gap of 1e-3 with rounds by the power law, the pessimistic end; machines "
        "without one, whose fits did not converge often enough, are left out.\n\n"
        f"{markdown_table(header, rows)}"
    )


def _sensitivity(rates: Rates) -> str:
    cases = {
        "as above": (TEXT, CLUSTER),
        "a network of 100 Gbit/s": (TEXT, replace(CLUSTER, network=12.5e9)),
        "ten times the classes": (replace(TEXT, k=1000), CLUSTER),
        "a tenth of the features, by hashing": (replace(TEXT, d=10**5), CLUSTER),
        "ten times the rows": (replace(TEXT, n=1e11), CLUSTER),
        "ten times the values of a row": (replace(TEXT, nonzeros=500), CLUSTER),
        "100 machines": (TEXT, replace(CLUSTER, machines=100)),
    }
    header = ["seconds of a round, text", *[design.name for design in SOME]]
    rows = [
        [
            what,
            *[
                digits(seconds_of_round(problem, cluster, design, rates).total)
                for design in SOME
            ],
        ]
        for what, (problem, cluster) in cases.items()
    ]
    return markdown_table(header, rows)
