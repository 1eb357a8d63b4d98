"""The page of Blondel, Fujino and Ueda (2014), projection onto the simplex.

All runs are algorithm 1 as printed: the rows are shuffled once and visited in that
order, nothing is shrunk, and only the solver of the restricted problem differs.
Bisection is algorithm 3 as printed, in [0, U], without a projection of its result and
without a test of what it gains.
"""

from functools import partial
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from polymargin.selection.comparison.splits import stratified_parts

from ..harness.contest import Run, Table
from ..harness.data import Dataset, load
from ..harness.figure import lines, saved_figure
from ..harness.markdown import SIZES, data_name, digits, markdown_table, table_of
from ..harness.records import Records
from ..harness.timing import progress
from .claims import FAILS, HOLDS, Claim, PaperPage
from .configuration import KNOWN
from .curves import EXPLAINED, counted, curve_table, draw_curves, outcomes, verdict_of
from .following import Limits, Method, after_passes, follow, optimum

SAME = {"order": "cyclic", "shrinking": False}
COLOURS = ("#0072b2", "#56b4e9", "#009e73", "#e69f00", "#d55e00", "#cc79a7", "#000000")
SPLITS = 10
PASSES = (1, 3, 5)


def method(at: int, line: str, **options) -> Method:
    """A way to solve the restricted problem, inside the same template."""
    return Method("cs", SAME | options, COLOURS[at % len(COLOURS)], line)


def printed(tau: float) -> dict:
    return {"restricted": "bisection_printed", "restricted_tol": tau}


SOLVERS = {
    "Sort": method(0, "-", restricted="sort"),
    "Pivot": method(1, "--", restricted="pivot"),
    "Bisec": method(2, "-.", **printed(1e-3)),
    "SMO": method(3, "-", restricted="smo"),
    "SMO, 5 sweeps": method(3, ":", restricted="smo", restricted_sweeps=5),
    "FW": method(4, "-", restricted="frank_wolfe"),
    "ours": method(6, ":", restricted="exact"),
}
TOLERANCES = {
    "Sort": SOLVERS["Sort"],
    "Pivot": SOLVERS["Pivot"],
    **{
        f"r = {r}": method(at, "-.", **printed(10.0**r))
        for at, r in enumerate((-5, -4, -3, -2, -1), 2)
    },
}
CS = (0.01, 0.1, 1.0, 10.0, 100.0)
PLACES = {
    "news20_bydate": "News20",
    "clinc150": "Sector",
    "reuters_r52": "RCV1",
    "debian_maintainer": "RCV1",
}
LIMITS = Limits(seconds=15.0, loops=150.0)


def all_rows(name: str) -> tuple[sp.csr_matrix | np.ndarray, np.ndarray]:
    """Both parts of a data set together: the paper makes its own splits."""
    data = load(name)
    stack = sp.vstack if sp.issparse(data.X) else np.concatenate
    X = stack([data.X, data.X_test])
    y = np.concatenate([data.y, data.y_test])
    return sp.csr_matrix(X) if sp.issparse(X) else X, y


def split(name: str, seed: int, rows=None) -> Dataset:
    """Stratified, 4/5 to train and 1/5 to test, as there."""
    X, y = all_rows(name) if rows is None else rows
    train, test = stratified_parts(y, [0.8, 0.2], np.random.default_rng(seed))
    return Dataset(name, X[train], y[train], X[test], y[test])


def measure_passes(name: str, run: Run) -> dict:
    """Table II: accuracy and seconds after 1, 3 and 5 passes, on ten splits."""
    rows, found = all_rows(name), {}
    for seed in range(SPLITS):
        data = split(name, seed, rows)
        progress(f"table II of Blondel et al., {name}: split {seed}")
        for label, one in SOLVERS.items():
            after = after_passes(data, one, 1.0, PASSES, seed)
            kept = found.setdefault(label, {"accuracy": [], "seconds": []})
            for key, values in after.items():
                kept[key].append(values)
    return {"shape": data.shape, "methods": found}


def measure_curves(methods: dict[str, Method], name: str, run: Run) -> dict:
    """Figures 1 and 3: difference and accuracy against time."""
    data = split(name, 0)
    best = optimum(data, "cs", 1.0, run.scratch)
    curves = {}
    for label, one in methods.items():
        progress(f"figure of Blondel et al., {name}: {label}")
        curves[label] = [
            follow(data, one, 1.0, best["objective"], seed, LIMITS)
            for seed in range(run.seeds)
        ]
    return {"shape": data.shape, "optimum": best, "curves": curves}


