"""Show what the duality gap says while a machine is trained.

``python examples/convergence.py --output convergence.png`` trains Crammer-Singer on the
digits data. Left: the objective of the model and the bound below which no model can be,
which close in on the optimum. Right: the gap of four ways to train.
"""

import argparse
import warnings

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

from polymargin import LinearSVM

WAYS = {
    "default (acf)": LinearSVM(),
    "permuted, shrinking": LinearSVM(order="permuted"),
    "exponentiated gradient": LinearSVM(solver="exponentiated_gradient"),
    "cutting plane": LinearSVM(solver="cutting_plane"),
}


def train(model: LinearSVM, X, y) -> LinearSVM:
    """Train with a certificate after every epoch."""
    common = {"C": 0.1, "tol": 1e-5, "max_iter": 200, "random_state": 0}
    with warnings.catch_warnings():
        # Not all of them get there, which is what the plot is to show.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.set_params(history=True, **common).fit(X, y)


def plot(models: dict[str, LinearSVM], path: str) -> None:
    """Draw the two bounds of the first model, and the gaps of all."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    first = next(iter(models.values())).history_
    epochs = range(1, len(first["gap"]) + 1)
    left.fill_between(epochs, first["dual_objective"], first["objective"], alpha=0.2)
    left.plot(epochs, first["objective"], label="objective of the model")
    left.plot(epochs, first["dual_objective"], label="no model is below this")
    optimum = first["dual_objective"][-1]
    left.set(xlim=(1, 40), ylim=(0.6 * optimum, 1.8 * optimum))
    left.set(xlabel="epochs", ylabel="objective", title="The optimum is in between")
    left.legend()
    for name, model in models.items():
        gaps = model.history_["gap"]
        right.semilogy(range(1, len(gaps) + 1), gaps, label=name)
    right.axhline(1e-3, color="0.6", linestyle=":", linewidth=1)
    right.annotate("default tol", (60, 1.1e-3), color="0.4", fontsize=9)
    right.set(xlabel="epochs", ylabel="relative duality gap", title="Four ways there")
    right.legend()
    for axes in (left, right):
        axes.grid(alpha=0.25)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def main(arguments: list[str] | None = None) -> None:
    """Train, print and plot."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", default="convergence.png", help="(convergence.png)")
    output = parser.parse_args(arguments).output

    X, y = load_digits(return_X_y=True)
    models = {name: train(model, X / 16, y) for name, model in WAYS.items()}
    print(f"{'training':<24}{'epochs':>8}{'objective':>12}{'at least':>12}{'gap':>10}")
    for name, model in models.items():
        print(
            f"{name:<24}{model.n_iter_:>8}{model.objective_:>12.4f}"
            f"{model.dual_objective_:>12.4f}{model.dual_gap_:>10.1e}"
        )
    plot(models, output)
    print(f"\nThe plot is in {output}.")


if __name__ == "__main__":
    main()
