"""What the online benchmark measures: one record per data set and piece of work.

The pieces are the step rates of LaRank, every shuffle, and every batch machine, so that
a run can be broken off and resumed. Their records are put together here.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from statistics import fmean

from .measure import progress
from .online_batch import PEERS, fit_in_fresh_process
from .online_data import setting_of
from .online_run import METHODS, run_in_fresh_process
from .results import Results
from .speed_up import Bar, bar_between, mean_curve

RATES = "rates"
RATE_TRIALS = 3  # shuffles of LaRank that the rates of GaLaFix are taken from
_FIRST_TRIAL = 1000  # shuffles that are measured have smaller numbers
PARTS = ("curves", *PEERS)


def _shuffle(number: int) -> str:
    return f"shuffle {number}"


def pieces(
    name: str, parts: Iterable[str], shuffles: int
) -> list[tuple[str, Callable[[Results], dict]]]:
    """Name and work of each piece of a data set, in order."""
    work: list[tuple[str, Callable[[Results], dict]]] = []
    if "curves" in parts:
        trials = min(RATE_TRIALS, shuffles)
        work.append((RATES, lambda results: measure_rates(name, trials)))
        work += [
            (_shuffle(number), partial(measure_shuffle, name, number))
            for number in range(shuffles)
        ]
    work += [
        (peer, partial(_measure_peer, peer, name)) for peer in PEERS if peer in parts
    ]
    return work


def measure_rates(name: str, trials: int) -> dict:
    """Average step rates that LaRank shows by itself."""
    runs = []
    for trial in range(trials):
        progress(f"{name}: step rates of LaRank, trial {trial + 1} of {trials}")
        seed = _FIRST_TRIAL + trial
        runs.append(run_in_fresh_process("LaRank", name, seed, (1, 1), follow=False))
    old, optimize = zip(*(run["rates"] for run in runs), strict=True)
    return {"rates": [fmean(old), fmean(optimize)], "trials": trials}


def measure_shuffle(name: str, number: int, results: Results) -> dict:
    """One epoch of every method on the same shuffle, one after the other."""
    measured = results.get(RATES, name)["rates"]
    rates = {"measured": measured, "paper": setting_of(name).rates, None: (1, 1)}
    runs = {}
    for method, variant in METHODS.items():
        progress(f"{name}: {method}, shuffle {number + 1}")
        runs[method] = run_in_fresh_process(
            method, name, number, rates[variant.rates], follow=True
        )
    shape = next(iter(runs.values()))["shape"]
    return {"shape": shape, "methods": runs}


def _measure_peer(peer: str, name: str, results: Results) -> dict:
    progress(f"{name}: {peer}")
    return fit_in_fresh_process(peer, name)


@dataclass(frozen=True)
class Comparison:
    """All that was measured on a data set.

    Attributes
    ----------
    name : str
    rates : dict
        The record of the step rates.
    shuffles : list of dict
        Records of the shuffles.
    peers : dict of str to dict
        Records of batch machines, of those that were trained.
    """

    name: str
    rates: dict
    shuffles: list[dict]
    peers: dict[str, dict]

    @property
    def records(self) -> list[dict]:
        """All records."""
        return [self.rates, *self.shuffles, *self.peers.values()]

    def curves(self, method: str) -> list[dict]:
        """The curve of a method on every shuffle."""
        return [record["methods"][method]["curve"] for record in self.shuffles]

    def mean(self, method: str) -> dict:
        """The average of these curves."""
        return mean_curve(self.curves(method))

    def end(self, method: str, key: str) -> float:
        """The average at the end of the epoch."""
        return self.mean(method)[key][-1]

    def shown_rates(self, method: str) -> list[float]:
        """Step rates of a method, averaged over the shuffles."""
        shown = [record["methods"][method]["rates"] for record in self.shuffles]
        return [fmean(rates) for rates in zip(*shown, strict=True)]

    def bar(self, axis: str, method: str = "GaLa") -> Bar:
        """The bar of a method against LaRank between average curves."""
        return bar_between(self.mean(method), self.mean("LaRank"), axis)

    def speed_ups(self, axis: str, method: str = "GaLa") -> list[float]:
        """The speed-up of a method over LaRank on every shuffle."""
        pairs = zip(self.curves(method), self.curves("LaRank"), strict=True)
        return [bar_between(own, base, axis).speed_up for own, base in pairs]


def comparisons(results: Results, names: Iterable[str]) -> list[Comparison]:
    """Put together what there is; data sets without a shuffle are left out."""
    found = []
    for name in names:
        rates = results.get(RATES, name)
        shuffles, number = [], 0
        while record := results.get(_shuffle(number), name):
            shuffles.append(record)
            number += 1
        peers = {peer: results.get(peer, name) for peer in PEERS}
        known = {peer: record for peer, record in peers.items() if record}
        if rates and shuffles:
            found.append(Comparison(name, rates, shuffles, known))
    return found