def measure_classes(name: str, run: Run) -> dict:
    """Figure 2: seconds of five passes over as many rows of more and more classes."""
    X, y = all_rows(name)
    sizes = np.bincount(y)
    k = len(sizes)
    order = np.argsort(-sizes, kind="stable")
    steps = [max(2, round(k * share)) for share in (0.25, 0.4, 0.55, 0.7, 0.85, 1.0)]
    rows = int(sizes[order[: steps[0]]].sum())
    seconds: dict[str, list[float]] = {label: [] for label in SOLVERS}
    for classes in steps:
        kept = np.flatnonzero(np.isin(y, order[:classes]))
        chosen = np.random.default_rng(0).choice(kept, rows, replace=False)
        labels = np.unique(y[chosen], return_inverse=True)[1]
        data = Dataset(name, X[chosen], labels, X[chosen[:1]], labels[:1])
        for label, one in SOLVERS.items():
            runs = [
                after_passes(data, one, 1.0, (5,), seed)["seconds"][0]
                for seed in range(max(3, run.repeats))
            ]
            seconds[label].append(float(np.median(runs)))
    return {"classes": steps, "rows": rows, "seconds": seconds}


def measure_cs(name: str, run: Run) -> dict:
    """Figure 4: accuracy after ten passes as C grows, by tolerance."""
    rows, found = all_rows(name), {label: {} for label in TOLERANCES}
    for C in CS:
        progress(f"figure 4 of Blondel et al., {name}: C = {C:g}")
        for seed in range(run.seeds):
            data = split(name, seed, rows)
            for label, one in TOLERANCES.items():
                after = after_passes(data, one, C, (10,), seed)
                found[label].setdefault(f"{C:g}", []).append(after["accuracy"][0])
    return {"shape": data.shape, "accuracy": found}


def passes_table(records: list[dict]) -> list[str]:
    """Table II: ours, and in brackets the paper's."""
    there = KNOWN["002-II"].theirs
    columns = [*SOLVERS]
    theirs_of = {"SMO, 5 sweeps": None, "ours": None}
    parts = []
    for key, unit, form in (("accuracy", 100.0, "{:.2f}"), ("seconds", 1.0, "{:.3g}")):
        rows = []
        for record in records:
            place = PLACES.get(record["data"], record["data"])
            for at, count in enumerate(PASSES):
                line = there[key].get(f"{place} {count}", [])
                said = dict(
                    zip(("Sort", "Pivot", "Bisec", "SMO", "FW"), line, strict=False)
                )
                cells = []
                for label in columns:
                    values = unit * np.asarray(record["methods"][label][key])[:, at]
                    text = f"{form.format(values.mean())} ± {values.std(ddof=1):.2g}"
                    own = said.get(label, theirs_of.get(label))
                    cells.append(f"{text} ({form.format(own[0])})" if own else text)
                rows.append([f"{record['data']}, {count}", *cells])
        words = "test accuracy, percent" if unit > 1 else "seconds of processor time"
        header = markdown_table(["data set, passes", *columns], rows)
        parts.append(
            f"**{words[0].upper() + words[1:]}, mean and deviation**\n\n{header}"
        )
    return [
        "Ten stratified splits, 4/5 to train. debian_maintainer and reuters_r52 stand "
        "for RCV1, clinc150 for Sector; there is nothing like Amazon7. The paper does "
        "not say how often its SMO goes round the classes of a visit: once here, and "
        "five times.",
        table_of(records, {"data set": data_name, **SIZES}),
        *parts,
        _nearer(records),
    ]


def _nearer(records: list[dict]) -> str:
    """How far each approximate solver is below Sort after one pass."""
    parts = []
    for label in ("Bisec", "SMO", "SMO, 5 sweeps", "FW"):
        gaps = [
            100
            * float(
                np.mean(
                    np.asarray(record["methods"]["Sort"]["accuracy"])[:, 0]
                    - np.asarray(record["methods"][label]["accuracy"])[:, 0]
                )
            )
            for record in records
        ]
        said = ", ".join(f"{gap:+.2f}" for gap in gaps)
        parts.append(f"{label} {said}")
    names = ", ".join(record["data"] for record in records)
    return f"Points that Sort is above after one pass on {names}: {'; '.join(parts)}."


