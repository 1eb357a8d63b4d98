"""What table 1 has beside the speed: memory, and the cost of an epoch, as Markdown."""

from .contests import CONTESTS
from .markdown import bar, digits, markdown_table, megabytes, ratio, share
from .render_speed import speed_tables

BAR_EPOCH = 1.5  # products X @ W that an epoch may cost


def crammer_singer_tables(records: list[dict]) -> str:
    """Table 1: speed, tolerances, models and the cost of an epoch."""
    parts = [
        speed_tables(CONTESTS[1], records),
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


def _model_table(records: list[dict]) -> str:
    names = list({name: None for record in records for name in record["solvers"]})
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
    header = ["data set", "X @ W ms", "early epoch ms", "early", "late epoch ms"]
    header += ["late", "late, BLAS"]
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
