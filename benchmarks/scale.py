"""Partitions, and Spark beside them: ``python -m benchmarks.scale --help``.

Everything is measured cell by cell and kept at once, so that a run can be cut into
pieces: by table, data set, machine and number of partitions.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from . import scale_overhead, scale_partitions, scale_spark
from .command import add_common_arguments, guarded
from .data import FALLBACK, FOLDER_VARIABLE, load
from .environment import environment
from .fresh import ROOT
from .measure import progress
from .results import Results, write_aside
from .scale_machines import MACHINES
from .scale_page import render
from .scale_partitions import ALONE, PARTS, Limits
from .thousand_machines_page import render as render_thousand

DATA = ("debian_maintainer", "news20_bydate", "covtype")
TABLES = (scale_partitions.TABLE, scale_overhead.TABLE, scale_spark.TABLE)
PEERS = ("dask", "distributed", "pyspark")
PAGE, THOUSAND = Path("docs/benchmarks-scale.md"), Path("docs/thousand-machines.md")


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmark; returns the exit status."""
    options = _parse(arguments)
    results = Results(options.folder)
    if not options.render:
        failed = guarded(lambda: _measure_all(options, results, arguments))
        if failed:
            return failed
    records = {table: results.of_table(table) for table in TABLES}
    folder = options.output
    write_aside(folder / PAGE.name, render(records))
    progress(f"wrote {PAGE.name}")
    page = render_thousand(records)
    if page is None:
        progress(f"{THOUSAND.name} needs all of the tables partitions and overhead")
    else:
        write_aside(folder / THOUSAND.name, page)
        progress(f"wrote {THOUSAND.name}")
    return 0


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale")
    machines = [*MACHINES, *scale_spark.PEERS]
    limits = Limits()

    def choose(flag: str, values, what: str, kind=str) -> None:
        shown = ", ".join(map(str, values))
        parser.add_argument(
            flag, nargs="+", type=kind, choices=values, metavar=what, help=shown
        )

    choose("--table", TABLES, "TABLE")
    choose("--data", (*DATA, FALLBACK), "NAME")
    choose("--machine", machines, "MACHINE")
    choose("--partitions", (ALONE, *PARTS), "NUMBER", int)
    parser.add_argument("--rounds", type=int, default=limits.rounds)
    parser.add_argument(
        "--seconds", type=float, default=limits.seconds, help="of one of our fits"
    )
    parser.add_argument(
        "--spark-seconds",
        type=float,
        default=scale_spark.LIMIT,
        help="of a fit of Spark",
    )
    parser.add_argument(
        "--output", type=Path, default=ROOT / PAGE.parent, help="folder of the pages"
    )
    add_common_arguments(parser, "bench-scale")
    return parser.parse_args(arguments)


def _measure_all(options, results: Results, arguments) -> None:
    if not options.data and not os.environ.get(FOLDER_VARIABLE):
        raise FileNotFoundError(
            f"The data sets need the environment variable {FOLDER_VARIABLE}; set it to "
            f"their folder, or try --data {FALLBACK}."
        )
    described = environment(arguments, module="benchmarks.scale", peers=PEERS)
    described["java"] = _java()
    for record in _cells(options, results):
        results.add({"environment": described, **record})


def _cells(options, results: Results) -> Iterator[dict]:
    """Measure what is asked for and, to resume, not there yet."""
    limits = Limits(options.rounds, options.seconds)
    tables, names = options.table or TABLES, options.data or DATA

    def wanted(table: str, key: str) -> bool:
        if options.resume and (table, key) in results:
            progress(f"{table}, {key}: measured already")
            return False
        return True

    if scale_partitions.TABLE in tables:
        for name in names:
            for machine in _chosen(MACHINES, options.machine):
                key = f"{name}, {machine}, {{}}".format
                parts = [
                    number
                    for number in options.partitions or (ALONE, *PARTS)
                    if wanted(scale_partitions.TABLE, key(number))
                ]
                row = scale_partitions.measure_row(load(name), machine, parts, limits)
                for number, record in row:
                    where = {"name": name, "machine": machine, "parts": number}
                    table = {"table": scale_partitions.TABLE, "data": key(number)}
                    yield {**table, **where, **record}
    if scale_overhead.TABLE in tables and wanted(scale_overhead.TABLE, FALLBACK):
        table = {"table": scale_overhead.TABLE, "data": FALLBACK}
        yield {**table, **scale_overhead.measure()}
    if scale_spark.TABLE in tables:
        for name in names:
            for peer in _chosen(tuple(scale_spark.PEERS), options.machine):
                key = f"{name}, {peer}"
                if wanted(scale_spark.TABLE, key):
                    table = {"table": scale_spark.TABLE, "data": key}
                    record = scale_spark.measure(
                        load(name), peer, limits, options.spark_seconds
                    )
                    yield {**table, "name": name, "peer": peer, **record}


def _chosen(all_names: tuple[str, ...], asked: list[str] | None) -> list[str]:
    return [name for name in all_names if asked is None or name in asked]


def _java() -> str:
    try:
        run = subprocess.run(["java", "-version"], capture_output=True, text=True)
    except OSError:
        return "not installed"
    return run.stderr.splitlines()[0] if run.stderr else "unknown"


if __name__ == "__main__":
    sys.exit(main())
