"""Table 1 as Markdown: the solvers side by side."""

from .markdown import (
    NONE,
    bar,
    digits,
    markdown_table,
    megabytes,
    ratio,
    share,
    times,
)
from .measure import geometric_mean

OURS = "polymargin cs"
MAIN_PEER = "LIBLINEAR -s 4"
# What was set out to be reached, one thread each.
BAR_MEAN, BAR_EACH, BAR_EPOCH = 4.0, 1.5, 1.5


def _sizes(record: dict) -> list[str]:
    return [f"{record['shape'][size]:,}" for size in ("n", "d", "k")]


def _peers(records: list[dict]) -> list[str]:
    names = {name: None for record in records for name in record["solvers"]}
    return [name for name in names if name != OURS]


def _peer_ratio(record: dict, peer: str) -> float | None:
    solvers = record["solvers"]
    return ratio(
        solvers.get(peer, {}).get("seconds"), solvers.get(OURS, {}).get("seconds")
    )


def _timed_seeds(entry: dict) -> str:
    """Median over seeds and, in brackets if there were several, their range."""
    if entry.get("seconds") is None:
        return "not reached" if entry else NONE
    star = "" if entry["reached"] else "*"
    low, high = (digits(value) for value in entry["range"])
    bounds = "" if low == high else f" ({low} to {high})"
    return f"{digits(entry['seconds'])}{star}{bounds}"


def _over_seeds(entry: dict, name: str, form: str = "g") -> str:
    """The range of a value over the seeds."""
    values = [seed.get(name) for seed in entry.get("seeds", [])]
    if not values or None in values:
        return NONE
    low, high = format(min(values), form), format(max(values), form)
    return low if low == high else f"{low} to {high}"


def speed_tables(records: list[dict]) -> str:
    """Table 1: speed, tolerances, models and the cost of an epoch."""
    parts = [
        "Crammer-Singer, C = 1, no intercept, float32 rows, one thread. Seconds to a "
        "primal objective within 0.1 % of the optimum; each solver at the loosest "
        "tolerance of its ladder that gets there, searched for each seed apart, since "
        "when a solver stops depends on it. Median over the seeds of the minimum over "
        "the runs (fits of more than 5 s are run once per seed), in brackets the range "
        "over the seeds. Peers: their data structures are built before the clock "
        "starts (of LinearSVC only the change to float64); polymargin: all of `fit`. "
        "Spread: the longest over the shortest run of the same fit, the largest of "
        "all. An asterisk marks a solver that missed the objective in a repetition.",
        _speed_table(records),
        _ratio_bars(records),
        "How it was reached: the optimum (an objective with its certified relative "
        "gap), the tolerance of each solver, and polymargin at its default `tol=1e-3`.",
        _tolerance_table(records),
        "Test accuracy and peak memory of training in MB, above the process with the "
        "data loaded; each solver's own copy of the data counts.",
        _model_table(records),
        'Cost of one full epoch (`order="permuted"`, no shrinking) in units of one '
        "SciPy `X @ W` with CSR rows in float32. Early: median of epochs 2 to 6; "
        "late: of epochs 26 to 30. For dense data also in units of the BLAS product.",
        _epoch_table(records),
        _epoch_bar(records),
    ]
    return "\n\n".join(part for part in parts if part)


def _speed_table(records: list[dict]) -> str:
    peers = _peers(records)
    header = ["data set", "n", "d", "k", "polymargin s"]
    for peer in peers:
        header += [f"{peer} s", "ratio"]
    rows = []
    for record in records:
        solvers = record["solvers"]
        row = [record["data"], *_sizes(record), _timed_seeds(solvers.get(OURS, {}))]
        for peer in peers:
            row += [_timed_seeds(solvers.get(peer, {}))]
            row += [times(_peer_ratio(record, peer))]
        spreads = [entry["spread"] for entry in solvers.values() if "spread" in entry]
        rows.append([*row, f"{max(spreads, default=1):.2f}"])
    mean = ["geometric mean", "", "", "", ""]
    for peer in peers:
        mean += ["", times(_mean_ratio(records, peer))]
    return markdown_table([*header, "spread"], [*rows, [*mean, ""]])


def _ratios(records: list[dict], peer: str) -> dict[str, float]:
    gains = {record["data"]: _peer_ratio(record, peer) for record in records}
    return {name: gain for name, gain in gains.items() if gain is not None}


def _mean_ratio(records: list[dict], peer: str) -> float | None:
    ratios = _ratios(records, peer)
    return geometric_mean(ratios.values()) if ratios else None


def _ratio_bars(records: list[dict]) -> str:
    ratios = _ratios(records, MAIN_PEER)
    if not ratios:
        return ""
    worst = min(ratios, key=ratios.__getitem__)
    mean = geometric_mean(ratios.values())
    return "\n".join(
        [
            bar(f"geometric mean over {MAIN_PEER}", mean, BAR_MEAN),
            bar(f"smallest ratio ({worst})", ratios[worst], BAR_EACH),
        ]
    )


def _tolerance_table(records: list[dict]) -> str:
    peers = _peers(records)
    header = ["data set", "optimum", "its gap", "polymargin tol", "epochs"]
    header += [f"{peer} tol" for peer in peers]
    header += ["default s", "default epochs", "default gap"]
    rows = []
    for record in records:
        ours, default = record["solvers"].get(OURS, {}), record["default"]
        row = [
            record["data"],
            f"{record['optimum']['objective']:.6g}",
            f"{record['optimum']['gap']:.0e}",
            _over_seeds(ours, "tolerance"),
            _over_seeds(ours, "epochs"),
        ]
        row += [
            _over_seeds(record["solvers"].get(peer, {}), "tolerance") for peer in peers
        ]
        row += [digits(default["seconds"]), _over_seeds(default, "epochs")]
        rows.append([*row, _over_seeds(default, "gap", ".1e")])
    return markdown_table(header, rows)


def _model_table(records: list[dict]) -> str:
    names = [OURS, *_peers(records)]
    header = ["data set", *(f"{name} accuracy" for name in names), "data MB"]
    header += [f"{name} MB" for name in names]
    rows = []
    for record in records:
        entries = [record["solvers"].get(name, {}) for name in names]
        row = [record["data"], *(share(entry.get("accuracy")) for entry in entries)]
        row += [megabytes(record["data_bytes"])]
        row += [megabytes(entry.get("peak_bytes")) for entry in entries]
        rows.append(row)
    return markdown_table(header, rows)


def _epoch_table(records: list[dict]) -> str:
    header = [
        "data set",
        "X @ W ms",
        "early epoch ms",
        "early",
        "late epoch ms",
        "late",
    ]
    header += ["late, BLAS"]
    rows = []
    for record in records:
        cost = record["epoch"]
        row = [record["data"], digits(1e3 * cost["csr"])]
        for when in ("early", "late"):
            row += [digits(1e3 * cost[when]), digits(cost[when] / cost["csr"])]
        rows.append([*row, digits(ratio(cost["late"], cost["blas"]))])
    return markdown_table(header, rows)


def _epoch_bar(records: list[dict]) -> str:
    costs = {
        (record["data"], when): record["epoch"][when] / record["epoch"]["csr"]
        for record in records
        for when in ("early", "late")
    }
    if not costs:
        return ""
    dearest = max(costs, key=costs.__getitem__)
    what = f"dearest epoch in X @ W ({dearest[0]}, {dearest[1]})"
    return bar(what, costs[dearest], BAR_EPOCH, at_least=False)
