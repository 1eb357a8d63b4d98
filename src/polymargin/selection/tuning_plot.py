"""A picture of a search; needs matplotlib."""

from typing import Any

import numpy as np


def plot_tuning(tuning: Any, ax: Any = None) -> Any:
    """Draw the scores along C, or on the plane of C and gamma.

    Parameters
    ----------
    tuning : Tuning
    ax : matplotlib Axes or None, default=None
        Where to draw; those of a new figure if None.

    Returns
    -------
    ax : matplotlib Axes
    """
    if ax is None:
        try:
            from matplotlib.figure import Figure
        except ImportError as missing:
            raise ImportError(
                "A plot needs matplotlib; run pip install 'polymargin[report]'."
            ) from missing
        ax = Figure(figsize=(6, 4), layout="constrained").subplots()
    draw = _draw_line if len(tuning.best.parameters) == 1 else _draw_plane
    draw(tuning, ax)
    best = [f"{v:.3g}" for v in tuning.best.parameters.values()]
    words = [f"{n} = {v}" for n, v in zip(("C", "gamma"), best, strict=False)]
    ax.set_title(f"best score {tuning.best.mean:.4f} at {', '.join(words)}")
    return ax


def _draw_line(tuning, ax) -> None:
    """Mean scores with their standard errors along C, and those of the folds."""
    Cs = np.array([next(iter(p.parameters.values())) for p in tuning.points])
    scores = np.array([point.scores for point in tuning.points])
    folds = scores.shape[1]
    mean = scores.mean(axis=1)
    error = scores.std(axis=1, ddof=1) / np.sqrt(folds) if folds > 1 else 0 * mean
    ax.plot(Cs, scores, color="0.8", linewidth=0.8, zorder=1)
    ax.errorbar(Cs, mean, error, marker="o", capsize=3, label="mean, standard error")
    ax.plot([], [], color="0.8", linewidth=0.8, label="each fold")
    best = next(iter(tuning.best.parameters.values()))
    ax.plot(best, tuning.best.mean, "o", ms=13, mfc="none", color="C3", label="best")
    ax.set_xscale("log")
    ax.set(xlabel="C", ylabel="score on rows held out")
    ax.grid(alpha=0.25)
    ax.legend()


def _draw_plane(tuning, ax) -> None:
    """The mean score of every point, as a colour and a number; others are empty."""
    values = np.array([list(point.parameters.values()) for point in tuning.points])
    Cs, column = np.unique(values[:, 0], return_inverse=True)
    gammas, row = np.unique(values[:, 1], return_inverse=True)
    means = np.full((len(gammas), len(Cs)), np.nan)
    means[row, column] = [point.mean for point in tuning.points]
    picture = ax.imshow(means, origin="lower", aspect="auto", cmap="viridis")
    middle = (np.nanmin(means) + np.nanmax(means)) / 2
    for y, x in zip(row, column, strict=True):
        colour = "black" if means[y, x] > middle else "white"
        text = f"{means[y, x]:.3f}"
        ax.text(x, y, text, ha="center", va="center", color=colour, fontsize=8)
    at = tuning.points.index(tuning.best)
    corner = column[at] - 0.5, row[at] - 0.5
    from matplotlib.patches import Rectangle

    ax.add_patch(Rectangle(corner, 1, 1, fill=False, edgecolor="C3", linewidth=2.5))
    ax.set_xticks(range(len(Cs)), [f"{C:.3g}" for C in Cs])
    ax.set_yticks(range(len(gammas)), [f"{gamma:.3g}" for gamma in gammas])
    ax.set(xlabel="C", ylabel="gamma")
    ax.figure.colorbar(picture, ax=ax, label="score on rows held out")
