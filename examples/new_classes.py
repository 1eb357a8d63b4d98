"""A stream in which classes appear that nobody has named.

``python examples/new_classes.py --output new-classes.png`` shows digits to a linear
machine and to one with a kernel, first 0 to 4, then one more every few chunks, and
draws accuracy on held-out rows of the digits that have come so far.
"""

import argparse

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_digits

from polymargin import LinearSVM, OnlineSVM

CHUNK, CHUNKS = 40, 32
FIRST, EVERY = 5, 4  # classes at the beginning, and chunks until one more comes


def main(arguments: list[str] | None = None) -> None:
    """Learn, print and plot."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", default="new-classes.png", help="(%(default)s)")
    output = parser.parse_args(arguments).output

    X, y = load_digits(return_X_y=True)
    X, X_test, y, y_test = X[:1300] / 16, X[1300:] / 16, y[:1300], y[1300:]
    rng = np.random.default_rng(0)
    machines = {
        "LinearSVM": LinearSVM("cs", C=0.1, new_classes="add", random_state=0),
        "OnlineSVM": OnlineSVM(C=10, gamma=0.5, new_classes="add", random_state=0),
    }
    scores = {name: [] for name in machines}
    for chunk in range(CHUNKS):
        known = min(FIRST + chunk // EVERY, 10)
        rows = rng.choice(np.flatnonzero(y < known), CHUNK, replace=False)
        here = y_test < known
        for name, model in machines.items():
            model.partial_fit(X[rows], y[rows])
            scores[name].append(model.score(X_test[here], y_test[here]))
    figure = Figure(figsize=(8, 3.4), layout="constrained")
    plot = figure.subplots()
    for name, values in scores.items():
        print(f"{name:<12}{len(machines[name].classes_):>4}{values[-1]:>8.3f}")
        plot.plot(CHUNK * np.arange(1, CHUNKS + 1), values, label=name)
    for come in range(FIRST, 10):
        at = CHUNK * EVERY * (come - FIRST + 1)
        plot.axvline(at, color="gray", linewidth=0.5)
        plot.text(at + 5, 0.55, f"{come}")
    plot.set(xlabel="rows", ylabel="accuracy on the digits so far", ylim=(0.5, 1))
    plot.legend(frameon=False)
    figure.savefig(output, dpi=150)
    print(f"\nThe plot is in {output}.")


if __name__ == "__main__":
    main()
