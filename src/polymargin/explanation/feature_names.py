"""Names of the features that a machine sees: words, columns, column=value."""

from copy import copy

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import OneHotEncoder


def names_of_features(steps: list, machine, given=None) -> list[str] | None:
    """Return a name for every feature of a machine; None if there are none.

    Parameters
    ----------
    steps : list of transformers
        That the features come from.
    machine : estimator
    given : sequence of str or None
        Names of the columns that go into the first step, or into the machine.
    """
    first = steps[0] if steps else machine
    names = getattr(first, "feature_names_in_", None) if given is None else given
    if names is not None:
        names = [str(name) for name in names]
        wanted = getattr(first, "n_features_in_", len(names))
        if len(names) != wanted:
            raise ValueError(
                f"feature_names has {len(names)} names, but the model takes {wanted} "
                f"columns; give a name for each."
            )
    for step in steps:
        names = _names_out(step, names)
    fits = names is not None and len(names) == machine.n_features_in_
    return names if fits else None


def _names_out(step, names: list[str] | None) -> list[str] | None:
    """Return names of what a transformer makes of columns with these names."""
    if isinstance(step, Pipeline):
        for _, inner in step.steps:
            if inner is not None and not isinstance(inner, str):
                names = _names_out(inner, names)
        return names
    if isinstance(step, ColumnTransformer):
        return _of_columns(step, names)
    if isinstance(step, FeatureUnion):
        inner = [one for _, one in step.transformer_list if one != "drop"]
        return _joined(_names_out(one, names) for one in inner)
    if hasattr(step, "recipe_"):  # of a table
        return _names_out(step.recipe_, names)
    if names is None:
        width = getattr(step, "n_features_in_", None)
        names = None if width is None else [f"[{at}]" for at in range(width)]
    if isinstance(step, OneHotEncoder):
        step = copy(step)
        step.feature_name_combiner = _category
    if isinstance(step, SimpleImputer):
        return _of_imputer(step, names)
    if isinstance(step, CountVectorizer) and step.analyzer in ("char", "char_wb"):
        return [repr(str(part)) for part in step.get_feature_names_out()]
    return _as_scikit_learn_says(step, names)


def _category(column: str, value) -> str:
    return f"{column}={'others' if value == 'infrequent_sklearn' else value}"


def _of_columns(step: ColumnTransformer, names: list[str] | None) -> list[str] | None:
    if names is None:
        names = [f"[{at}]" for at in range(step.n_features_in_)]
    taken = step._transformer_to_input_indices
    used = [
        (inner, [names[at] for at in taken[name]])
        for name, inner, _ in step.transformers_
        if taken[name] and not isinstance(inner, str)
    ]
    texts = [columns for inner, columns in used if _is_text(inner)]
    parts = []
    for inner, columns in used:
        found = _names_out(inner, columns)
        if found is not None and _is_text(inner) and len(texts) > 1:
            found = [f"{columns[0]}: {word}" for word in found]
        parts.append(found)
    return _joined(parts)


def _is_text(step) -> bool:
    """Whether this makes words of one column."""
    if isinstance(step, Pipeline):
        return any(_is_text(inner) for _, inner in step.steps)
    return isinstance(step, CountVectorizer)


def _of_imputer(step: SimpleImputer, names: list[str]) -> list[str]:
    kept = np.ones(len(names), dtype=bool)
    if step.strategy != "constant" and not step.keep_empty_features:
        kept = np.array([value == value for value in step.statistics_.tolist()])
    found = [name for name, there in zip(names, kept, strict=True) if there]
    if step.indicator_ is not None:
        found += [f"{names[at]} is missing" for at in step.indicator_.features_]
    return found


def _as_scikit_learn_says(step, names: list[str] | None) -> list[str] | None:
    name = type(step).__name__
    for given in (names, None):
        try:
            return [str(one) for one in step.get_feature_names_out(given)]
        except (ValueError, TypeError):
            continue  # it knows other names of its columns, or needs none
        except AttributeError:
            break
    width = getattr(step, "n_features", None)  # of HashingVectorizer
    return None if width is None else [f"{name.lower()}{at}" for at in range(width)]


def _joined(parts) -> list[str] | None:
    found = []
    for part in parts:
        if part is None:
            return None
        found += part
    return found
