"""Plots of a report on a model, as SVG that stands in an HTML page."""

import numpy as np

from ..selection.comparison.figures import svg_of

_MOST_LABELS = 40  # in a plot; more are not legible
_COLOUR, _BEST, _BASE = "#0072b2", "#d55e00", "#888888"
_BARS = ("recall", -0.2, _COLOUR), ("precision", 0.2, _BASE)


def confusion_figure(evaluation: dict, number: int) -> tuple[str, str] | None:
    """Return a plot of what is taken for what, and its caption; None if too many."""
    labels, counts = evaluation["labels"], np.array(evaluation["confusion"])
    if len(labels) > _MOST_LABELS:
        return None
    caption = "Rows of a label (down) that were taken for another (across)."
    side = 1.6 + 0.32 * max(len(labels), 6)

    def paint(figure):
        axes = figure.add_subplot()
        shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        axes.imshow(shares, cmap="Blues", vmin=0, vmax=1)
        for row, column in np.argwhere(counts):
            colour = "white" if shares[row, column] > 0.5 else "black"
            text = f"{counts[row, column]}"
            style = {"ha": "center", "va": "center", "fontsize": 7.5}
            axes.text(column, row, text, color=colour, **style)
        names = [_short(label) for label in labels]
        axes.set_xticks(range(len(labels)), names, rotation=90)
        axes.set_yticks(range(len(labels)), names)
        axes.set(xlabel="predicted", ylabel="true")
        axes.grid(False)
        figure.tight_layout()

    return svg_of(paint, caption, number, (side, side)), caption


def recall_figure(evaluation: dict, number: int) -> tuple[str, str] | None:
    """Return bars of precision and recall of labels, and their caption."""
    labels = evaluation["labels"]
    if len(labels) > _MOST_LABELS:
        return None
    caption = "Recall and precision of each label."

    def paint(figure):
        axes = figure.add_subplot()
        places = np.arange(len(labels))
        for shift, name, colour in (
            (-0.2, "recall", _COLOUR),
            (0.2, "precision", _BASE),
        ):
            shares = [100 * (share or 0.0) for share in evaluation[name]]
            axes.barh(places + shift, shares, 0.38, color=colour, label=name)
        axes.set_yticks(places, [_short(label) for label in labels])
        axes.invert_yaxis()
        axes.set(xlim=(0, 100), xlabel="%")
        axes.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
        figure.tight_layout()

    size = 4.2, 1.2 + 0.32 * max(len(labels), 3)
    return svg_of(paint, caption, number, size), caption


def calibration_figure(evaluation: dict, number: int) -> tuple[str, str] | None:
    """Return what probabilities are worth, and its caption; None if there are none."""
    found = evaluation.get("calibration")
    if found is None:
        return None
    caption = (
        "Rows by the probability of what was predicted, in tenths: the share that is "
        "right. On the line it is as was said; areas are numbers of rows."
    )

    def paint(figure):
        axes = figure.add_subplot()
        rows = np.array([one["rows"] for one in found["bins"]])
        x = [100 * one["probability"] for one in found["bins"]]
        y = [100 * one["right"] for one in found["bins"]]
        axes.plot([0, 100], [0, 100], color=_BASE, linewidth=1, linestyle="--")
        axes.plot(x, y, color=_COLOUR)
        axes.scatter(x, y, 15 + 200 * rows / rows.max(), color=_COLOUR, alpha=0.6)
        axes.set(xlabel="probability, %", ylabel="right, %")
        figure.tight_layout()

    return svg_of(paint, caption, number), caption


def comparison_figure(comparison: dict, number: int) -> tuple[str, str]:
    """Return the accuracies of all settings that were tried, and the caption."""
    names = list(dict.fromkeys(map(_kind, comparison["trials"])))
    caption = (
        "Every setting that was tried: its accuracy on the folds it came to. The one "
        "that was taken is orange, pale ones were dropped before the last fold; the "
        "line is the most frequent class."
    )
    most = max(one["folds"] for one in comparison["trials"])

    def paint(figure):
        axes = figure.add_subplot()
        for one in comparison["trials"]:
            pale, taken = one["folds"] < most, one["taken"]
            style = {
                "color": _BEST if taken else _COLOUR,
                "alpha": 0.3 if pale else 0.9,
            }
            place = 100 * one["accuracy"], names.index(_kind(one))
            axes.plot(*place, "o", zorder=4 if taken else 3, **style)
        axes.axvline(100 * comparison["baseline"], color=_BASE, linestyle="--")
        axes.set_yticks(range(len(names)), names)
        axes.set(xlabel="accuracy, %", ylim=(len(names) - 0.5, -0.5))
        figure.tight_layout()

    size = 5.2, 1.0 + 0.35 * max(len(names), 3)
    return svg_of(paint, caption, number, size), caption


def _kind(trial: dict) -> str:
    return f"{trial['machine']}, {'linear' if trial['kernel'] is None else 'rbf'}"


def _short(label) -> str:
    text = str(label).replace("$", r"\$")
    return text if len(text) <= 16 else text[:14] + "…"
