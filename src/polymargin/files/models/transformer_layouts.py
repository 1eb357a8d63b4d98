"""Transformers of scikit-learn in model files: one row a class.

A row names the fitted attributes and their kinds. In the shapes of arrays d stands for
the number of features that go in, other letters for sizes that occur more than once
(`Codec.shape`). What has a function as a parameter is refused when it is written, other
attributes than these, too: a later scikit-learn may have them.
"""

from collections.abc import Callable
from dataclasses import replace
from math import comb

import numpy as np

from .attribute_codecs import COUNT, MEASURE, SIZE, TEXT, or_none
from .estimator_entries import ESTIMATOR
from .layout import Layout, agree, width_of
from .transformer_codecs import (
    CATEGORIES,
    CELLS,
    COUNTS,
    DTYPE,
    DTYPE_CLASS,
    OUTPUT,
    PATTERN,
    POINTS,
    VOCABULARY,
    array,
    either,
    function_of,
    list_of,
    only,
    plain,
)

_MOST_DEGREE = 1000
_ANY = {"_sklearn_output_config": OUTPUT}
_COLUMNS = {"n_features_in_": SIZE, "feature_names_in_": replace(TEXT, shape="d")}
_OPTIONAL = {*_ANY, "feature_names_in_"}

_NUMBERS = array("f", "d")  # one a feature
_SEEN = either(array("if", "d"), MEASURE)  # rows, perhaps of each feature
_PLACES = list_of(or_none(array("i", "n", finite=True)))
_YES = plain(bool)


def transformer(
    home: str,
    name: str,
    attributes: dict,
    *,
    optional: tuple[str, ...] = (),
    check: Callable = lambda model: None,
    width: Callable = lambda model: model.n_features_in_,
    parts: Callable = lambda model: {},
    parameters: dict | None = None,
    of_columns: bool = True,
) -> Layout:
    """Return the row of a transformer.

    Parameters
    ----------
    home, name : str
        Of its class.
    attributes : dict of Codec
    optional : tuple of str
        Those of the attributes that it may not have.
    check, width, parts, parameters
        As in `Layout`; it gives out as many columns as it takes if not given.
    of_columns : bool
        Whether it takes tables: it may then know the names of their columns.
    """
    codecs = _ANY | (_COLUMNS if of_columns else {}) | attributes
    required = tuple(key for key in codecs if key not in {*_OPTIONAL, *optional})
    return Layout(
        home,
        name,
        codecs,
        required,
        check,
        parameters=parameters or {},
        width=width,
        parts=parts,
    )


def _check_categories(model) -> None:
    """Raise unless the columns that an encoder fills are those that it has."""
    d = model.n_features_in_
    agree(len(model.categories_) == d, "categories_")
    for values in model.categories_:
        agree(len(values) > 0, "categories_")
        if values.dtype.kind in "iuf":  # searched, so they must ascend
            known = values[:-1] if values[-1] != values[-1] else values
            agree(not np.isnan(known).any(), "categories_")
            agree((known[1:] > known[:-1]).all(), "categories_")
    if model._infrequent_enabled:
        agree(hasattr(model, "_infrequent_indices"), "_infrequent_indices")
        agree(len(model._infrequent_indices) == d, "_infrequent_indices")
        agree(len(model._default_to_infrequent_mappings) == d, "its mappings")


def _check_one_hot(model) -> None:
    _check_categories(model)
    d = model.n_features_in_
    sizes = list(map(len, model.categories_))
    if model._infrequent_enabled:
        for i in range(d):
            rare = model._infrequent_indices[i]
            groups = model._default_to_infrequent_mappings[i]
            agree((rare is None) == (groups is None), "its mappings")
            if rare is None:
                continue
            agree(len(rare) > 0, "_infrequent_indices")
            agree(rare.min() >= 0 and rare.max() < sizes[i], "_infrequent_indices")
            agree(len(groups) == sizes[i] and groups.min() >= 0, "its mappings")
            sizes[i] = int(groups.max()) + 1
    dropped = model._drop_idx_after_grouping
    for i in range(d if dropped is not None else 0):
        at = dropped[i]
        agree(at is None or (type(at) is int and 0 <= at < sizes[i]), "drop_idx_")
        sizes[i] -= at is not None
    agree(model._n_features_outs == sizes, "_n_features_outs")


def _check_ordinal(model) -> None:
    _check_categories(model)
    for i, at in model._missing_indices.items():
        agree(type(i) is int and 0 <= i < model.n_features_in_, "_missing_indices")
        agree(type(at) is int and 0 <= at < len(model.categories_[i]), "categories_")
    if not model._infrequent_enabled:
        return
    for i, groups in enumerate(model._default_to_infrequent_mappings):
        rare, n = model._infrequent_indices[i], len(model.categories_[i])
        agree((rare is None) == (groups is None), "its mappings")
        if groups is not None:
            agree(len(groups) in (n, n - (i in model._missing_indices)), "its mappings")
            agree(len(rare) > 0 and 0 <= rare.min() <= rare.max() < n, "its mappings")


