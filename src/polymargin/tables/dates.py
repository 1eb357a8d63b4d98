"""Dates as numbers."""

import narwhals as nw
import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import (
    _check_feature_names,
    _check_n_features,
    check_is_fitted,
)

_SECONDS = 86_400  # of a day


class DateParts(TransformerMixin, BaseEstimator):
    """Turn dates into days since 1970, month, weekday and hour.

    Parts that are the same in all rows of the fit are left out; days never are. A
    missing date is NaN in all of them. Times with a zone are taken in UTC.

    Attributes
    ----------
    parts_ : list of (int, str)
        What is returned, one a column: the position of the column of dates, and one of
        "day", "month", "weekday", "hour".
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        If the columns have names.
    """

    def fit(self, X, y=None):
        """Find which parts differ between rows."""
        _check_feature_names(self, X, reset=True)
        dates = _dates(X)
        _check_n_features(self, dates, reset=True)
        self.parts_ = [
            (column, part)
            for column in range(dates.shape[1])
            for part, values in _parts(dates[:, column]).items()
            if part == "day" or len(np.unique(values[~np.isnan(values)])) > 1
        ]
        return self

    def transform(self, X) -> np.ndarray:
        """Return the parts as float64."""
        check_is_fitted(self)
        _check_feature_names(self, X, reset=False)
        dates = _dates(X)
        _check_n_features(self, dates, reset=False)
        parts = [_parts(dates[:, column]) for column in range(dates.shape[1])]
        return np.column_stack([parts[column][part] for column, part in self.parts_])

    def get_feature_names_out(self, input_features=None) -> np.ndarray:
        """Return "column_part" for each column that is returned."""
        check_is_fitted(self)
        names = input_features
        if names is None:
            names = getattr(self, "feature_names_in_", None)
        if names is None:
            names = [f"x{column}" for column in range(self.n_features_in_)]
        return np.array(
            [f"{names[column]}_{part}" for column, part in self.parts_], object
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _dates(X) -> np.ndarray:
    """Return columns of dates as datetime64[s], in UTC."""
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        return np.asarray(X).astype("datetime64[s]")
    columns = []
    for name in frame.columns:
        column = frame[name]
        if isinstance(column.dtype, nw.Datetime) and column.dtype.time_zone is not None:
            column = column.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        columns.append(column.to_numpy().astype("datetime64[s]"))
    return np.column_stack(columns)


def _parts(dates: np.ndarray) -> dict[str, np.ndarray]:
    """Return the parts of one column, NaN where a date is missing."""
    seconds = dates.astype(np.int64)
    days = np.floor_divide(seconds, _SECONDS)
    parts = {
        "day": seconds / _SECONDS,
        "month": dates.astype("datetime64[M]").astype(np.int64) % 12 + 1.0,
        "weekday": (days + 3) % 7 + 0.0,  # 1970 began on a Thursday; Monday is 0
        "hour": seconds % _SECONDS / 3600,
    }
    missing = np.isnat(dates)
    for values in parts.values():
        values[missing] = np.nan
    return parts
