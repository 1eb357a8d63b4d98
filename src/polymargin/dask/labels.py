"""What all partitions together have: labels, features and weights."""

from collections.abc import Sequence

import numpy as np

from .partition import Summary

# Kinds of labels that can be compared with each other.
_KINDS = {"b": "numbers", "i": "numbers", "u": "numbers", "f": "numbers"}
_KINDS |= {"U": "text", "O": "objects"}


def join_labels(summaries: Sequence[Summary]) -> tuple[np.ndarray, np.ndarray]:
    """Return all labels, and the sums of the weights of their rows."""
    filled = {number: s for number, s in enumerate(summaries) if s.n_rows}
    if not filled:
        raise ValueError("no partition has rows; give at least one that has.")
    _check_kinds({number: s.labels for number, s in filled.items()})
    labels = np.concatenate([summary.labels for summary in filled.values()])
    classes, places = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"y has one class only in all partitions, {classes.tolist()[0]!r}; give at "
            f"least two."
        )
    weights = np.concatenate([summary.label_weights for summary in filled.values()])
    if not weights.any():
        raise ValueError(
            "sample_weight is zero in all partitions; give rows that count a weight."
        )
    return classes, np.bincount(places, weights, len(classes))


def _check_kinds(labels: dict[int, np.ndarray]) -> None:
    """Numbers and text would become text, and no label of a number would be found."""
    kinds = {number: _kind(found) for number, found in labels.items()}
    first = min(kinds)
    for number, kind in kinds.items():
        if kind != kinds[first]:
            raise ValueError(
                f"the labels of partition {number} are {kind}, those of partition "
                f"{first} {kinds[first]}; give all partitions the same."
            )


def _kind(labels: np.ndarray) -> str:
    if labels.dtype.kind == "O" and all(isinstance(label, str) for label in labels):
        return "text"
    return _KINDS.get(labels.dtype.kind, str(labels.dtype))


def only_width(summaries: Sequence[Summary]) -> int:
    """Return the number of features, which all partitions must agree on."""
    first = summaries[0].n_features
    for number, summary in enumerate(summaries):
        if summary.n_features != first:
            raise ValueError(
                f"partition {number} has {summary.n_features} features, partition 0 "
                f"has {first}; give all partitions the same."
            )
    return first
