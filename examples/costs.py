"""Grades that are far apart must not be confused: machines with and without costs.

``python examples/costs.py --output costs.png`` cuts the disease progression of
scikit-learn's diabetes data into five grades of equal size, trains three machines with
and without ordinal costs, and draws by how many grades their predictions are off.
"""

import argparse

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_diabetes
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from polymargin import LinearSVM, mean_cost

MACHINES = {"Crammer-Singer": "cs", "Weston-Watkins": "ww", "Lee-Lin-Wahba": "llw"}
GRADES = 5


def grades():
    """Rows, and grades from 0 to 4 of the same size."""
    X, progression = load_diabetes(return_X_y=True)
    bounds = np.quantile(progression, np.arange(1, GRADES) / GRADES)
    return 20 * X, np.searchsorted(bounds, progression)  # features of variance one


def main(arguments: list[str] | None = None) -> None:
    """Train, print and plot."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", default="costs.png", help="(costs.png)")
    output = parser.parse_args(arguments).output

    X, y = grades()
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    figure = Figure(figsize=(9, 3.2), layout="constrained")
    plots = figure.subplots(1, len(MACHINES), sharey=True)
    print(f"{'machine':<24}{'mean cost':>10}{'accuracy':>10}{'off by 2+':>10}")
    for plot, (title, machine) in zip(plots, MACHINES.items(), strict=True):
        for costs, side in ((None, -0.2), ("ordinal", 0.2)):
            model = LinearSVM(machine, C=0.1, costs=costs, random_state=0)
            predicted = cross_val_predict(model, X, y, cv=folds)
            off = np.abs(predicted - y)
            name = title if costs is None else f"{title}, costs"
            print(
                f"{name:<24}{mean_cost(y, predicted, 'ordinal'):>10.3f}"
                f"{np.mean(off == 0):>10.3f}{np.mean(off >= 2):>10.3f}"
            )
            share = np.bincount(off, minlength=GRADES) / len(y)
            label = "costs='ordinal'" if costs else "without costs"
            plot.bar(np.arange(GRADES) + side, 100 * share, width=0.4, label=label)
        plot.set(title=title, xlabel="grades off", xticks=range(GRADES))
    plots[0].set_ylabel("rows, %")
    plots[-1].legend(frameon=False)
    figure.savefig(output, dpi=150)
    print(f"\nThe plot is in {output}.")


if __name__ == "__main__":
    main()
