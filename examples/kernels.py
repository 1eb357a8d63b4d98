"""Draw what machines with different kernels make of three spirals.

``python examples/kernels.py --output kernels.png`` prints a table and draws the region
of every class; rings mark the support vectors.
"""

import argparse

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap

from polymargin import KernelSVM, LinearSVM, OnlineSVM

COLOURS = ("#0072b2", "#d55e00", "#009e73")
MODELS = {
    "linear": LinearSVM("cs", C=10, random_state=0),
    "polynomial, degree 5": KernelSVM(
        kernel="poly", degree=5, coef0=1, C=10, random_state=0
    ),
    "Gaussian": KernelSVM(gamma=2, C=10, random_state=0),
    "Laplacian": KernelSVM(kernel="laplacian", gamma=2, C=10, random_state=0),
    "Gaussian, 5 landmarks": KernelSVM(
        gamma=2, C=10, approximation="nystroem", rank=5, random_state=0
    ),
    "Gaussian, online, budget 60": OnlineSVM(gamma=2, C=10, budget=60, random_state=0),
}


def spirals(n_rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return points on three arms that wind around each other, with noise."""
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n_rows)
    along = rng.uniform(0.15, 1, size=n_rows)
    angle = 2 * np.pi * (y / 3 + 0.9 * along)
    points = 2 * along[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return points + rng.normal(scale=0.09, size=(n_rows, 2)), y


def draw(axes, name: str, model, X, y) -> None:
    """Draw the regions of a model, the points and its support vectors."""
    steps = np.linspace(-2.4, 2.4, 241)
    grid = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    regions = model.predict(grid).reshape(len(steps), len(steps))
    colours = ListedColormap(COLOURS)
    axes.pcolormesh(steps, steps, regions, cmap=colours, alpha=0.25, rasterized=True)
    axes.scatter(*X.T, c=y, cmap=colours, s=7, linewidths=0)
    vectors = getattr(model, "support_vectors_", None)
    if vectors is not None:
        axes.scatter(*vectors.T, s=24, facecolors="none", edgecolors="0.2", lw=0.6)
    axes.set(title=name, xticks=[], yticks=[], aspect="equal")


def main(arguments: list[str] | None = None) -> None:
    """Train, print and plot."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", default="kernels.png", help="(kernels.png)")
    output = parser.parse_args(arguments).output

    X, y = spirals(450, seed=0)
    X_test, y_test = spirals(3000, seed=1)
    print(f"{'machine':<30}{'support vectors':>16}{'accuracy':>10}")
    figure, grid = plt.subplots(2, 3, figsize=(10, 7), layout="constrained")
    for (name, model), axes in zip(MODELS.items(), grid.flat, strict=True):
        model.fit(X, y)
        accuracy = model.score(X_test, y_test)
        count = len(model.support_) if hasattr(model, "support_") else "-"
        print(f"{name:<30}{count:>16}{accuracy:>10.4f}")
        draw(axes, f"{name}: {accuracy:.1%}", model, X, y)
    figure.savefig(output, dpi=130)
    plt.close(figure)
    print(f"\nThe plot is in {output}.")


if __name__ == "__main__":
    main()
