"""Pipelines with every transformer that model files can hold, and rows for them."""

import numpy as np
import pandas as pd
from problems import make_problem
from sklearn import (
    compose,
    decomposition,
    feature_selection,
    impute,
    kernel_approximation,
    preprocessing,
)
from sklearn.feature_extraction import text
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline

from polymargin import KernelSVM, LinearSVM, MaxEnt, tabular

X, y = make_problem(n=40, d=4, k=3)
HOLES = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
TREES = np.array(["ash", "birch", "cedar"])[y]
WORDS = np.array(["hello world", "good bye", "hello to all", "the end"], dtype=object)
TEXTS = WORDS[(np.arange(len(y)) + y) % 4]
TABLE = pd.DataFrame(
    {
        "size": HOLES[:, 0],
        "weight": X[:, 1],
        "colour": np.array(["red", "blue", None, "green"], dtype=object)[
            (np.arange(len(y)) * 7 + y) % 4
        ],
        "count": (np.arange(len(y)) + y) % 5,
        "text": TEXTS,
    }
)
DATES = TABLE.assign(
    day=np.datetime64("2020-02-27") + 40 * np.arange(len(y)), new=y == 1
)


def columns(**options):
    """Return a transformer of the table, with a transformer of every kind."""
    numbers = make_pipeline(
        impute.SimpleImputer(add_indicator=True), preprocessing.StandardScaler()
    )
    return compose.ColumnTransformer(
        [
            ("numbers", numbers, ["size", "weight"]),
            ("same", "passthrough", ["count"]),
            ("no", "drop", ["weight"]),
            ("kinds", preprocessing.OneHotEncoder(handle_unknown="ignore"), ["colour"]),
            ("words", text.TfidfVectorizer(), "text"),
            ("part", preprocessing.MinMaxScaler(), slice("weight", "weight")),
            ("nothing", preprocessing.StandardScaler(), []),
        ],
        **options,
    )


def rare_categories():
    """Return encoders that group, drop and count from the end."""
    one_hot = preprocessing.OneHotEncoder(
        min_frequency=12, drop="first", handle_unknown="infrequent_if_exist"
    )
    ordinal = preprocessing.OrdinalEncoder(
        min_frequency=12,
        handle_unknown="use_encoded_value",
        unknown_value=-1,
        encoded_missing_value=-2,
        dtype=np.float32,
    )
    chosen = compose.make_column_selector(dtype_include=["int", "float"])
    return compose.ColumnTransformer(
        [
            ("one hot", one_hot, ["colour", "count"]),
            ("ordinal", ordinal, ["colour"]),
            ("numbers", impute.SimpleImputer(strategy="median"), chosen),
        ]
    )


def by_position():
    """Return transformers of columns without names."""
    scaler = preprocessing.StandardScaler
    return compose.ColumnTransformer(
        [
            ("first", scaler(), [0, -2]),
            ("slice", scaler(), slice(1, 2)),
            ("mask", scaler(with_mean=False), [False, True, False, False]),
        ],
        remainder=preprocessing.RobustScaler(),
    )


UNION = FeatureUnion(
    [
        ("scaled", preprocessing.StandardScaler()),
        ("components", decomposition.PCA(2)),
        ("no", "drop"),
        ("same", "passthrough"),
    ]
)
OF_NUMBERS = [
    preprocessing.StandardScaler(),
    preprocessing.MinMaxScaler(clip=True),
    preprocessing.MaxAbsScaler(),
    preprocessing.RobustScaler(with_centering=False),
    preprocessing.Normalizer("l1"),
    preprocessing.Binarizer(threshold=0.1),
    preprocessing.FunctionTransformer(),
    preprocessing.QuantileTransformer(n_quantiles=7),
    preprocessing.PowerTransformer(),
    preprocessing.PowerTransformer(standardize=False),
    preprocessing.PolynomialFeatures((1, 3), interaction_only=True),
    preprocessing.PolynomialFeatures((2, 3), include_bias=False),
    feature_selection.VarianceThreshold(0.1),
    feature_selection.SelectKBest(k=2),
    feature_selection.SelectPercentile(
        feature_selection.mutual_info_classif, percentile=60
    ),
    decomposition.PCA(2, whiten=True),
    decomposition.TruncatedSVD(2, random_state=0),
    kernel_approximation.Nystroem(n_components=9, random_state=0),
    kernel_approximation.RBFSampler(n_components=9, random_state=0),
    UNION,
    by_position(),
    "passthrough",
]
OF_TEXTS = [
    text.CountVectorizer(stop_words=["the"], dtype=np.float32),
    text.HashingVectorizer(n_features=64, alternate_sign=False),
    text.TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 3), use_idf=False),
    make_pipeline(text.CountVectorizer(), text.TfidfTransformer(sublinear_tf=True)),
]
# Pipelines, and the rows that they are fitted to.
SAMPLES = {
    "table": (make_pipeline(columns(remainder="passthrough"), LinearSVM()), TABLE),
    "table without rest": (make_pipeline(columns(), MaxEnt()), TABLE),
    "rare": (make_pipeline(rare_categories(), KernelSVM()), TABLE),
    "tabular": (tabular("ovr", text=["text"]), DATES),
    "categories of numbers": (
        make_pipeline(preprocessing.OneHotEncoder(), LinearSVM("ovr")),
        TABLE[["count"]].to_numpy(),
    ),
    "holes": (
        make_pipeline(
            impute.SimpleImputer(strategy="constant", fill_value=3.0), LinearSVM()
        ),
        HOLES,
    ),
}
for one in OF_NUMBERS:
    SAMPLES[f"{len(SAMPLES)} {str(one)[:30].split()[0]}"] = (
        Pipeline([("first", one), ("machine", LinearSVM("ovr"))]),
        X,
    )
for one in OF_TEXTS:
    SAMPLES[f"{len(SAMPLES)} {type(one).__name__}"] = (
        make_pipeline(one, LinearSVM()),
        TEXTS,
    )


def fitted(name: str):
    """Return a fitted pipeline, and its rows."""
    pipeline, rows = SAMPLES[name]
    return pipeline.fit(rows, TREES), rows
