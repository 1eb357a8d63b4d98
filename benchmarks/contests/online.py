"""LaRank and GaLa over one epoch, beside batch machines.

Section 3 of Tuma and Igel (2011). The pieces are the step rates of LaRank, every
shuffle and every batch machine, so that a run can be broken off and resumed.
"""

from dataclasses import dataclass
from statistics import fmean

import numpy as np
from sklearn.svm import SVC

import polymargin

from ..harness.contest import Contest, Page, Run, Table
from ..harness.data import FALLBACK, Dataset, load
from ..harness.kernel_settings import CACHE_MB
from ..harness.process import in_fresh_process, trained
from ..harness.records import Records
from ..harness.timing import progress, timed

CHUNK = 256  # slices are multiples of what OnlineSVM learns from at a time
SLICES = 20  # about so many
SHUFFLES = 10
RATE_TRIALS = 3  # shuffles of LaRank that the rates of GaLaFix are taken from
_FIRST_TRIAL = 1000  # shuffles that are measured have smaller numbers
MAX_SECONDS = 1800.0  # what a batch fit of polymargin may take
BATCH = ("KernelSVM", "SVC")


@dataclass(frozen=True)
class Setting:
    """How a data set is used, and what the paper says of it."""

    C: float
    gamma: float | None  # of ``exp(-gamma |x - z|^2)``; the linear kernel if None
    paper: str  # what the paper calls it, or the data set whose place it takes
    rates: tuple[float, float]  # processOld and Optimize for each processNew, table 1
    speed_up: float | None  # of GaLa over LaRank in seconds, section 3
    values: str  # what the features are
    scaled: bool = True  # whether `load` scales them

    @property
    def kernel(self) -> dict:
        """Parameters of the kernel, of polymargin and of scikit-learn."""
        if self.gamma is None:
            return {"kernel": "linear"}
        return {"kernel": "rbf", "gamma": self.gamma}


_LETTER = "as in the file, 0 to 15; 15,000 rows to train, the paper has 16,000"
_NEWS = "TF-IDF, rows of length 1, CSR; in the place of INEX, which is not to be had"
SETTINGS: dict[str, Setting] = {
    "usps": Setting(
        10.0, 0.025, "USPS", (1.94, 36.7), 0.12, "as in the file, from -1 to 1"
    ),
    "letter": Setting(10.0, 0.025, "LETTER", (1.75, 82.6), 0.09, _LETTER, scaled=False),
    "news20_bydate": Setting(100.0, None, "INEX", (3.67, 35.1), 0.18, _NEWS),
    "mnist": Setting(
        1000.0, 0.02, "MNIST", (1.65, 53.4), 0.02, "pixels divided by 255"
    ),
    FALLBACK: Setting(
        10.0, 0.05, "USPS", (1.94, 36.7), None, "pixels / 16; a trial of the harness"
    ),
}
NAMES = tuple(name for name in SETTINGS if name != FALLBACK)
# Variants of OnlineSVM: how steps are selected, and whose step rates are fixed.
METHODS: dict[str, tuple[str, str | None]] = {
    "LaRank": ("random", None),
    "GaLa": ("gain", None),
    "GaLaFix": ("gain", "measured"),
    "LaRankFix": ("random", "paper"),
}


def slice_rows(n: int) -> int:
    """Rows of a slice: whole chunks, such that there are about `SLICES` slices."""
    return CHUNK * max(1, round(n / (CHUNK * SLICES)))


def learn(method: str, name: str, shuffle: int, rates, follow: bool) -> dict:
    """One epoch over the shuffled rows, after one on small data: for a fresh process.

    Returns
    -------
    result : dict
        "rates": steps of processOld and processOptimize for each processNew. "curve",
        after every slice: examples, seconds (of `partial_fit` only), work, dual,
        support and, if `follow`, test error.
    """
    setting = SETTINGS[name]
    selection, whose = METHODS[method]

    def build():
        return polymargin.OnlineSVM(
            **setting.kernel,
            C=setting.C,
            selection=selection,
            schedule="fixed" if whose else "adaptive",
            steps=tuple(rates),
            cache_size=CACHE_MB,
            n_jobs=1,
            random_state=shuffle,
        )

    _epoch(build(), load(FALLBACK), shuffle, follow=False)
    return _epoch(build(), load(name, setting.scaled), shuffle, follow)


def _epoch(model, data: Dataset, shuffle: int, follow: bool) -> dict:
    n, classes = len(data.y), np.arange(data.n_classes)
    order = np.random.RandomState(shuffle).permutation(n)
    rows = slice_rows(n)
    keys = ["examples", "seconds", "work", "dual", "support", *["error"] * follow]
    curve: dict[str, list] = {key: [] for key in keys}
    total = 0.0
    for first in range(0, n, rows):
        part = order[first : first + rows]
        X, y = data.X[part], data.y[part]
        total += timed(lambda X=X, y=y: model.partial_fit(X, y, classes=classes))[0]
        point = [model.n_seen_, total, model.work_, model.dual_objective_]
        point.append(len(model.support_))
        if follow:
            point.append(1.0 - model.score(data.X_test, data.y_test))
        for key, value in zip(keys, point, strict=True):
            curve[key].append(float(value))
    steps = model.n_steps_
    found = [steps[kind] / steps["new"] for kind in ("old", "optimize")]
    shape = {**data.shape, "n_test": len(data.y_test)}
    return {"rates": found, "curve": curve, "shape": shape}


