"""How few weights are enough: three penalties, along a path of C.

``python examples/small_models.py --output small-models.png`` trains one-vs-rest on
scikit-learn's digits for a grid of C with each penalty, and draws accuracy on held-out
rows against the weights, and the features, that are not zero.
"""

import argparse

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from polymargin import path

PENALTIES = ("l2", "l1", "group")


def main(arguments: list[str] | None = None) -> None:
    """Train, print and plot."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", default="small-models.png", help="(%(default)s)")
    output = parser.parse_args(arguments).output

    X, y = load_digits(return_X_y=True)
    X, X_test, y, y_test = train_test_split(X / 16, y, test_size=0.4, random_state=0)
    figure = Figure(figsize=(9, 3.4), layout="constrained")
    weights, features = figure.subplots(1, 2, sharey=True)
    print(f"{'penalty':<10}{'C':>10}{'weights':>10}{'features':>10}{'accuracy':>10}")
    for penalty in PENALTIES:
        parameters = {"loss": "squared_hinge", "penalty": penalty, "random_state": 0}
        models = path(X, y, np.logspace(-2.5, 0, 8), "ovr", **parameters)
        kept = [model.n_parameters_.kept for model in models]
        used = [int(model.coef_.any(axis=0).sum()) for model in models]
        scores = [model.score(X_test, y_test) for model in models]
        for model, *numbers in zip(models, kept, used, scores, strict=True):
            row = "{:>10}{:>10}{:>10.3f}".format(*numbers)
            print(f"{penalty:<10}{model.C:>10.4f}{row}")
        weights.plot(kept, scores, "o-", label=f'penalty="{penalty}"')
        features.plot(used, scores, "o-")
    weights.set(xlabel="weights other than zero", ylabel="accuracy on held-out rows")
    features.set(xlabel="features with a weight")
    weights.legend(frameon=False)
    figure.savefig(output, dpi=150)
    print(f"\nThe plot is in {output}.")


if __name__ == "__main__":
    main()
