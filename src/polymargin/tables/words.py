"""Values of any kind as words: what encoders of categories and of text take."""

import narwhals as nw
import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import (
    _check_feature_names,
    _check_feature_names_in,
    _check_n_features,
)

_NULLS = ("NAType", "NaTType")  # of pandas, which need not be installed


class Words(TransformerMixin, BaseEstimator):
    """Turn values into strings, and missing ones into one of them.

    Whole numbers have no point, so that 3 and 3.0 are one category.

    Parameters
    ----------
    missing : str, default=""
        What stands for a missing value: None, NaN, or a frame's own null.

    Attributes
    ----------
    n_features_in_ : int
        Columns.
    feature_names_in_ : ndarray of str
        Of the columns, if they have names. Nothing else is learnt.
    """

    _parameter_constraints: dict = {"missing": [str]}

    def __init__(self, missing=""):
        self.missing = missing

    def fit(self, X, y=None):
        """Check parameters, and know the columns."""
        self._validate_params()
        if _is_column(X):
            self.n_features_in_ = 1
        else:
            _check_feature_names(self, X, reset=True)
            _check_n_features(self, X, reset=True)
        return self

    def transform(self, X):
        """Return an array of strings, of the same shape."""
        if _is_column(X):
            return words_of(X, self.missing)
        frame = nw.from_native(X, eager_only=True, pass_through=True)
        if isinstance(frame, nw.DataFrame):
            parts = [words_of(frame[name], self.missing) for name in frame.columns]
            return np.column_stack(parts)
        X = np.asarray(X, dtype=object)
        return words_of(X.ravel(), self.missing).reshape(X.shape)

    def get_feature_names_out(self, input_features=None):
        """Return the names of the columns."""
        return _check_feature_names_in(self, input_features)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = True
        return tags


def _is_column(X) -> bool:
    series = nw.from_native(X, pass_through=True, allow_series=True)
    return isinstance(series, nw.Series) or np.ndim(X) == 1


def words_of(column, missing: str = "") -> np.ndarray:
    """Return one column as an array of strings (objects of type str)."""
    column = nw.from_native(column, pass_through=True, allow_series=True)
    if isinstance(column, nw.Series):
        values = column.to_list()
    else:
        values = np.asarray(column, dtype=object).tolist()
    found = np.empty(len(values), dtype=object)
    for at, value in enumerate(values):
        found[at] = _word(value, missing)
    return found


def _word(value, missing: str) -> str:
    if type(value) is str:
        return value
    if value is None or type(value).__name__ in _NULLS:
        return missing
    if isinstance(value, (float, np.floating)):
        if np.isnan(value):
            return missing
        return str(int(value)) if float(value).is_integer() else str(value)
    return str(value)