def train_batch(peer: str, name: str) -> dict:
    """Train a batch machine at its default tolerance: for a fresh process."""
    setting = SETTINGS[name]
    common = {**setting.kernel, "C": setting.C, "cache_size": CACHE_MB}
    own = {"n_jobs": 1, "random_state": 0, "max_time": MAX_SECONDS}
    build, dtype = {
        "SVC": (lambda k: SVC(**common), np.float64),  # as LIBSVM computes
        BATCH[0]: (lambda k: polymargin.KernelSVM("cs", **common, **own), np.float32),
    }[peer]
    facts, model = trained(build, load(name, setting.scaled), dtype)
    return {
        "seconds": facts["seconds"],
        "error": 1.0 - facts["accuracy"],
        "support": len(model.support_),
        "objective": getattr(model, "objective_", None),
        "status": getattr(model, "status_", None),
    }


def measure_rates(name: str, run: Run) -> dict:
    """Average step rates that LaRank shows by itself."""
    shown = []
    trials = min(RATE_TRIALS, run.seeds)
    for trial in range(trials):
        progress(f"{name}: step rates of LaRank, trial {trial + 1} of {trials}")
        seed = _FIRST_TRIAL + trial
        found = in_fresh_process(learn, "LaRank", name, seed, (1, 1), False)
        shown.append(found["rates"])
    return {"rates": [fmean(rates) for rates in zip(*shown, strict=True)]}


def measure_shuffle(key: str, run: Run) -> dict:
    """One epoch of every method on the same shuffle, one after the other."""
    name, _, number = key.partition(", ")
    measured = run.records.get("rates", name)
    if measured is None:
        raise ValueError(f"the rates of LaRank on {name} come first: --tables rates")
    rates = {"measured": measured["rates"], "paper": SETTINGS[name].rates, None: (1, 1)}
    shuffle, runs = int(number or 0), {}
    for method, (_, whose) in METHODS.items():
        progress(f"{name}: {method}, shuffle {shuffle + 1}")
        runs[method] = in_fresh_process(
            learn, method, name, shuffle, rates[whose], True
        )
    return {"shape": runs["LaRank"]["shape"], "methods": runs}


def _measure_batch(peer: str):
    def measure(name: str, run: Run) -> dict:
        progress(f"{name}: {peer}")
        return in_fresh_process(train_batch, peer, name)

    return measure


@dataclass(frozen=True)
class Bar:
    """The bar between two curves at the dual value where the lower one ends.

    `first` and `other` are what each of the two had spent when it reached that value.
    """

    dual: float
    first: float
    other: float

    @property
    def speed_up(self) -> float:
        """Length of the bar over its later end, negative if `other` came first."""
        return (self.other - self.first) / max(self.first, self.other)


def bar_between(first: dict, other: dict, axis: str) -> Bar:
    """Compare two curves that rise from (0, 0) by what was spent, interpolated."""
    dual = min(first["dual"][-1], other["dual"][-1])
    spent = [
        float(np.interp(dual, [0.0, *curve["dual"]], [0.0, *curve[axis]]))
        for curve in (first, other)
    ]
    return Bar(dual, *spent)


@dataclass(frozen=True)
class Comparison:
    """All that was measured on a data set: rates, shuffles, batch machines."""

    name: str
    rates: list[float]
    shuffles: list[dict]
    batch: dict[str, dict]

    def curves(self, method: str) -> list[dict]:
        """The curve of a method on every shuffle."""
        return [record["methods"][method]["curve"] for record in self.shuffles]

    def mean(self, method: str) -> dict:
        """The average of these curves, point by point."""
        curves = self.curves(method)
        return {
            key: np.mean([curve[key] for curve in curves], axis=0).tolist()
            for key in curves[0]
        }

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


def comparisons(records: Records) -> list[Comparison]:
    """Put together what there is; data sets without a shuffle are left out."""
    found = []
    for name in SETTINGS:
        rates = records.get("rates", name)
        shuffles = [
            record
            for record in records.of("curves")
            if record["data"].split(", ")[0] == name
        ]
        batch = {peer: records.get(peer, name) for peer in BATCH}
        if rates and shuffles:
            known = {peer: record for peer, record in batch.items() if record}
            found.append(Comparison(name, rates["rates"], shuffles, known))
    return found


def _sections(records: Records) -> list[str]:
    from .online_page import sections

    return sections(comparisons(records))


def _draw(records: Records, folder) -> None:
    from .online_page import draw

    draw(comparisons(records), folder)


CONTEST = Contest(
    "online",
    "LaRank and GaLa over one epoch beside batch machines",
    (
        Page(
            "benchmarks-online.md",
            "Benchmarks of the online machine",
            {
                "rates": Table("", measure_rates, NAMES),
                "curves": Table(
                    "",
                    measure_shuffle,
                    tuple(f"{one}, {n}" for one in NAMES for n in range(SHUFFLES)),
                ),
                **{peer: Table("", _measure_batch(peer), NAMES) for peer in BATCH},
            },
            sections=_sections,
            draw=_draw,
        ),
    ),
)
