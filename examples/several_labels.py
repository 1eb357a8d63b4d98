"""Rare labels are found by their thresholds: F1 of labels that are rare and frequent.

``python examples/several_labels.py --output several-labels.png`` makes rows of several
labels, trains one-vs-rest with thresholds of zero and with those of the best F1, and
draws the F1 of every label on held-out rows.
"""

import argparse

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import make_multilabel_classification
from sklearn.metrics import f1_score

from polymargin import LinearSVM


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
    figure = Figure(figsize=(9, 3.2), layout="constrained")
    plot = figure.subplots()
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
    figure.savefig(output, dpi=150)
    print(f"\nThe plot is in {output}.")


if __name__ == "__main__":
    main()
