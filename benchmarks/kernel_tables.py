"""What the kernel benchmark measures: one record per table and data set."""

from dataclasses import asdict, dataclass
from functools import partial

from .data import FALLBACK
from .kernel_data import SETTINGS, setting_of
from .kernel_entrants import PEERS, SOLVED, missing_peers, solver_name
from .kernel_fit import fit_in_fresh_process
from .measure import interleave, spread

LONG_SECONDS = 60.0  # fits that take longer are not repeated
FEW = ("usps", "satimage", "segment", "optdigits")  # where more machines are measured
_OF_DATA = ("shape", "data_bytes")  # what all runs on a data set have in common
_MORE = ("llw", "ovr", "ovo")


@dataclass(frozen=True)
class Table:
    """A table of the kernel benchmark.

    Attributes
    ----------
    title : str
    threads : int
    everywhere, few : tuple of str
        Entrants on all data sets of the table, and those on a few of them only.
    data : tuple of str
    """

    title: str
    threads: int
    everywhere: tuple[str, ...]
    few: tuple[str, ...] = ()
    data: tuple[str, ...] = tuple(SETTINGS)

    def entrants(self, name: str) -> list[str]:
        """Who is measured on a data set."""
        few = self.few if name in (*FEW, FALLBACK) else ()
        return [one for one in (*self.everywhere, *few) if one not in missing_peers()]


TABLES: dict[str, Table] = {
    "machines, one thread": Table(
        "Machines and peers, one thread", 1, ("ww", "cs", *PEERS), _MORE
    ),
    "machines, two threads": Table(
        "Machines and peers, two threads", 2, ("ww", "cs", *PEERS), _MORE
    ),
    "solvers": Table(
        "Solvers of the same machine",
        1,
        tuple(solver_name(machine, solver) for machine, solver in SOLVED),
        data=(*FEW, "mnist_5000"),
    ),
}


def summary(runs: list[dict]) -> dict:
    """Combine the runs of an entrant.

    The minimum of the seconds and of the limit, the largest peak of memory; the rest
    is of the first run, the only one whose accuracy is taken.
    """
    combined = {**runs[0], **spread([run["seconds"] for run in runs])}
    combined["peak_bytes"] = max(run["peak_bytes"] for run in runs)
    if "limit" in combined:
        combined["limit"] = min(run["limit"] for run in runs)
    combined["processors"] = runs[0]["processor_seconds"] / runs[0]["seconds"]
    combined["runs"] = [run["seconds"] for run in runs]
    return {key: value for key, value in combined.items() if key not in _OF_DATA}


def measure(table: Table, name: str, repeats: int) -> dict:
    """The record of a data set: every entrant, in turns.

    What took more than a minute in the first turn is not run again.
    """
    label = f"{name}, threads: {table.threads}"
    fit = partial(fit_in_fresh_process, data=name, threads=table.threads)
    names = table.entrants(name)
    runs = interleave(label, {one: partial(fit, one) for one in names}, 1)
    short = [one for one in names if runs[one][0]["seconds"] <= LONG_SECONDS]
    again = {one: partial(fit, one, evaluate=False) for one in short}
    for one, more in interleave(label, again, repeats - 1).items():
        runs[one] += more
    first = runs[names[0]][0]
    return {
        **{key: first[key] for key in _OF_DATA},
        "setting": asdict(setting_of(name)),
        "threads": table.threads,
        "entrants": {one: summary(runs[one]) for one in names},
    }
