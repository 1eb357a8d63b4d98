"""What must agree in transformers of scikit-learn, beside the shapes of arrays.

Nothing is led out of its bounds: the columns that an encoder fills are those that it
says, and so are those of polynomials and of what is missing.
"""

from math import comb

import numpy as np

from .layout import agree, width_of

_MOST_DEGREE = 1000


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


def check_one_hot(model) -> None:
    """Raise unless an encoder has as many columns as it will fill."""
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


def check_ordinal(model) -> None:
    """Raise unless categories, missing ones and groups of an encoder agree."""
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


def check_indicator(model) -> None:
    """Raise unless flags are of columns that there are."""
    agree(model._n_features == model.n_features_in_, "_n_features")
    at = model.features_
    agree(len(at) == 0 or 0 <= at.min() <= at.max() < model._n_features, "features_")


def width_of_imputer(model) -> int:
    """Return the columns that are not empty, and those of flags."""
    left_out = 0
    if model.strategy != "constant" and not model.keep_empty_features:
        left_out = sum(value != value for value in model.statistics_.tolist())
    extra = 0 if model.indicator_ is None else width_of(model.indicator_)
    return model.n_features_in_ - left_out + extra


def check_words(model) -> None:
    """Raise unless text can be taken apart as the parameters say."""
    lengths = model.ngram_range
    agree(len(lengths) == 2 and all(type(n) is int for n in lengths), "ngram_range")
    agree(1 <= lengths[0] <= lengths[1], "ngram_range")
    if isinstance(model.stop_words, list):
        agree(all(isinstance(word, str) for word in model.stop_words), "stop_words")
    agree(model.analyzer != "word" or model.token_pattern is not None, "token_pattern")


def check_tfidf_words(model) -> None:
    """Raise unless there is a weight for every word, too."""
    check_words(model)
    agree(model._tfidf.n_features_in_ == len(model.vocabulary_), "vocabulary_")


def check_polynomials(model) -> None:
    """Raise unless there are as many terms as degrees allow."""
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


def check_scaler(model) -> None:
    """Raise unless a scaler has what its parameters make it subtract and divide by."""
    centred = getattr(model, "with_mean", getattr(model, "with_centering", False))
    centre = getattr(model, "mean_", getattr(model, "center_", None))
    agree(centre is not None or not centred, "its centre")
    scaled = getattr(model, "with_std", getattr(model, "with_scaling", False))
    agree(model.scale_ is not None or not scaled, "scale_")
