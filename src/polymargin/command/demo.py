"""``polymargin demo``: every machine on the digits data, a table and a plot."""

import argparse
from time import perf_counter

from .exit_status import OK
from .output_files import check_target

HELP = "Train every machine on the digits data: a table, and a plot with matplotlib."
INTERRUPTED = "stopped."
EXAMPLES = """\
  polymargin demo
  polymargin demo --output convergence.png
  polymargin demo --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what can be asked for."""
    parser.add_argument(
        "--output", "-o", default="demo-convergence.png", help="the plot"
    )
    parser.add_argument("--no-plot", action="store_true", help="only the table")
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object, for programs"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the table and write the plot."""
    from .. import show_config
    from .standard_streams import note, print_json

    if not arguments.no_plot:
        check_target(arguments.output)
    split = _digits()
    if not arguments.json:
        show_config()
        _print_head(*split)
    rows, traces = [], {}
    for name, model in _models().items():
        row, traces[name] = _train(name, model, *split, trace=not arguments.no_plot)
        rows.append(row)
        if not arguments.json:
            print(
                f"{name:<26}{row['seconds']:>9.4f}{row['epochs']:>8}"
                f"{row['dual_gap']:>13.2e}{row['accuracy']:>10.4f}"
            )
    if arguments.json:
        print_json({"data": "digits", "machines": rows})
    else:
        print("\nA gap of 1e-3: no model has an objective lower by more than 0.1 %.")
    if arguments.no_plot:
        return OK
    try:
        _plot(traces, arguments.output)
    except ImportError:
        note("there is no plot, because matplotlib is not installed.")
        return OK
    if not arguments.json:
        print(f"The convergence plot is in {arguments.output}.")
    return OK


def _models() -> dict:
    from .. import KernelSVM, LinearSVM, MaxEnt

    return {
        "Crammer-Singer": LinearSVM("cs"),
        "Crammer-Singer, squared": LinearSVM("cs", loss="squared_hinge"),
        "Weston-Watkins": LinearSVM("ww"),
        "Weston-Watkins, squared": LinearSVM("ww", loss="squared_hinge"),
        "Lee-Lin-Wahba, squared": LinearSVM("llw", loss="squared_hinge"),
        "one-vs-rest": LinearSVM("ovr"),
        "one-vs-rest, logistic": LinearSVM("ovr", loss="logistic"),
        "one-vs-one": LinearSVM("ovo"),
        "maximum entropy": MaxEnt(),
        "Weston-Watkins, kernel": KernelSVM("ww"),
        "Crammer-Singer, kernel": KernelSVM("cs"),
    }


def _digits() -> list:
    """Return training rows, test rows and the labels of both."""
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split

    X, y = load_digits(return_X_y=True)
    return train_test_split(X / 16, y, test_size=0.3, stratify=y, random_state=0)


def _print_head(X, X_test, y, y_test) -> None:
    print(
        f"\ndigits: {len(y)} training rows, {len(y_test)} test rows, "
        f"{X.shape[1]} features, 10 classes\n\n"
        f"{'machine':<26}{'seconds':>9}{'epochs':>8}{'duality gap':>13}{'accuracy':>10}"
    )


def _train(name: str, model, X, X_test, y, y_test, trace: bool):
    """Return what the table shows of a machine, and another trained to trace it."""
    from sklearn.base import clone

    traced = None
    if trace:
        traced = clone(model).set_params(random_state=0, tol=1e-6, history=True)
        traced.fit(X, y)
    start = perf_counter()
    model.set_params(random_state=0).fit(X, y)
    row = {
        "machine": name,
        "seconds": perf_counter() - start,
        "epochs": model.n_iter_,
        "dual_gap": model.dual_gap_,
        "accuracy": model.score(X_test, y_test),
    }
    return row, traced


def _plot(traces: dict, path: str) -> None:
    """Draw the certified gap against training time."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.2), layout="constrained")
    axes = figure.subplots()
    for name, model in traces.items():
        milliseconds = 1e3 * model.history_["seconds"]
        style = "--" if hasattr(model, "kernel") else "-"
        axes.semilogy(milliseconds, model.history_["gap"], style, label=name)
    axes.axhline(1e-3, color="0.6", linestyle=":", linewidth=1)
    axes.annotate(
        "default tol",
        (1, 1e-3),
        xycoords=("axes fraction", "data"),
        xytext=(-4, 3),
        textcoords="offset points",
        ha="right",
        color="0.4",
        fontsize=9,
    )
    axes.set(
        xlabel="training time (ms)",
        ylabel="relative duality gap",
        title="Certified distance to the optimum, digits data",
        xlim=(0, None),
    )
    axes.grid(alpha=0.25)
    axes.legend(fontsize=8, framealpha=1)
    figure.savefig(path, dpi=150)