def _check_indicator(model) -> None:
    agree(model._n_features == model.n_features_in_, "_n_features")
    at = model.features_
    agree(len(at) == 0 or 0 <= at.min() <= at.max() < model._n_features, "features_")


def _width_of_imputer(model) -> int:
    left_out = 0
    if model.strategy != "constant" and not model.keep_empty_features:
        left_out = sum(value != value for value in model.statistics_.tolist())
    extra = 0 if model.indicator_ is None else width_of(model.indicator_)
    return model.n_features_in_ - left_out + extra


def _check_words(model) -> None:
    lengths = model.ngram_range
    agree(len(lengths) == 2 and all(type(n) is int for n in lengths), "ngram_range")
    agree(1 <= lengths[0] <= lengths[1], "ngram_range")
    if isinstance(model.stop_words, list):
        agree(all(isinstance(word, str) for word in model.stop_words), "stop_words")
    agree(model.analyzer != "word" or model.token_pattern is not None, "token_pattern")


def _check_tfidf_words(model) -> None:
    _check_words(model)
    agree(model._tfidf.n_features_in_ == len(model.vocabulary_), "vocabulary_")


def _check_polynomials(model) -> None:
    low, high = model._min_degree, model._max_degree
    agree(low <= high <= _MOST_DEGREE, "its degree")
    d, bias = model.n_features_in_, int(model.include_bias)

    def count(low: int) -> int:
        if model.interaction_only:
            return bias + sum(comb(d, i) for i in range(max(1, low), min(high, d) + 1))
        below = comb(d + low - 1, low - 1) - 1 if low > 0 else 0
        return bias + comb(d + high, high) - 1 - below

    agree(model.n_output_features_ == count(low), "n_output_features_")
    agree(model._n_out_full == count(0), "_n_out_full")


_SCORES = {
    "attributes": {"scores_": _NUMBERS, "pvalues_": or_none(_NUMBERS)},
    "width": lambda model: model.get_support().sum(),
    "parameters": {
        "score_func": function_of(
            "sklearn.feature_selection",
            *("f_classif", "chi2", "f_regression", "mutual_info_classif"),
            *("mutual_info_regression", "r_regression"),
        )
    },
}
_ENCODER = {
    "categories_": CATEGORIES,
    "_infrequent_enabled": _YES,
    "_infrequent_indices": _PLACES,
    "_default_to_infrequent_mappings": _PLACES,
}
_WORDS = {
    "check": _check_words,
    "parameters": {
        "dtype": DTYPE_CLASS,
        "token_pattern": PATTERN,
        "input": only("content", "others would read files"),
    },
    "of_columns": False,
}
_VOCABULARY = {"vocabulary_": VOCABULARY, "fixed_vocabulary_": _YES}
_COMPONENTS = {
    "components_": array("f", "kd"),
    "explained_variance_": array("f", "k"),
    "explained_variance_ratio_": array("f", "k"),
    "singular_values_": array("f", "k"),
}
_PREPROCESSING = "sklearn.preprocessing"
_TEXT = "sklearn.feature_extraction.text"
_SELECTION = "sklearn.feature_selection"
_KERNELS = "sklearn.kernel_approximation"

