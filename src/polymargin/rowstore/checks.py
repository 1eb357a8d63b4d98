"""What cannot be done with a row store, and what to do instead."""

from ..machine import Machine
from .store import RowStore

_MACHINES = ("cs", "ww", "llw", "ovr", "maxent")
_ONLY = {
    "solver": ("auto", "dual"),
    "features": ("full",),
    "order": ("acf", "permuted"),
    "warm_start": (False,),
}


def check_fit(estimator, machine: Machine, store: RowStore, y, sample_weight) -> None:
    """Raise if an estimator cannot be fitted to a store as it is."""
    if machine.name not in _MACHINES:
        raise ValueError(
            f"machine={machine.name!r} is not trained on a row store; choose one of "
            f"{', '.join(_MACHINES[:-1])}, or read the rows into memory with load()."
        )
    for name, possible in _ONLY.items():
        if getattr(estimator, name) not in possible:
            raise ValueError(
                f"{name}={getattr(estimator, name)!r} is not possible on a row store; "
                f"choose {possible[-1]!r}, or read the rows into memory with load()."
            )
    for name, value in {"y": y, "sample_weight": sample_weight}.items():
        if value is not None:
            raise ValueError(
                f"{name} must be None where X is a row store, which holds it; convert "
                f"the data with other labels or weights instead."
            )
    check_labelled(store)
    if len(store.classes) < 2:
        raise ValueError(
            f"{type(estimator).__name__} needs at least two classes, but {store.path} "
            f"has one only: {store.classes.tolist()[0]!r}."
        )
    if store.classes.dtype.kind == "f" and (store.classes % 1).any():
        raise ValueError(
            f"Unknown label type: continuous; {store.path} has labels that are no "
            f"whole numbers."
        )
    if not store.header.class_weights.sum() > 0:
        raise ValueError(f"{store.path} has no row with a weight above zero.")


def check_labelled(store: RowStore) -> None:
    if store.classes is None:
        raise ValueError(f"{store.path} has no labels; convert data that has.")


def check_features(estimator, store: RowStore) -> None:
    """Raise if a model was trained with other features."""
    if store.n_features != estimator.n_features_in_:
        raise ValueError(
            f"{store.path} has {store.n_features} features, but "
            f"{type(estimator).__name__} is expecting {estimator.n_features_in_} "
            f"features as input; convert the data with n_features="
            f"{estimator.n_features_in_}."
        )
