"""ONNX graphs of whole pipelines, by skl2onnx with converters of our own classes."""

from copy import copy

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import (
    CountVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)
from sklearn.impute import SimpleImputer
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

from ...explanation.parts import take_apart
from ...tables.words import Words
from .onnx_converters import Sublinear, import_skl2onnx, register_onnx_converters

_ANY_WORD = r"(?u)\b\w\w+\b"  # scikit-learn's default
_ANY_WORD_OF_RE2 = r"[\p{L}\p{N}_][\p{L}\p{N}\p{M}_]+"
_NUMBER, _WORDS, _WHOLE = "number", "words", "whole number"


def pipeline_graph(model, dtype: np.dtype):
    """Return the graph of a fitted pipeline.

    Parameters
    ----------
    model : Pipeline, or what has found one by a search
    dtype : dtype
        Of numbers.
    """
    skl2onnx = import_skl2onnx()
    register_onnx_converters()
    steps, machine = take_apart(model)
    plain = Pipeline(
        [(f"step_{at}", _converted(step)) for at, step in enumerate(steps)]
        + [("machine", machine)]
    )
    try:
        options = {
            id(one): _options_of_words(one)
            for one in _parts(plain)
            if _is_vectorizer(one)
        }
        return skl2onnx.convert_sklearn(
            plain,
            name="polymargin",
            initial_types=_inputs(plain, dtype),
            options=options,
        )
    except (NotImplementedError, RuntimeError, ValueError, TypeError) as problem:
        first = str(problem).strip().splitlines()[0]
        raise ValueError(
            f"skl2onnx cannot convert this pipeline ({first.rstrip('.')}); export the "
            f"machine alone, model[-1], or use polymargin.save."
        ) from problem


def _options_of_words(step: CountVectorizer) -> dict:
    """Return how words are found in text: in every language, as scikit-learn does.

    The default of skl2onnx knows only letters of ASCII, and a locale, en_US, that need
    not be installed where the graph runs.
    """
    if step.stop_words is not None and step.ngram_range != (1, 1):
        raise NotImplementedError("stop words within ngrams are not left out by ONNX")
    ascii_only = all(word.isascii() for word in step.vocabulary_)
    options = {"locale": "C" if ascii_only else "C.UTF-8"}
    if step.token_pattern == _ANY_WORD:
        options["tokenexp"] = _ANY_WORD_OF_RE2
    return options


def _converted(step):
    """Return a fitted transformer as one that skl2onnx knows."""
    if hasattr(step, "recipe_"):
        return _converted(step.recipe_)
    step = copy(step)
    if isinstance(step, Pipeline):
        step.steps = [(name, _converted(inner)) for name, inner in step.steps]
    elif isinstance(step, FeatureUnion):
        step.transformer_list = [
            (name, _converted(inner))
            for name, inner in step.transformer_list
            if inner != "drop"
        ]
    elif isinstance(step, ColumnTransformer):
        chosen, by_name = step._transformer_to_input_indices, _by_name(step)
        step.transformers_ = [
            (
                name,
                _converted(inner),
                [step.feature_names_in_[at] if by_name else at for at in chosen[name]],
            )
            for name, inner, _ in step.transformers_
            if chosen[name] and inner != "drop"
        ]
    elif isinstance(step, OneHotEncoder | OrdinalEncoder):
        step.categories_ = [_without_missing(values) for values in step.categories_]
    elif isinstance(step, TfidfVectorizer) and step.sublinear_tf:
        counts = CountVectorizer(
            **{name: getattr(step, name) for name in CountVectorizer._get_param_names()}
        )
        counts.vocabulary_ = step.vocabulary_
        return Pipeline([("counts", counts), *_converted(step._tfidf).steps])
    elif isinstance(step, TfidfTransformer) and step.sublinear_tf:
        step.sublinear_tf = False  # of which skl2onnx makes log(1 + x)
        return Pipeline([("sublinear", Sublinear()), ("tfidf", step)])
    elif isinstance(step, SimpleImputer) and step.indicator_ is not None:
        flags, step.indicator_, step.add_indicator = step.indicator_, None, False
        return FeatureUnion([("values", step), ("flags", flags)])
    return step


def _without_missing(values: np.ndarray) -> np.ndarray:
    """Return categories with "" for what is missing: ONNX has strings only."""
    if values.dtype != object:
        return values
    return np.array(
        [value if isinstance(value, str) else "" for value in values], dtype=object
    )


def _inputs(plain: Pipeline, dtype: np.dtype) -> list:
    """Return names and types of what goes in: a matrix, or columns of a table."""
    from skl2onnx.common import data_types

    types = {
        _WORDS: data_types.StringTensorType,
        _WHOLE: data_types.Int64TensorType,
        _NUMBER: data_types.DoubleTensorType
        if dtype == np.float64
        else data_types.FloatTensorType,
    }
    first = plain.steps[0][1]
    if isinstance(first, ColumnTransformer) and _by_name(first):
        kinds: dict = {}
        for name, inner, _ in first.transformers_:
            for at in first._transformer_to_input_indices[name]:
                if not isinstance(inner, str):
                    kinds.setdefault(at, set()).add(_kind(inner))
        for at, found in kinds.items():
            if len(found) > 1:
                column = first.feature_names_in_[at]
                raise ValueError(f"column {column!r} is taken as {' and '.join(found)}")
        return [
            (str(first.feature_names_in_[at]), types[found.pop()]([None, 1]))
            for at, found in sorted(kinds.items())
        ]
    width = int(getattr(first, "n_features_in_", 1))  # text is one column
    return [("X", types[_kind(first)]([None, width]))]


def _by_name(first: ColumnTransformer) -> bool:
    return any(
        isinstance(name, str)
        for _, _, columns in first.transformers_
        for name in ([columns] if isinstance(columns, str) else _list(columns))
    )


def _list(columns) -> list:
    if isinstance(columns, slice):
        return [columns.start, columns.stop]
    return list(columns) if np.iterable(columns) else [columns]


def _kind(step) -> str:
    """Return what a transformer takes."""
    if isinstance(step, Pipeline | FeatureUnion):
        inner = step.steps if isinstance(step, Pipeline) else step.transformer_list
        return _kind(inner[0][1])
    if isinstance(step, Words) or _is_vectorizer(step):
        return _WORDS
    if isinstance(step, OneHotEncoder | OrdinalEncoder):
        kinds = {values.dtype.kind for values in step.categories_}
        if kinds <= set("OU"):
            return _WORDS
        return _WHOLE if kinds <= set("iu") else _NUMBER
    if isinstance(step, SimpleImputer):
        return _WORDS if step._fit_dtype.kind in "OU" else _NUMBER
    return _NUMBER


def _is_vectorizer(step) -> bool:
    return isinstance(step, CountVectorizer)


def _parts(step):
    """Go through all fitted estimators of a pipeline."""
    yield step
    inner = []
    if isinstance(step, Pipeline):
        inner = step.steps
    elif isinstance(step, FeatureUnion):
        inner = step.transformer_list
    elif isinstance(step, ColumnTransformer):
        inner = step.transformers_
    for _, one, *_ in inner:
        if not isinstance(one, str | type(None)):
            yield from _parts(one)
