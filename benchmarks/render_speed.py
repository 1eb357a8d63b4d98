"""The speed tables as Markdown: the solvers of a contest side by side."""

from .contests import Contest
from .markdown import NONE, bar, digits, markdown_table, ratio, share, times
from .measure import geometric_mean

BOUND = ">"  # before what is only a lower bound
SLOW = "†"  # after what was run once only, because it takes so long


def _sizes(record: dict) -> list[str]:
    return [f"{record['shape'][size]:,}" for size in ("n", "d", "k")]


def _peers(contest: Contest, records: list[dict]) -> list[str]:
    names = {name: None for record in records for name in record["solvers"]}
    return [name for name in names if name != contest.ours]


def _seconds(entry: dict) -> float | None:
    """Seconds, or what they are at least."""
    return entry.get("seconds", entry.get("at_least"))


def _peer_ratio(contest: Contest, record: dict, peer: str) -> float | None:
    """Ratio of the times; a lower bound if the peer's time is one."""
    solvers = record["solvers"]
    ours = solvers.get(contest.ours, {}).get("seconds")
    return ratio(_seconds(solvers.get(peer, {})), ours)


def _reached(record: dict, name: str) -> bool:
    return "seconds" in record["solvers"].get(name, {})


def _better_ratio(contest: Contest, record: dict) -> float | None:
    """Ratio to the faster of the main peers, of all if none of those got there."""
    everyone = _peers(contest, [record])
    for peers in (contest.main, everyone):
        reached = [
            peer for peer in peers if "seconds" in record["solvers"].get(peer, {})
        ]
        gains = [_peer_ratio(contest, record, peer) for peer in reached]
        gains = [gain for gain in gains if gain is not None]
        if gains:
            return min(gains)
    bounds = [_peer_ratio(contest, record, peer) for peer in everyone]
    return min((gain for gain in bounds if gain is not None), default=None)


def _timed(entry: dict) -> str:
    """Median over seeds and, in brackets if there were several, their range."""
    if "at_least" in entry:
        return f"{BOUND} {digits(entry['at_least'])}{SLOW}"
    if entry.get("seconds") is None:
        return "not reached" if entry else NONE
    mark = "" if entry["reached"] else "*"
    mark += SLOW if any(seed.get("slow") for seed in entry["seeds"]) else ""
    low, high = (digits(value) for value in entry["range"])
    bounds = "" if low == high else f" ({low} to {high})"
    return f"{digits(entry['seconds'])}{mark}{bounds}"


def _over_seeds(entry: dict, name: str, form: str = "g") -> str:
    """The range of a value over the seeds."""
    values = [seed.get(name) for seed in entry.get("seeds", [])]
    if not values or None in values:
        return NONE
    low, high = format(min(values), form), format(max(values), form)
    return low if low == high else f"{low} to {high}"


def speed_tables(contest: Contest, records: list[dict]) -> str:
    """Speed, bars, tolerances and accuracy of a contest."""
    parts = [
        f"{contest.words}, C = 1, no intercept, float32 rows, one thread. Seconds to a "
        "primal objective within 0.1 % of the optimum; each solver at the loosest "
        "tolerance of its ladder that gets there, searched for each seed apart, since "
        "when a solver stops depends on it. Median over the seeds of the minimum over "
        "the runs (fits of more than 5 s are run once per seed), in brackets the range "
        "over the seeds. Peers: their data structures are built before the clock "
        "starts (of scikit-learn only the change to float64); polymargin: all of "
        "`fit`. Spread: the longest over the shortest run of the same fit, the largest "
        "of all. An asterisk marks a solver that missed the objective in a repetition."
        + _about_slow(records),
        _speed_table(contest, records),
        _ratio_bars(contest, records),
        "How it was reached: the optimum (an objective with its certified relative "
        "gap), the tolerance of each solver, and polymargin at its default `tol=1e-3`."
        + _about_fastest(records),
        _tolerance_table(contest, records),
    ]
    if not any("epoch" in record for record in records):  # else they are shown there
        parts += ["Test accuracy.", _accuracy_table(contest, records)]
    return "\n\n".join(part for part in parts if part)