TRANSFORMERS = (
    transformer(
        _PREPROCESSING,
        "StandardScaler",
        {
            "n_samples_seen_": _SEEN,
            "mean_": or_none(_NUMBERS),
            "var_": or_none(_NUMBERS),
            "scale_": or_none(_NUMBERS),
        },
    ),
    transformer(
        _PREPROCESSING,
        "MinMaxScaler",
        {"n_samples_seen_": _SEEN}
        | dict.fromkeys(
            ("scale_", "min_", "data_min_", "data_max_", "data_range_"), _NUMBERS
        ),
    ),
    transformer(
        _PREPROCESSING,
        "MaxAbsScaler",
        {"n_samples_seen_": _SEEN, "max_abs_": _NUMBERS, "scale_": _NUMBERS},
    ),
    transformer(
        _PREPROCESSING,
        "RobustScaler",
        {"center_": or_none(_NUMBERS), "scale_": or_none(_NUMBERS)},
    ),
    transformer(_PREPROCESSING, "Normalizer", {}),
    transformer(_PREPROCESSING, "Binarizer", {}),
    transformer(_PREPROCESSING, "FunctionTransformer", {}),
    transformer(
        _PREPROCESSING,
        "QuantileTransformer",
        {
            "n_quantiles_": SIZE,
            "references_": array("f", "q"),
            "quantiles_": array("f", "qd"),
        },
    ),
    transformer(
        _PREPROCESSING,
        "PowerTransformer",
        {"lambdas_": _NUMBERS, "_scaler": ESTIMATOR},
        optional=("_scaler",),
        check=lambda model: agree(
            hasattr(model, "_scaler") or not model.standardize, "_scaler"
        ),
        parts=lambda model: (
            {"_scaler": model._scaler} if hasattr(model, "_scaler") else {}
        ),
    ),
    transformer(
        _PREPROCESSING,
        "PolynomialFeatures",
        dict.fromkeys(
            ("_min_degree", "_max_degree", "n_output_features_", "_n_out_full"), COUNT
        ),
        check=_check_polynomials,
        width=lambda model: model.n_output_features_,
    ),
    transformer(
        _PREPROCESSING,
        "OneHotEncoder",
        _ENCODER
        | {
            "drop_idx_": or_none(CELLS),
            "_drop_idx_after_grouping": or_none(CELLS),
            "_n_features_outs": COUNTS,
        },
        optional=("_infrequent_indices", "_default_to_infrequent_mappings"),
        check=_check_one_hot,
        width=lambda model: sum(model._n_features_outs),
        parameters={"dtype": DTYPE_CLASS},
    ),
    transformer(
        _PREPROCESSING,
        "OrdinalEncoder",
        _ENCODER | {"_missing_indices": plain(dict)},
        optional=("_infrequent_indices", "_default_to_infrequent_mappings"),
        check=_check_ordinal,
        parameters={"dtype": DTYPE_CLASS},
    ),
    transformer(
        _PREPROCESSING,
        "LabelEncoder",
        {"classes_": replace(CELLS, shape="")},
        width=lambda model: 1,
        of_columns=False,
    ),
    transformer(
        "sklearn.impute",
        "SimpleImputer",
        {
            "statistics_": CELLS,
            "_fit_dtype": DTYPE,
            "_fill_dtype": DTYPE,
            "indicator_": or_none(ESTIMATOR),
        },
        width=_width_of_imputer,
        parts=lambda model: (
            {} if model.indicator_ is None else {"indicator_": model.indicator_}
        ),
    ),
    transformer(
        "sklearn.impute",
        "MissingIndicator",
        {
            "_precomputed": _YES,
            "_n_features": SIZE,
            "features_": array("i", "n", finite=True),
        },
        check=_check_indicator,
        width=lambda model: len(model.features_),
    ),
    transformer(
        _TEXT,
        "CountVectorizer",
        _VOCABULARY,
        width=lambda model: len(model.vocabulary_),
        **_WORDS,
    ),
    transformer(
        _TEXT,
        "TfidfVectorizer",
        _VOCABULARY | {"_tfidf": ESTIMATOR},
        width=lambda model: len(model.vocabulary_),
        parts=lambda model: {"_tfidf": model._tfidf},
        **(_WORDS | {"check": _check_tfidf_words}),
    ),
    transformer(
        _TEXT, "HashingVectorizer", {}, width=lambda model: model.n_features, **_WORDS
    ),
    transformer(
        _TEXT,
        "TfidfTransformer",
        {"idf_": _NUMBERS},
        optional=("idf_",),
        check=lambda model: agree(hasattr(model, "idf_") or not model.use_idf, "idf_"),
    ),
    transformer(
        _SELECTION,
        "VarianceThreshold",
        {"variances_": _NUMBERS},
        width=lambda model: model.get_support().sum(),
    ),
    transformer(_SELECTION, "SelectKBest", **_SCORES),
    transformer(_SELECTION, "SelectPercentile", **_SCORES),
    transformer(
        "sklearn.decomposition",
        "PCA",
        {
            "mean_": _NUMBERS,
            **_COMPONENTS,
            "noise_variance_": MEASURE,
            "n_samples_": COUNT,
            "n_components_": COUNT,
            "_fit_svd_solver": plain(str),
        },
        width=lambda model: len(model.components_),
    ),
    transformer(
        "sklearn.decomposition",
        "TruncatedSVD",
        _COMPONENTS,
        width=lambda model: len(model.components_),
    ),
    transformer(
        _KERNELS,
        "Nystroem",
        {
            "normalization_": array("f", "mm"),
            "components_": POINTS,
            "component_indices_": array("i", "m"),
            "_n_features_out": COUNT,
        },
        width=lambda model: len(model.normalization_),
    ),
    transformer(
        _KERNELS,
        "RBFSampler",
        {
            "_gamma": MEASURE,
            "random_weights_": array("f", "dm"),
            "random_offset_": array("f", "m"),
            "_n_features_out": COUNT,
        },
        width=lambda model: len(model.random_offset_),
    ),
)
