"""Transformers of scikit-learn in model files: one row a class.

A row names the fitted attributes and their kinds. In the shapes of arrays d stands for
the number of features that go in, other letters for sizes that occur more than once
(`Codec.shape`). What has a function as a parameter is refused when it is written, other
attributes than these, too: a later scikit-learn may have them.
"""

from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import version

from sklearn.utils.fixes import parse_version

from .attribute_codecs import COUNT, MEASURE, SIZE, TEXT, or_none
from .estimator_entries import ESTIMATOR
from .layout import Layout, agree
from .transformer_checks import (
    check_indicator,
    check_one_hot,
    check_ordinal,
    check_polynomials,
    check_scaler,
    check_tfidf_words,
    check_words,
    width_of_imputer,
)
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

_ANY = {"_sklearn_output_config": OUTPUT}
_COLUMNS = {"n_features_in_": SIZE, "feature_names_in_": replace(TEXT, shape="d")}
_OPTIONAL = {*_ANY, "feature_names_in_"}
_HERE = parse_version(version("scikit-learn"))

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
    since: dict[str, str] | None = None,
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
    since : dict of str or None
        In which version of scikit-learn attributes came that older ones do not have.
    check, width, parts, parameters
        As in `Layout`; it gives out as many columns as it takes if not given.
    of_columns : bool
        Whether it takes tables: it may then know the names of their columns.
    """
    codecs = _ANY | (_COLUMNS if of_columns else {}) | attributes
    came = (since or {}).items()
    absent = [key for key, first in came if parse_version(first) > _HERE]
    may_lack = {*_OPTIONAL, *optional, *absent}
    required = tuple(key for key in codecs if key not in may_lack)
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
    "check": check_words,
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
        check=check_scaler,
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
        check=check_scaler,
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
        check=check_polynomials,
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
        check=check_one_hot,
        width=lambda model: sum(model._n_features_outs),
        parameters={"dtype": DTYPE_CLASS},
    ),
    transformer(
        _PREPROCESSING,
        "OrdinalEncoder",
        _ENCODER | {"_missing_indices": plain(dict)},
        optional=("_infrequent_indices", "_default_to_infrequent_mappings"),
        check=check_ordinal,
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
        since={"_fill_dtype": "1.8"},
        width=width_of_imputer,
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
        check=check_indicator,
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
        **(_WORDS | {"check": check_tfidf_words}),
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
