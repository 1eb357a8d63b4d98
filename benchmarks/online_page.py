"""The page of the online benchmark, from its records alone."""

from .markdown import NONE, digits, markdown_table, percent
from .online_batch import MAX_SECONDS
from .online_data import setting_of
from .online_figure import COLOURS, FIGURES
from .online_run import CACHE_MB, CHUNK, METHODS
from .online_tables import RATE_TRIALS, Comparison
from .online_verdicts import original_table, verdicts
from .page import machines
from .speed_up import mean_and_error

LIMITED = "†"  # after a fit that was stopped by the clock
_METHODS_TEXT = (
    "Tuma and Igel, Improved working set selection for LaRank (2011), section 3, "
    'repeated with `OnlineSVM`: LaRank is `selection="random"`, GaLa is '
    '`selection="gain"`, both with the adaptive schedule; GaLaFix is GaLa with the '
    "step rates that LaRank shows by itself on the data set; LaRankFix, which the "
    "paper does not have, is LaRank with the step rates of its table 1."
)


def render(comparisons: list[Comparison]) -> str:
    """The whole page."""
    parts = [
        "# Benchmarks of the online machine",
        "Written by `make bench-online`.",
        *machines(_pieces(comparisons)),
        _load_note(comparisons),
        "## Data sets and methods",
        _METHODS_TEXT,
        "float32 rows. Every run in a fresh process after a small one to warm up, one "
        f"thread, {CACHE_MB:g} MB for kernel values; the methods take turns on the "
        "same shuffles of the training rows. A run is one pass by `partial_fit` on "
        f"slices of whole chunks of {CHUNK} rows; only `partial_fit` is timed. Counted "
        "work (`work_`) is made of kernel values, terms of gradients and steps, so it "
        "does not depend on what else the machine does.",
        _settings_table(comparisons),
        "## Over one epoch",
        "Averages over the shuffles. The black bar is at the dual value where the "
        "method that ends lower ends, and goes from there to where the other method "
        "reached it.",
        *(f"![{figure.label}]({figure.file})" for figure in FIGURES.values()),
        "## Speed-up over LaRank",
        "The length of the bar over its later end, as in section 3 of the paper, where "
        "it is in seconds; negative if LaRank was there first. Of the average curves, "
        "and in brackets the mean over single shuffles with its standard error.",
        _speed_table(comparisons),
        "## Step rates",
        "Steps of processOld and of processOptimize for each example that came. "
        f"Trials: LaRank on up to {RATE_TRIALS} other shuffles, before the measured "
        "runs, for GaLaFix. In the paper: table 1.",
        _rates_table(comparisons),
        "## After one epoch, beside batch machines",
        "Means over the shuffles, of seconds and test errors with their standard "
        "errors. If counted work is worth the same in every method, so are the "
        "nanoseconds for a unit of it (`ns / work`). "
        'KernelSVM (`machine="cs"`) is the same machine trained '
        "to a relative duality gap of 1e-3, its dual value the objective, which no "
        "dual value is above; SVC is scikit-learn's, one-vs-one, float64, its default "
        f"tolerance. Same kernel and C, one thread, one run. {LIMITED}: stopped after "
        f"{MAX_SECONDS:g} s.",
        _end_table(comparisons),
        "The paper says of MNIST that one epoch of GaLa in Shark reaches a dual value "
        "of 3,656 in 987 seconds on its computer.",
    ]
    for one in comparisons:
        if one.name == "usps":
            parts += [
                "## The original program",
                "One epoch on usps. The first row is from issue 5 of the project, "
                "measured on a machine of this kind, not by this harness.",
                original_table(one),
            ]
    parts += ["## What was to be reached", verdicts(comparisons)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _pieces(comparisons: list[Comparison]) -> list[dict]:
    """The records, the shuffles of a data set in one run as one."""
    pieces = {}
    for one in comparisons:
        for record in one.records:
            table = record["table"]
            kind = "curves" if table.startswith("shuffle") else table
            key = kind, one.name, *record["environment"].values()
            pieces.setdefault(key, {**record, "table": kind})
    return list(pieces.values())


def _load_note(comparisons: list[Comparison]) -> str:
    """What else the machine was doing."""
    records = [record for one in comparisons for record in one.records]
    loads = [record["load"] for record in records if "load" in record]
    if not loads:
        return ""
    cores = min(int(record["environment"]["cores"]) for record in records)
    note = (
        f"Load average whenever a piece of work began, this benchmark's own process "
        f"among it: {min(loads):.1f} to {max(loads):.1f} on {cores} cores."
    )
    if max(loads) > cores:
        note += " **The machine was shared with other work: seconds are noisy.**"
    return note


def _settings_table(comparisons: list[Comparison]) -> str:
    header = ["data set", "in the paper", "n", "test", "d", "k", "C", "kernel"]
    rows = []
    for one in comparisons:
        setting, shape = setting_of(one.name), one.shuffles[0]["shape"]
        kernel = "linear"
        if setting.gamma is not None:
            kernel = f"Gaussian, gamma {setting.gamma:g}"
        row = [one.name, setting.paper]
        row += [f"{shape[key]:,}" for key in ("n", "n_test", "d", "k")]
        row += [f"{setting.C:g}", kernel, setting.values, str(len(one.shuffles))]
        rows.append(row)
    return markdown_table([*header, "values", "shuffles"], rows, numbers=False)


def _speed_table(comparisons: list[Comparison]) -> str:
    others = [method for method in COLOURS if method != "LaRank"]
    header = ["data set", *(f"{one}, {axis}" for one in others for axis in FIGURES)]
    rows = []
    for one in comparisons:
        row = [one.name]
        for method in others:
            for axis in FIGURES:
                single = _with_error(one.speed_ups(axis, method), 100, "{:.1f}")
                whole = 100 * one.bar(axis, method).speed_up
                row.append(f"{whole:.1f} % ({single})")
        rows.append([*row, percent(setting_of(one.name).speed_up)])
    return markdown_table([*header, "paper, GaLa, seconds"], rows)


def _with_error(values: list[float], unit: float, form: str) -> str:
    """Mean and standard error in multiples of 1 / unit."""
    mean, error = mean_and_error(values)
    text = form.format(unit * mean)
    return text if error is None else f"{text} ± {form.format(unit * error)}"


def _pair(rates) -> str:
    return f"{rates[0]:.2f}, {rates[1]:.1f}"


def _rates_table(comparisons: list[Comparison]) -> str:
    header = ["data set", "trials", *METHODS, "LaRank in the paper"]
    rows = []
    for one in comparisons:
        row = [one.name, _pair(one.rates["rates"])]
        row += [_pair(one.shown_rates(method)) for method in METHODS]
        rows.append([*row, _pair(setting_of(one.name).rates)])
    return markdown_table(header, rows)


def _end_table(comparisons: list[Comparison]) -> str:
    header = ["data set", "machine", "seconds", "test error, %", "dual value"]
    header += ["support patterns", "work, millions", "ns / work"]
    rows = []
    for one in comparisons:
        for method in METHODS:
            curves = one.curves(method)
            ends = {key: [curve[key][-1] for curve in curves] for key in curves[0]}
            row = [one.name, method, _with_error(ends["seconds"], 1, "{:.3g}")]
            row += [_with_error(ends["error"], 100, "{:.2f}")]
            row += [
                _dual(one.end(method, "dual")),
                f"{one.end(method, 'support'):,.0f}",
            ]
            work = one.end(method, "work")
            nanoseconds = 1e9 * one.end(method, "seconds") / work
            rows.append([*row, digits(work / 1e6), f"{nanoseconds:.2f}"])
        for peer, entry in one.peers.items():
            stopped = LIMITED * (entry.get("status") == "max_time")
            row = [one.name, peer, digits(entry["seconds"]) + stopped]
            row += [f"{100 * entry['error']:.2f}", _dual(entry["objective"])]
            rows.append([*row, f"{entry['support']:,}", NONE, NONE])
    return markdown_table(header, rows)


def _dual(value: float | None) -> str:
    return NONE if value is None else f"{value:,.2f}"