def curves_body(figure: str, words: str, records: list[dict]) -> list[str]:
    return [
        words,
        f"![Figure {figure}](papers-simplex-projection-{figure}.png)",
        curve_table(records, "loops"),
        curve_table(records, "seconds"),
        EXPLAINED,
    ]


def classes_body(records: list[dict]) -> list[str]:
    parts = ["![Figure 2](papers-simplex-projection-2.png)"]
    for record in records:
        powers = _powers(record)
        rows = [
            [label, *map(digits, values), f"{powers[label]:.2f}"]
            for label, values in record["seconds"].items()
        ]
        header = ["solver", *map(str, record["classes"]), "power of k"]
        title = f"**{record['data']}: seconds of five passes over {record['rows']:,} "
        parts.append(f"{title}rows, by classes**\n\n{markdown_table(header, rows)}")
    return parts


def _powers(record: dict) -> dict[str, float]:
    logs = np.log(record["classes"])
    return {
        label: float(np.polyfit(logs, np.log(values), 1)[0])
        for label, values in record["seconds"].items()
    }


def cs_body(records: list[dict]) -> list[str]:
    parts = [
        "Accuracy after ten passes; the paper says neither where its C begin and end "
        "nor how long it trained.",
        "![Figure 4](papers-simplex-projection-4.png)",
    ]
    for record in records:
        rows = [
            [label, *(f"{100 * np.mean(by_C[f'{C:g}']):.2f}" for C in CS)]
            for label, by_C in record["accuracy"].items()
        ]
        header = [record["data"], *(f"C = {C:g}" for C in CS)]
        parts.append(markdown_table(header, rows))
    return parts


def draw(records: Records, folder: Path) -> None:
    """All figures that there are records for."""
    name = "papers-simplex-projection-{}.png".format
    for table, methods, number in (
        ("002-figure-1", SOLVERS, 1),
        ("002-figure-3", TOLERANCES, 3),
    ):
        if found := records.of(table, tuple(PLACES)):
            label = "training time in seconds (processor time)"
            draw_curves(folder / name(number), found, methods, "seconds", label)
    if found := records.of("002-figure-2", tuple(PLACES)):
        panels = {
            record["data"]: {
                label: (record["classes"], values)
                for label, values in record["seconds"].items()
            }
            for record in found
        }
        axes = {"xlabel": "number of classes", "ylabel": "seconds of five passes"}
        lines(folder / name(2), panels, axes)
    if found := records.of("002-figure-4"):
        with saved_figure(folder / name(4), 1, len(found), (5.2 * len(found), 3.4)) as (
            _,
            panels,
        ):
            for panel, record in zip(panels[0], found, strict=True):
                for label, by_C in record["accuracy"].items():
                    one = TOLERANCES[label]
                    values = [100 * np.mean(by_C[f"{C:g}"]) for C in CS]
                    panel.plot(CS, values, color=one.colour, ls=one.line, label=label)
                panel.set(xscale="log", xlabel="C", ylabel="test accuracy, %")
                panel.set_title(record["data"], fontsize=10)
                panel.grid(alpha=0.25)
                panel.legend(frameon=False, fontsize=8)


def one_pass(other: str):
    """After one pass Sort is more accurate, by more than a standard error."""

    def judge(records: Records) -> tuple[str, str] | None:
        parts, found = [], {}
        for record in records.of("002-II", tuple(PLACES)):
            first, second = (
                100 * np.asarray(record["methods"][label]["accuracy"])[:, 0]
                for label in ("Sort", other)
            )
            gain = first - second
            error = gain.std(ddof=1) / np.sqrt(len(gain))
            found[record["data"]] = int(np.sign(gain.mean())) * (
                abs(gain.mean()) > error
            )
            parts.append(f"{record['data']} {gain.mean():+.2f}")
        if not found:
            return None
        return f"Sort above {other}, points: {', '.join(parts)}", verdict_of(found)

    return judge


def no_dearer(records: Records) -> tuple[str, str] | None:
    """Sort takes hardly longer than Frank-Wolfe for one pass: at most a fifth."""
    parts, found = [], {}
    for record in records.of("002-II", tuple(PLACES)):
        sort, pivot, wolfe = (
            float(np.median(np.asarray(record["methods"][label]["seconds"])[:, 0]))
            for label in ("Sort", "Pivot", "FW")
        )
        found[record["data"]] = 1 if min(sort, pivot) <= 1.25 * wolfe else -1
        parts.append(f"{record['data']} {sort / wolfe:.2f}x, {pivot / wolfe:.2f}x")
    if not found:
        return None
    return f"Sort and Pivot over FW: {'; '.join(parts)}", verdict_of(found)


