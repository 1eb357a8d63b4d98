"""What new rows of a table have that training has not seen."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import _safe_indexing

from ..base.counted import counted

_FAR = 10  # standard deviations from the mean of training


def unseen(recipe: ColumnTransformer, X: Any) -> list[tuple[Any, str]]:
    """Return columns whose values training knows nothing of, and what it is, in words.

    Parameters
    ----------
    recipe : ColumnTransformer
        Fitted, as `make_recipe` returns it.
    X : data frame or ndarray
        New rows.

    Returns
    -------
    found : list of (str or int, str)
        Values of categories that were not there in training; missing values where none
        were missing; numbers most of which are far from those of training.
    """
    found: list[tuple[Any, str]] = []
    for kind, steps, columns in recipe.transformers_:
        if not isinstance(steps, Pipeline) or not isinstance(columns, list):
            continue
        part = _safe_indexing(X, columns, axis=1)
        if kind in ("category", "boolean"):
            what = _categories(steps, part)
        elif kind in ("number", "ranked", "date"):
            what = _numbers(steps, part)
        else:
            continue
        found += [(columns[at], words) for at, words in what]
    return found


def _categories(steps: Pipeline, X: Any) -> Iterator[tuple[int, str]]:
    words = steps["words"].transform(X)
    for at, known in enumerate(steps["encode"].categories_):
        new = words[~np.isin(words[:, at], known), at]
        if len(new):
            values = len(np.unique(new))
            others = f" and {counted(values - 1, 'more values')}" if values > 1 else ""
            rows = counted(len(new), "rows")
            yield at, f"{new[0]!r}{others}, which training had not, in {rows}"


def _numbers(steps: Pipeline, X: Any) -> Iterator[tuple[int, str]]:
    before = steps[: list(steps.named_steps).index("impute")]
    values = np.asarray(before.transform(X) if len(before) else X, dtype=np.float64)
    sources = range(values.shape[1])
    if "parts" in steps.named_steps:
        sources = [column for column, _ in steps["parts"].parts_]
    flagged = set(steps["impute"].indicator_.features_.tolist())
    told = set()
    for place, at in enumerate(sources):
        if at in told:
            continue
        missing = np.isnan(values[:, place])
        far = _distances(steps["scale"], values[~missing, place], place)
        if len(far) and np.median(far) > _FAR:
            told.add(at)
            yield (
                at,
                f"most values are more than {_FAR} standard deviations from the mean "
                f"of training, perhaps in another unit",
            )
        elif missing.any() and place not in flagged:
            told.add(at)
            rows = counted(int(missing.sum()), "rows")
            yield at, f"missing, which training had not, in {rows}"


def _distances(scaler: StandardScaler, values: np.ndarray, place: int) -> np.ndarray:
    return np.abs(values - scaler.mean_[place]) / scaler.scale_[place]
