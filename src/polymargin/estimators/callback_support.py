"""Callbacks of fits: scikit-learn's, or our own where it has none."""

from collections.abc import Callable
from typing import Any, TypeVar

from sklearn.base import _fit_context

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # before scikit-learn 1.9
    from .own_callbacks import CallbackSupportMixin, with_callbacks

__all__ = ["CallbackSupportMixin", "fit_method"]

_Method = TypeVar("_Method", bound=Callable[..., Any])


def fit_method(method: _Method) -> _Method:
    """Decorate a `fit`: parameters are checked before it, and callbacks are told."""
    checked = _fit_context(prefer_skip_nested_validation=True)(method)
    decorated: _Method = with_callbacks(checked)
    return decorated
