"""`explain`: which features tell classes apart, and why a row is of its class."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.inspection import permutation_importance
from sklearn.utils import _safe_indexing

from ..access.csr import check_compressed
from ..base.annotations import Estimator, Labels, Rows
from ..estimators.linear_training import LinearTraining
from ..tables.frames import columns_of, is_frame
from .class_weights import largest, weights_between, weights_of_class
from .explanation import Explanation, RowExplanation
from .feature_names import names_of_features
from .parts import features_of, take_apart

_BACKGROUND = 50  # rows that lend their values to the one explained
_BATCH = 4096  # rows predicted together


def explain(
    model: Estimator,
    X: Rows = None,
    y: Labels = None,
    *,
    row: int | None = None,
    against: Any = None,
    feature_names: Any = None,
    top: int = 10,
    n_repeats: int = 5,
    random_state: int | None = 0,
) -> Explanation:
    """Show which features tell classes apart, or why a row got its label.

    Parameters
    ----------
    model : estimator
        Fitted: a machine, or a pipeline that ends with one. Features have the names
        that they have in the pipeline: columns, words, column=value.

    X : data frame, array-like or CSR matrix of shape (n_samples, n_columns) or None
        Rows as the model takes them.

    y : array-like of shape (n_samples,) or None, default=None
        Labels of the rows. With them, the importance of a column is how much accuracy
        is lost when its values are shuffled (scikit-learn's `permutation_importance`);
        for machines with kernels there is no other.

    row : int or None, default=None
        Number of a row of X, counted from 0, to explain: the predicted class, the
        runner-up, and what decided between them. In a linear machine a feature
        contributes its value times the difference of the two weights; contributions
        and intercepts add up to the lead of the predicted class. In other machines a
        contribution is the lead that is lost when the feature takes the values of
        other rows of X, at most 50.

    against : label or None, default=None
        The class to compare with; None is the runner-up.

    feature_names : sequence of str or None, default=None
        Names of columns, if the model knows none.

    top : int, default=10
        How many features to show.

    n_repeats : int, default=5
        How often a column is shuffled.

    random_state : int or None, default=0
        Of the shuffling.

    Returns
    -------
    explanation : Explanation
        Printed, it is text; `to_dict` is for programs, `plot` a picture, and notebooks
        show a table.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> import polymargin
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = make_pipeline(StandardScaler(), polymargin.LinearSVM(random_state=0))
    >>> print(polymargin.explain(model.fit(X, y), X, row=140, top=2))
    ... # doctest: +ELLIPSIS
    row 140 is 2 rather than 1, by ...
      petal width (cm)   ...
      petal length (cm)  ...
      ...
    """
    steps, machine = take_apart(model)
    X = check_compressed(X)
    if top < 1:
        raise ValueError(f"top={top!r} must be positive: how many features to tell.")
    names = names_of_features(steps, machine, feature_names)
    against = against.item() if isinstance(against, np.generic) else against
    if row is not None:
        if X is None:
            raise ValueError("row is the number of a row of X; give X, too.")
        told = _explain_row(steps, machine, names, X, row, against, top)
        return Explanation(machine.classes_.tolist(), row=told)
    if (X is None) != (y is None):
        raise ValueError("X and y are rows and their labels: give both, or neither.")
    classes = []
    if isinstance(machine, LinearTraining):
        classes = telling_features(machine, names, top)
    elif X is None:
        raise ValueError(
            f"{type(machine).__name__} has no weight for a feature; give X and y, rows "
            f"and their labels, to see which columns matter, or X and row."
        )
    importance = []
    if X is not None:
        shuffling = {"n_repeats": n_repeats, "random_state": random_state}
        importance = _importance(model, X, y, feature_names, top, **shuffling)
    return Explanation(machine.classes_.tolist(), classes, importance)


def telling_features(
    machine: Any, names: list[str] | None, top: int
) -> list[dict[str, Any]]:
    """Return the features with the largest weights for or against every class."""
    told = []
    check_compressed(machine.coef_, "coef_")
    for m, label in enumerate(machine.classes_.tolist()):
        weights = weights_of_class(machine, m)
        chosen = largest(weights, top)
        told.append(
            {
                "label": label,
                "features": [_name(names, at) for at in chosen],
                "weights": weights[chosen].tolist(),
            }
        )
    return told


def _name(names: list[str] | None, at: Any) -> str | int:
    return int(at) if names is None else names[at]


def _explain_row(
    steps: Any, machine: Any, names: Any, X: Rows, row: Any, against: Any, top: int
) -> RowExplanation:
    if getattr(machine, "multilabel_", False):
        raise ValueError(
            f"row={row} cannot be explained: that compares two classes of a row, and "
            f"rows of this model may have several labels; leave row=None, and see "
            f"decision_function for the row."
        )
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    if not -n <= row < n:
        raise ValueError(
            f"row={row} is not there: X has {n} rows, counted from 0; choose one of "
            f"these."
        )
    row %= n
    features = features_of(steps, _safe_indexing(X, [row]))
    m = _position(machine, machine.predict(features).tolist()[0])
    if against is None:
        scores = _scores(machine, features)[0]
        scores[m] = -np.inf
        other = int(scores.argmax())
    else:
        other = _position(machine, against)
        if other == m:
            raise ValueError(
                f"against={against!r} is the class that the row is predicted to have; "
                f"give another one, or none."
            )
    values = features.toarray()[0] if sp.issparse(features) else np.asarray(features)[0]
    if isinstance(machine, LinearTraining):
        weights, intercept = weights_between(machine, m, other)
        contributions = values * weights
        lead = float(contributions.sum() + intercept)
    else:
        intercept = None
        lead = float(_lead(machine, features, m, other)[0])
        rest = [at for at in range(n) if at != row][:: max(1, (n - 1) // _BACKGROUND)]
        others = features_of(steps, _safe_indexing(X, rest[:_BACKGROUND]))
        contributions = _lost_lead(machine, values, others, m, other, lead)
    chosen = largest(contributions, top)
    told = [_name(names, at) for at in chosen]
    cells = _cells(X, row) if steps else {}
    return RowExplanation(
        row=row,
        label=machine.classes_.tolist()[m],
        against=machine.classes_.tolist()[other],
        lead=lead,
        features=told,
        values=values[chosen].tolist(),
        cells=[cells.get(name) for name in told],
        contributions=contributions[chosen].tolist(),
        intercept=intercept,
        others=float(np.delete(contributions, chosen).sum()),
    )


def _cells(X: Rows, row: int) -> dict[Any, Any]:
    """Return the row as it was given, by the names of its columns."""
    if not is_frame(X):
        return {}
    cells = {}
    for name, column in columns_of(_safe_indexing(X, [row])):
        cell = column.to_list()[0]
        missing = cell is None or cell != cell
        cells[str(name)] = None if missing else cell
    return cells


def _position(machine: Any, label: str | int | None) -> int:
    labels = machine.classes_.tolist()
    if label not in labels:
        raise ValueError(
            f"against={label!r} is not a class; the classes are "
            f"{', '.join(map(repr, labels[:20]))}."
        )
    return labels.index(label)


def _scores(machine: Any, features: Any) -> np.ndarray:
    """Return a column of scores for each class."""
    scores = machine.decision_function(features)
    return np.column_stack([-scores, scores]) if scores.ndim == 1 else scores


def _lead(machine: Any, features: Any, m: int, other: int) -> np.ndarray:
    scores = _scores(machine, features)
    return scores[:, m] - scores[:, other]


def _lost_lead(
    machine: Any, values: Any, others: Any, m: int, other: int, lead: float
) -> np.ndarray:
    """Return how much lead is lost in the mean when features are others'."""
    others = others.toarray() if sp.issparse(others) else np.asarray(others)
    lost = np.zeros(len(values))
    if not len(others):
        return lost
    differ = np.flatnonzero((others != values).any(axis=0))
    for start in range(0, len(differ), max(1, _BATCH // len(others))):
        chosen = differ[start : start + max(1, _BATCH // len(others))]
        rows = np.tile(values, (len(chosen) * len(others), 1))
        for place, feature in enumerate(chosen):
            block = slice(place * len(others), (place + 1) * len(others))
            rows[block, feature] = others[:, feature]
        leads = _lead(machine, rows, m, other).reshape(len(chosen), len(others))
        lost[chosen] = lead - leads.mean(axis=1)
    return lost


def _importance(
    model: Estimator, X: Rows, y: Labels, given: Any, top: int, **shuffling: Any
) -> list[dict[str, Any]]:
    """Return the columns whose shuffling costs most accuracy."""
    X = X.toarray() if sp.issparse(X) else X
    X = X.to_pandas() if hasattr(X, "to_pandas") else X
    found = permutation_importance(model, X, y, **shuffling)
    names = getattr(X, "columns", given)
    if names is None:
        names = getattr(model, "feature_names_in_", None)
    order = np.argsort(-found.importances_mean, kind="stable")[:top]
    return [
        {
            "column": int(at) if names is None else str(names[at]),
            "importance": float(found.importances_mean[at]),
            "deviation": float(found.importances_std[at]),
        }
        for at in order
    ]