def _about_slow(records: list[dict]) -> str:
    entries = [entry for record in records for entry in record["solvers"].values()]
    if not any(seed.get("slow") for entry in entries for seed in entry["seeds"]):
        return ""
    return (
        f" {SLOW}: took more than 150 s, so it was run once; with {BOUND} it had not "
        "reached the objective even then, and its time counts as a lower bound."
    )


def _about_fastest(records: list[dict]) -> str:
    entries = [entry for record in records for entry in record["solvers"].values()]
    if not any("fastest" in entry for entry in entries):
        return ""
    tried = {name: None for entry in entries for name in entry.get("races", ())}
    return (
        " Where a peer has several solvers, the fastest on the data set is named; "
        f"tried, if they suit the data: {', '.join(tried)}."
    )


def _speed_table(contest: Contest, records: list[dict]) -> str:
    peers = _peers(contest, records)
    header = ["data set", "n", "d", "k", "polymargin s"]
    for peer in peers:
        header += [f"{peer} s", "ratio"]
    rows = []
    for record in records:
        solvers = record["solvers"]
        row = [record["data"], *_sizes(record), _timed(solvers.get(contest.ours, {}))]
        for peer in peers:
            entry = solvers.get(peer, {})
            gain = times(_peer_ratio(contest, record, peer))
            row += [_timed(entry), f"{BOUND} {gain}" if "at_least" in entry else gain]
        spreads = [entry["spread"] for entry in solvers.values() if "spread" in entry]
        rows.append([*row, f"{max(spreads, default=1):.2f}"])
    mean = ["geometric mean", "", "", "", ""]
    for peer in peers:
        gains = [_peer_ratio(contest, record, peer) for record in records]
        gains = [gain for gain in gains if gain is not None]
        mean += ["", times(geometric_mean(gains) if gains else None)]
    return markdown_table([*header, "spread"], [*rows, [*mean, ""]])


def _ratio_bars(contest: Contest, records: list[dict]) -> str:
    gains = {record["data"]: _better_ratio(contest, record) for record in records}
    gains = {name: gain for name, gain in gains.items() if gain is not None}
    if not gains:
        return ""
    worst = min(gains, key=gains.__getitem__)
    mean = geometric_mean(gains.values())
    peers = contest.main[0]
    if len(contest.main) > 1:
        peers = f"the faster of {' and '.join(contest.main)}"
    return "\n".join(
        [
            bar(f"geometric mean over {peers}", mean, contest.mean),
            bar(f"smallest ratio ({worst})", gains[worst], contest.each),
            *_fallbacks(contest, records),
        ]
    )


def _fallbacks(contest: Contest, records: list[dict]) -> list[str]:
    """Say where none of the main peers got there."""
    names = [
        record["data"]
        for record in records
        if not any(
            "seconds" in record["solvers"].get(peer, {}) for peer in contest.main
        )
    ]
    if not names:
        return []
    return [
        f"- {' and '.join(contest.main)} did not get there on {', '.join(names)}: the "
        "fastest of the others counts, or where none did, the lower bounds."
    ]


def _tolerance_table(contest: Contest, records: list[dict]) -> str:
    peers = _peers(contest, records)
    header = ["data set", "optimum", "its gap", "polymargin tol", "epochs"]
    header += [f"{peer} tol" for peer in peers]
    header += ["default s", "default epochs", "default gap"]
    rows = []
    for record in records:
        ours, default = record["solvers"].get(contest.ours, {}), record["default"]
        row = [
            record["data"],
            f"{record['optimum']['objective']:.6g}",
            f"{record['optimum']['gap']:.0e}",
            _over_seeds(ours, "tolerance"),
            _over_seeds(ours, "epochs"),
        ]
        for peer in peers:
            entry = record["solvers"].get(peer, {})
            fastest = f"{entry['fastest']} " if "fastest" in entry else ""
            row.append(f"{fastest}{_over_seeds(entry, 'tolerance')}")
        row += [digits(default["seconds"]), _over_seeds(default, "epochs")]
        rows.append([*row, _over_seeds(default, "gap", ".1e")])
    return markdown_table(header, rows)


def _accuracy_table(contest: Contest, records: list[dict]) -> str:
    names = [contest.ours, *_peers(contest, records)]
    rows = []
    for record in records:
        entries = [record["solvers"].get(name, {}) for name in names]
        rows.append(
            [record["data"], *(share(entry.get("accuracy")) for entry in entries)]
        )
    return markdown_table(["data set", *names], rows)
