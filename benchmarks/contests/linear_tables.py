"""The speed tables of the linear contest: the solvers of a match side by side."""

from ..harness.ladder import Match
from ..harness.markdown import (
    LIMITED,
    NONE,
    SIZES,
    bar,
    data_name,
    digits,
    ratio,
    share,
    table_of,
    times,
    worst_bar,
)
from ..harness.timing import geometric_mean

BOUND = ">"  # before what is only a lower bound


def _peers(match: Match, records: list[dict]) -> list[str]:
    names = dict.fromkeys(name for record in records for name in record["solvers"])
    return [name for name in names if name != match.ours]


def _entry(record: dict, name: str) -> dict:
    return record["solvers"].get(name, {})


def _peer_ratio(match: Match, record: dict, peer: str) -> float | None:
    """Ratio of the times; a lower bound if the peer's time is one."""
    theirs = _entry(record, peer)
    seconds = theirs.get("seconds", theirs.get("at_least"))
    return ratio(seconds, _entry(record, match.ours).get("seconds"))


def _better_ratio(match: Match, record: dict) -> float | None:
    """Ratio to the faster of the main peers, of all if none of those got there."""
    everyone = _peers(match, [record])
    reached = [one for one in everyone if "seconds" in _entry(record, one)]
    main = [one for one in match.main if one in reached]
    gains = [_peer_ratio(match, record, one) for one in main or reached or everyone]
    return min((gain for gain in gains if gain is not None), default=None)


def _timed(entry: dict) -> str:
    """Median over seeds and, in brackets if there were several, their range."""
    if "at_least" in entry:
        return f"{BOUND} {digits(entry['at_least'])}{LIMITED}"
    if entry.get("seconds") is None:
        return "not reached" if entry else NONE
    mark = "" if entry["reached"] else "*"
    mark += LIMITED if any(seed.get("slow") for seed in entry["seeds"]) else ""
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


def speed_tables(match: Match, records: list[dict]) -> list[str]:
    """Speed, bars and tolerances of a match."""
    entries = [entry for record in records for entry in record["solvers"].values()]
    slow = fastest = ""
    if any(seed.get("slow") for entry in entries for seed in entry["seeds"]):
        slow = (
            f" {LIMITED}: took more than 150 s, so it was run once; with {BOUND} it "
            "had not reached the objective even then: its time is a lower bound."
        )
    tried = dict.fromkeys(name for entry in entries for name in entry.get("races", ()))
    if tried:
        fastest = (
            " Where a peer has several solvers, the fastest on the data set is named; "
            f"tried, if they suit the data: {', '.join(tried)}."
        )
    return [
        f"{match.words}, C = 1, no intercept, float32 rows, one thread. Seconds to a "
        "primal objective within 0.1 % of the optimum; each solver at the loosest "
        "tolerance of its ladder that gets there, searched for each seed apart, since "
        "when a solver stops depends on it. Median over the seeds of the minimum over "
        "the runs (fits of more than 5 s are run once per seed), in brackets the range "
        "over the seeds. Peers: their data structures are built before the clock "
        "starts (of scikit-learn only the change to float64); polymargin: all of "
        "`fit`. Spread: the longest over the shortest run of the same fit, the largest "
        "of all. An asterisk marks a solver that missed the objective in a repetition."
        + slow,
        _speed_table(match, records),
        _bars(match, records),
        "How it was reached: the optimum (an objective with its certified relative "
        "gap), the tolerance of each solver, and polymargin at its default `tol=1e-3`."
        + fastest,
        _tolerance_table(match, records),
    ]


def _speed_table(match: Match, records: list[dict]) -> str:
    def gain(peer: str):
        def cell(record: dict) -> str:
            text = times(_peer_ratio(match, record, peer))
            return f"{BOUND} {text}" if "at_least" in _entry(record, peer) else text

        return cell

    def largest_spread(record: dict) -> str:
        return f"{max(one.get('spread', 1) for one in record['solvers'].values()):.2f}"

    columns = {"data set": data_name, **SIZES}
    columns["polymargin s"] = lambda record: _timed(_entry(record, match.ours))
    means = ["geometric mean", "", "", "", ""]
    for peer in _peers(match, records):
        columns[f"{peer} s"] = lambda record, peer=peer: _timed(_entry(record, peer))
        columns[f"{peer} / ours"] = gain(peer)
        mean = geometric_mean(_peer_ratio(match, record, peer) for record in records)
        means += ["", times(mean)]
    columns["spread"] = largest_spread
    return table_of(records, columns, [*means, ""])


def _bars(match: Match, records: list[dict]) -> str:
    gains = {record["data"]: _better_ratio(match, record) for record in records}
    mean = geometric_mean(gains.values())
    if mean is None:
        return ""
    peers = match.main[0]
    if len(match.main) > 1:
        peers = f"the faster of {' and '.join(match.main)}"
    lines = [bar(f"geometric mean over {peers}", mean, match.mean)]
    lines += worst_bar("smallest ratio", gains, match.each)
    never = [
        record["data"]
        for record in records
        if not any("seconds" in _entry(record, peer) for peer in match.main)
    ]
    if never:
        lines.append(
            f"- {' and '.join(match.main)} did not get there on {', '.join(never)}: "
            "the fastest of the others counts, or where none did, the lower bounds."
        )
    return "\n".join(lines)


def _tolerance_table(match: Match, records: list[dict]) -> str:
    def tolerance(peer: str):
        def cell(record: dict) -> str:
            entry = _entry(record, peer)
            fastest = f"{entry['fastest']} " if "fastest" in entry else ""
            return f"{fastest}{_over_seeds(entry, 'tolerance')}"

        return cell

    peers = {f"{peer} tol": tolerance(peer) for peer in _peers(match, records)}
    return table_of(
        records,
        {
            "data set": data_name,
            "optimum": lambda one: f"{one['optimum']['objective']:.6g}",
            "its gap": lambda one: f"{one['optimum']['gap']:.0e}",
            "polymargin tol": tolerance(match.ours),
            "epochs": lambda one: _over_seeds(_entry(one, match.ours), "epochs"),
            **peers,
            "default s": lambda one: digits(one["default"]["seconds"]),
            "default epochs": lambda one: _over_seeds(one["default"], "epochs"),
            "default gap": lambda one: _over_seeds(one["default"], "gap", ".1e"),
        },
    )


def accuracy_table(match: Match, records: list[dict]) -> str:
    """Test accuracy of every solver."""

    def cell(name: str):
        return lambda record: share(_entry(record, name).get("accuracy"))

    names = [match.ours, *_peers(match, records)]
    columns = {name: cell(name) for name in names}
    return table_of(records, {"data set": data_name, **columns})
