"""Where zero is does not matter to a free intercept.

``python examples/intercepts.py --output intercepts.png`` trains on a rare class, with
features that are moved farther and farther from zero, and draws how well machines with
a penalised and with a free intercept find it.
"""

import argparse

import numpy as np
from matplotlib.figure import Figure
from sklearn.metrics import balanced_accuracy_score

from polymargin import LinearSVM

DISTANCES = (0, 1, 3, 10, 30, 100, 300)


def main(arguments: list[str] | None = None) -> None:
    """Train, print and plot."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", default="intercepts.png", help="(%(default)s)")
    output = parser.parse_args(arguments).output

    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 3))
    rare = X[:, 0] + 0.3 * rng.normal(size=2000) > 1.6  # one row in twenty
    figure = Figure(figsize=(7, 3.4), layout="constrained")
    plot = figure.subplots()
    print(f"{'distance':<12}" + "".join(f"{each:>8}" for each in DISTANCES))
    for intercept in (True, "free"):
        scores = []
        for distance in DISTANCES:
            model = LinearSVM(fit_intercept=intercept, random_state=0)
            model.fit(X[:1000] + distance, rare[:1000])
            predicted = model.predict(X[1000:] + distance)
            scores.append(balanced_accuracy_score(rare[1000:], predicted))
        print(f"{intercept!s:<12}" + "".join(f"{score:>8.3f}" for score in scores))
        plot.plot(DISTANCES, scores, "o-", label=f"fit_intercept={intercept!r}")
    plot.set_xscale("symlog")
    plot.set_xticks(DISTANCES, DISTANCES)
    plot.set(xlabel="how far the features are from zero", ylabel="balanced accuracy")
    plot.legend(frameon=False)
    figure.savefig(output, dpi=150)
    print(f"\nThe plot is in {output}.")


if __name__ == "__main__":
    main()
