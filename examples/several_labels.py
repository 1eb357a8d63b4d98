"""Rare labels are found by their thresholds, and labels are put in order by pairs.

``python examples/several_labels.py --output several-labels.png`` makes rows of several
labels, trains one-vs-rest with thresholds of zero and with those of the best F1, and
draws the F1 of every label on held-out rows. Beside it, the share of pairs of a label
and another class that are in the wrong order, by one-vs-rest and by a machine that
ranks.
"""

import argparse

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from sklearn.datasets import make_multilabel_classification
from sklearn.metrics import f1_score, label_ranking_loss

from polymargin import LinearSVM, label_pairs


def draw_order(
    plot: Axes, X: np.ndarray, Y: np.ndarray, train: slice, test: slice
) -> None:
    """Draw the share of pairs in the wrong order, for every C."""
    X = np.hstack([X, np.ones((len(X), 1))])  # a constant feature, for intercepts
    pairs = label_pairs(X[train], Y[train])
    Cs = np.logspace(-2, 1, 7)
    for name, rows, labels in (
        ("one-vs-rest", X[train], Y[train]),
        ("ranking", pairs.X, pairs.y),
    ):
        losses = []
        for C in Cs:
            model = LinearSVM("ovr", C=C, fit_intercept=False, random_state=0)
            weights = model.fit(rows, labels).coef_.reshape(Y.shape[1], -1)
            losses.append(label_ranking_loss(Y[test], X[test] @ weights.T))
        print(f"{name:<12}{100 * min(losses):>9.1f} % of pairs in the wrong order")
        plot.plot(Cs, 100 * np.array(losses), marker="o", label=name)
    plot.set(xscale="log", xlabel="C", ylabel="pairs in the wrong order, %")
    plot.legend(frameon=False)


def main(arguments: list[str] | None = None) -> None:
    """Train, print and plot."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", default="several-labels.png", help="(%(default)s)")
    output = parser.parse_args(arguments).output

    X, Y = make_multilabel_classification(
        3000, 40, n_classes=15, n_labels=2, random_state=1
    )
    X = X / X.max()
    train, test = slice(0, 2000), slice(2000, None)
    order = np.argsort(Y[train].mean(axis=0))  # rare labels first
    figure = Figure(figsize=(11, 3.2), layout="constrained")
    plot, order_plot = figure.subplots(1, 2, width_ratios=(2, 1))
    print(f"{'thresholds':<12}{'micro F1':>10}{'macro F1':>10}")
    for thresholds, side in ((None, -0.2), ("f1", 0.2)):
        model = LinearSVM("ovr", thresholds=thresholds, random_state=0)
        predicted = model.fit(X[train], Y[train]).predict(X[test])
        micro, macro = (
            f1_score(Y[test], predicted, average=average, zero_division=0)
            for average in ("micro", "macro")
        )
        name = thresholds or "zero"
        print(f"{name:<12}{micro:>10.3f}{macro:>10.3f}")
        each = f1_score(Y[test], predicted, average=None, zero_division=0)
        places = np.arange(len(order)) + side
        plot.bar(places, each[order], width=0.4, label=f"thresholds: {name}")
    share = 100 * Y[train].mean(axis=0)[order]
    plot.set_xticks(range(len(order)), [f"{part:.0f} %" for part in share])
    plot.set(xlabel="label, by the share of rows that have it", ylabel="F1")
    plot.legend(frameon=False)
    draw_order(order_plot, X, Y, train, test)
    figure.savefig(output, dpi=150)
    print(f"\nThe plot is in {output}.")


if __name__ == "__main__":
    main()
