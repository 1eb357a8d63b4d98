"""A transformer that looks at the columns of a table and makes features of them."""

from typing import Any, Self

from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ..base.annotations import Array, Labels, Rows
from .column_kinds import KINDS, column_kinds
from .recipe import make_recipe
from .written_frames import with_types, written_columns


class TableColumns(TransformerMixin, BaseEstimator):
    """Make features of the columns of a data frame, each as its kind asks for.

    Parameters
    ----------
    drop, number, category, text, date : sequence of str or int, default=()
        Columns that are decided, by name, or by position if there are no names. What
        the others are is found from their types and values when it is fitted.

    Attributes
    ----------
    columns_ : list of Column
        What each column was found to be, and what is made of it; printed, one a line.
    written_ : list of (str or int, str)
        Columns of strings or objects that are numbers or dates, and how those are
        written.
    recipe_ : ColumnTransformer
        Fitted: the features are what it returns.
    """

    _parameter_constraints: dict[str, Any] = {
        name: ["array-like"] for name in ("drop", *KINDS)
    }

    def __init__(
        self,
        drop: Any = (),
        number: Any = (),
        category: Any = (),
        text: Any = (),
        date: Any = (),
    ) -> None:
        self.drop = drop
        self.number = number
        self.category = category
        self.text = text
        self.date = date

    def fit(self, X: Rows, y: Labels = None) -> Self:
        """Decide what columns are, and fit their transformers."""
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Rows, y: Labels = None, **params: Any) -> Any:
        """Fit, and return the features."""
        self._validate_params()
        as_they_are = [*self.drop, *self.category, *self.text]
        self.written_ = written_columns(X, as_they_are, [*self.number, *self.date])
        X = with_types(X, self.written_)
        self.columns_ = column_kinds(X, **self.get_params())
        self.recipe_ = make_recipe(self.columns_)
        return self.recipe_.fit_transform(X, y)

    def transform(self, X: Rows) -> Any:
        """Return the features: CSR if most of them are zero."""
        check_is_fitted(self)
        return self.recipe_.transform(with_types(X, self.written_))

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Return the names of the features."""
        check_is_fitted(self)
        return self.recipe_.get_feature_names_out(input_features)

    @property
    def n_features_in_(self) -> int:
        """How many columns a table has."""
        return self.recipe_.n_features_in_

    @property
    def feature_names_in_(self) -> Array:
        """Names of the columns, if they have names."""
        return self.recipe_.feature_names_in_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        return tags
