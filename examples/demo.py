"""Train every machine on the digits data: a table, and a convergence plot.

Run it with ``make demo``, or ``python examples/demo.py --output plot.png`` where
polymargin and matplotlib are installed.
"""

import argparse
from time import perf_counter

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from polymargin import KernelSVM, LinearSVM, MaxEnt, show_config

MODELS = {
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


def train_all(X, y, X_test, y_test):
    """Yield name, model with history, seconds without it, and test accuracy."""
    for name, model in MODELS.items():
        traced = clone(model).set_params(random_state=0, tol=1e-6, history=True)
        start = perf_counter()
        model.set_params(random_state=0).fit(X, y)
        seconds = perf_counter() - start
        yield name, model, seconds, model.score(X_test, y_test), traced.fit(X, y)


def plot(traces, path):
    """Draw the certified gap against training time."""
    figure, axes = plt.subplots(figsize=(7, 4.2), layout="constrained")
    for name, model in traces.items():
        milliseconds = 1e3 * model.history_["seconds"]
        style = "--" if isinstance(model, KernelSVM) else "-"
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
    plt.close(figure)


def main():
    """Print the table and write the plot."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", default="demo-convergence.png")
    output = parser.parse_args().output

    show_config()
    X, y = load_digits(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(
        X / 16, y, test_size=0.3, stratify=y, random_state=0
    )
    print(
        f"\ndigits: {X_train.shape[0]} training rows, {X_test.shape[0]} test rows, "
        f"{X.shape[1]} features, 10 classes\n"
    )
    print(
        f"{'machine':<26}{'seconds':>9}{'epochs':>8}{'duality gap':>13}{'accuracy':>10}"
    )
    traces = {}
    results = train_all(X_train, y_train, X_test, y_test)
    for name, model, seconds, accuracy, traced in results:
        print(
            f"{name:<26}{seconds:>9.4f}{model.n_iter_:>8}"
            f"{model.dual_gap_:>13.2e}{accuracy:>10.4f}"
        )
        traces[name] = traced
    plot(traces, output)
    print(
        "\nA gap of 1e-3: no model has an objective lower by more than 0.1 %."
        f"\nThe convergence plot is in {output}."
    )


if __name__ == "__main__":
    main()
