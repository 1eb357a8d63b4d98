"""What we need of scikit-learn's callbacks, for versions before 1.9, which have none.

A callback has the hooks ``setup``, ``on_fit_task_begin``, ``on_fit_task_end`` and
``teardown``. Each gets the estimator and a context; the two in the middle also get what
their keyword arguments name. ``on_fit_task_end`` returns whether to stop.
"""

import inspect
from collections.abc import Callable
from copy import copy
from functools import wraps
from typing import Any, Self

_HOOKS = ("setup", "on_fit_task_begin", "on_fit_task_end", "teardown")


class CallbackContext:
    """A task of a fit: the fit itself, or one of its epochs."""

    def __init__(
        self,
        callbacks: list[Any],
        task_name: str,
        task_id: int = 0,
        parent: Any = None,
        max_subtasks: int | None = 0,
    ):
        self.callbacks = callbacks
        self.task_name, self.task_id = task_name, task_id
        self.parent, self.max_subtasks = parent, max_subtasks
        self.begun = 0  # tasks within this one

    def subcontext(self, task_name: str = "") -> "CallbackContext":
        """Return the context of a task within this one."""
        self.begun += 1
        return CallbackContext(self.callbacks, task_name, self.begun - 1, self)

    def call_on_fit_task_begin(self, *, estimator: Any, **data: Any) -> None:
        """Call the hooks at the beginning of the task."""
        for callback in self.callbacks:
            self._call(callback.on_fit_task_begin, estimator, data)

    def call_on_fit_task_end(self, *, estimator: Any, **data: Any) -> bool:
        """Call the hooks at the end of the task; return whether one asks to stop."""
        hooks = [callback.on_fit_task_end for callback in self.callbacks]
        return any([self._call(hook, estimator, data) for hook in hooks])

    def _call(
        self, hook: Callable[..., Any], estimator: Any, data: dict[str, Any]
    ) -> bool:
        wanted = {
            name: _fitted(estimator, data) if name == "fitted_estimator" else data[name]
            for name, parameter in inspect.signature(hook).parameters.items()
            if parameter.kind is parameter.KEYWORD_ONLY
        }
        return bool(hook(estimator, self, **wanted))


def _fitted(estimator: Any, data: dict[str, Any]) -> Any:
    """Return a copy of an estimator as if the fit had ended here."""
    attributes = data.get("reconstruction_attributes")
    if attributes is None:
        return None
    fitted = copy(estimator)
    vars(fitted).update(attributes())
    return fitted


class CallbackSupportMixin:
    """Base of estimators that callbacks can watch."""

    def set_callbacks(self, *callbacks: Any) -> Self:
        """Set the callbacks of the next fits; none are there without arguments."""
        for callback in callbacks:
            missing = [name for name in _HOOKS if not hasattr(callback, name)]
            if missing or isinstance(callback, type):
                raise TypeError(
                    f"{callback!r} is not a callback; give an object with the methods "
                    f"{', '.join(_HOOKS)}."
                )
        if callbacks:
            self._skl_callbacks = list(callbacks)
        else:
            vars(self).pop("_skl_callbacks", None)
        return self

    def _init_callback_context(
        self, *, max_subtasks: int | None = 0
    ) -> CallbackContext:
        self._callback_fit_ctx = CallbackContext(
            getattr(self, "_skl_callbacks", []), "fit", max_subtasks=max_subtasks
        )
        for callback in self._callback_fit_ctx.callbacks:
            callback.setup(self, self._callback_fit_ctx)
        return self._callback_fit_ctx


def with_callbacks(method: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a fit: callbacks are told when it is over, also if it fails."""

    @wraps(method)
    def watched(estimator: Any, *args: Any, **arguments: Any) -> Any:
        try:
            return method(estimator, *args, **arguments)
        finally:
            context = vars(estimator).pop("_callback_fit_ctx", None)
            for callback in context.callbacks if context else ():
                callback.teardown(estimator, context)

    return watched