def sooner(table: str, first: str, others: tuple[str, ...]):
    """By seconds to a difference of 0.01."""

    def judge(records: Records) -> tuple[str, str] | None:
        found = records.of(table, tuple(PLACES))
        if not found:
            return None
        parts, all_found = [], {}
        for other in others:
            by = outcomes(found, first, other, "seconds", 0.01)
            loops = outcomes(found, first, other, "loops", 0.01)
            parts.append(f"{other}: by seconds {counted(by)} (loops: {counted(loops)})")
            all_found |= {f"{other} {name}": value for name, value in by.items()}
        return f"{first} against {'; '.join(parts)}", verdict_of(all_found)

    return judge


def linear_in_k(records: Records) -> tuple[str, str] | None:
    """Powers of k that fit the seconds."""
    found = records.of("002-figure-2", tuple(PLACES))
    if not found:
        return None
    parts, powers = [], []
    for record in found:
        own = [*_powers(record).values()]
        powers += own
        parts.append(f"{record['data']} {min(own):.2f} to {max(own):.2f}")
    return f"powers of k: {'; '.join(parts)}", HOLDS if max(powers) <= 1.3 else FAILS


def loose_costs(records: Records) -> tuple[str, str] | None:
    """How far r = -1 is below Sort at the least and at the largest C."""
    found = records.of("002-figure-4")
    if not found:
        return None
    parts, outcomes_ = [], {}
    for record in found:
        gaps = [
            100
            * (
                np.mean(record["accuracy"]["Sort"][f"{C:g}"])
                - np.mean(record["accuracy"]["r = -1"][f"{C:g}"])
            )
            for C in CS
        ]
        said = ", ".join(f"{gap:.2f}" for gap in gaps)
        parts.append(f"{record['data']} {said} points for C = 0.01 to 100")
        outcomes_[record["data"]] = 1 if gaps[-1] > max(gaps[0], 0.5) else -1
    return f"r = -1 below Sort: {'; '.join(parts)}", verdict_of(outcomes_)


CLAIMS = (
    Claim(
        "Exact solvers converge fastest by the dual objective (figure 1)",
        "Sort and Pivot, all data sets",
        sooner("002-figure-1", "Sort", ("Bisec", "SMO", "FW")),
    ),
    Claim(
        "After one pass exact solvers are more accurate than SMO (table II)",
        "+0.11 to +0.96 points",
        one_pass("SMO"),
    ),
    Claim(
        "After one pass exact solvers are more accurate than Frank-Wolfe (table II)",
        "+0.25 to +2.28 points",
        one_pass("FW"),
    ),
    Claim(
        "Exact solvers are not more expensive (table II)",
        "Sort over FW 1.00x to 1.22x",
        no_dearer,
    ),
    Claim("All scale about linearly with k (figure 2)", "curves", linear_in_k),
    Claim(
        "Exact solvers beat bisection even with r = -5 (figure 3)",
        "by the dual objective, always",
        sooner("002-figure-3", "Sort", ("r = -5",)),
    ),
    Claim(
        "The larger C, the more a loose tolerance costs (figure 4)",
        "curves on News20",
        loose_costs,
    ),
)
PAGE = PaperPage(
    "papers-simplex-projection.md",
    "Blondel et al. (2014): projection onto the simplex",
    {
        "002-II": Table("Table II", measure_passes, tuple(PLACES), passes_table),
        "002-figure-1": Table(
            "Figure 1",
            partial(measure_curves, SOLVERS),
            tuple(PLACES),
            partial(
                curves_body,
                "1",
                "Solvers of the restricted problem with C = 1, on the first split; "
                "bisection with tau = 0.001.",
            ),
        ),
        "002-figure-2": Table(
            "Figure 2", measure_classes, ("news20_bydate", "clinc150"), classes_body
        ),
        "002-figure-3": Table(
            "Figure 3",
            partial(measure_curves, TOLERANCES),
            tuple(PLACES),
            partial(
                curves_body,
                "3",
                "Exact solvers and bisection with tolerances tau = 10^r. Bisection as "
                "printed leaves the feasible set, so its objective may pass the "
                "optimum: the difference is that of absolute values, as in the paper.",
            ),
        ),
        "002-figure-4": Table("Figure 4", measure_cs, ("news20_bydate",), cs_body),
    },
    draw=draw,
    paper="002",
    claims=CLAIMS,
)
