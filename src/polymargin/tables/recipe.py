"""From kinds of columns to features, by transformers of scikit-learn."""

from collections.abc import Sequence

from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, QuantileTransformer, StandardScaler

from .column_kinds import MOST_CATEGORIES, Column
from .dates import DateParts
from .words import Words

_KINDS = ["number", "ranked", "date", "category", "boolean", "text", "characters"]
_MISSING = "(missing)"
_QUANTILES = 50  # half of the rows that columns have which are ranked
_MOST_PARTS = 50_000  # features of words in characters


def make_recipe(
    columns: Sequence[Column], by_position: bool = False
) -> ColumnTransformer:
    """Return the transformer that makes features of columns.

    Parameters
    ----------
    columns : sequence of Column
    by_position : bool
        Whether it is for arrays, whose columns have names that only people use.

    Returns
    -------
    recipe : ColumnTransformer
        Not fitted. Numbers have their missing values imputed and flagged, and are
        centred and scaled; if a few are far from all others, ranks take their place;
        categories are one-hot, and unknown values all zero; text is TF-IDF; dates are
        numbers. Columns of no use are left out.
    """
    used = {
        kind: [
            place if by_position else column.name
            for place, column in enumerate(columns)
            if column.kind == kind
        ]
        for kind in _KINDS
    }
    steps = [
        ("number", _numbers(), used["number"]),
        ("ranked", _numbers(by_rank=True), used["ranked"]),
        ("date", Pipeline([("parts", DateParts()), *_numbers().steps]), used["date"]),
        ("category", _categories(), used["category"]),
        ("boolean", _categories(drop="if_binary"), used["boolean"]),
    ]
    steps = [step for step in steps if step[2]]
    steps += [(f"text {name}", _text("word"), name) for name in used["text"]]
    steps += [(f"text {name}", _text("char_wb"), name) for name in used["characters"]]
    if not steps:
        reasons = "; ".join(
            f"{column.name!r} is {column.what}" for column in columns[:5]
        )
        raise ValueError(
            f"no column is left to learn from ({reasons}); name those that are to be "
            f"kept as number, category or text."
        )
    return ColumnTransformer(steps)


def _numbers(by_rank: bool = False) -> Pipeline:
    steps = [
        ("impute", SimpleImputer(strategy="median", add_indicator=True)),
        ("scale", StandardScaler()),
    ]
    if by_rank:
        ranks = QuantileTransformer(n_quantiles=_QUANTILES, random_state=0)
        steps.insert(0, ("rank", ranks))
    return Pipeline(steps)


def _categories(drop: str | None = None) -> Pipeline:
    encoder = OneHotEncoder(
        drop=drop, handle_unknown="ignore", max_categories=MOST_CATEGORIES
    )
    return Pipeline([("words", Words(_MISSING)), ("encode", encoder)])


def _text(analyzer: str) -> Pipeline:
    options = {"analyzer": analyzer, "sublinear_tf": True}
    if analyzer == "char_wb":
        options |= {"ngram_range": (2, 4), "max_features": _MOST_PARTS}
    return Pipeline([("words", Words()), ("tfidf", TfidfVectorizer(**options))])
