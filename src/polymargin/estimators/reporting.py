"""What the user is told: lines for `verbose`, tasks for scikit-learn's callbacks, and a
warning where a fit ends before its tolerance.
"""

import warnings
from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from ..driver.loop import Progress, Reporter

# What would help when a fit ends before its tolerance, by status.
_REMEDIES = {
    "max_iter": "raise max_iter (now {max_iter})",
    "max_rounds": "lower C or raise tol",
    "max_time": "raise max_time (now {max_time} s)",
    "precision": "pass float64 data: float32 cannot resolve this tolerance",
}
_DOUBLE_PRECISION = "lower C or raise tol: no number format resolves more"
# Features whose deviations differ by more than this are worth a word, and so many rows
# are looked at.
_UNEVEN, _LOOKED_AT = 1e3, 10_000


class EpochReporter(Reporter):
    """Tells the user and the estimator's callbacks about every epoch, or chunk.

    Callbacks find the `Epoch` that has ended in the attribute `epoch` of its context.

    Parameters
    ----------
    estimator : estimator with callback support
    context : CallbackContext
        The root context of the fit.
    data : dict
        What the hooks may ask for: X, y and metadata.
    model : callable
        Returns the attributes of a usable model as it is now.
    task_name : str
        What the callbacks are told that is being done.
    """

    def __init__(
        self,
        estimator,
        context,
        data: dict,
        model: Callable[[], dict],
        task_name: str = "epoch",
    ):
        self.estimator = estimator
        self.context = context
        self.data = data
        self.model = model
        self.task_name = task_name
        self.listening = bool(getattr(estimator, "_skl_callbacks", ()))
        self.watches = self.listening or bool(estimator.verbose)

    def begin(self) -> None:
        if self.listening:
            self.task = self.context.subcontext(task_name=self.task_name)
            self.task.call_on_fit_task_begin(estimator=self.estimator, **self.data)

    def end(self, epoch: Progress) -> bool:
        estimator = self.estimator
        if estimator.verbose and _is_told(epoch.number, int(estimator.verbose)):
            print(f"[{type(estimator).__name__}] {epoch}", flush=True)
        if not self.listening:
            return False
        self.task.epoch = epoch
        return self.task.call_on_fit_task_end(
            estimator=estimator, reconstruction_attributes=self.model, **self.data
        )


def _is_told(number: int, verbose: int) -> bool:
    """Whether a line is printed: of every `verbose` epochs one, or, if that is 1, of
    the first ten, then of every ten, every hundred, ...
    """
    if verbose == 1:
        verbose = 10 ** (len(str(number)) - 1)
    return number % verbose == 0


def tell_end(estimator, tried: str, X=None, stacklevel=5) -> None:
    """Say how a fit ended if that is wanted, and warn if it was before its tolerance.

    Parameters
    ----------
    estimator : estimator
    tried : str
        What was done, as "12 epochs and 8 Newton steps".
    X : array-like or None
        The rows, if there is something to say about them.
    stacklevel : int
        Leads to the caller of fit, outside its decorators.
    """
    if estimator.verbose:
        print(
            f"[{type(estimator).__name__}] {estimator.status_} after "
            f"{tried}, gap {estimator.dual_gap_:.2e}",
            flush=True,
        )
    if estimator.status_ in _REMEDIES:
        _warn(estimator, tried, X, stacklevel + 1)


def _warn(estimator, tried: str, X, stacklevel: int) -> None:
    """Say what a fit that stopped early has reached and what would help."""
    remedy = _REMEDIES[estimator.status_].format(**estimator.get_params())
    # Newton steps keep dual variables in double precision, whatever the rows are.
    weights = getattr(estimator, "coef_", None)
    dtype = estimator.dual_coef_.dtype if weights is None else weights.dtype
    if estimator.status_ == "max_iter":
        remedy += getattr(estimator, "_or_another_solver", str)()
    if estimator.status_ == "precision" and dtype == np.float64:
        remedy = _DOUBLE_PRECISION
    if getattr(estimator, "restricted", None) in ("bisection", "fixed_point"):
        remedy = f"lower restricted_tol (now {estimator.restricted_tol:g}) or {remedy}"
    gap, tol = estimator.dual_gap_, estimator.tol
    reached = f"a relative duality gap of {gap:.2g} (tol={tol:g})"
    violation_tol = estimator._violation_tol()
    if violation_tol is not None:
        reached = (
            f"a violation of {estimator.violation_:.2g} "
            f"(violation_tol={violation_tol:g})"
        )
    warnings.warn(
        f"{type(estimator).__name__} stopped after {tried} at "
        f"{reached}; to get closer, {remedy}.{_about_scales(estimator, X)}",
        ConvergenceWarning,
        stacklevel=stacklevel,
    )


def _about_scales(estimator, X) -> str:
    """A sentence about features whose scales differ so much that the model hardly uses
    the small ones: to scale them changes the model, whether or not a fit converges.
    """
    if getattr(estimator, "kernel", None) == "precomputed":
        return ""
    if sp.issparse(X) or not (hasattr(X, "__array__") and hasattr(X, "__getitem__")):
        return ""
    some = np.asarray(X[:_LOOKED_AT])
    if some.ndim != 2 or some.dtype.kind not in "biuf":
        return ""
    deviations = some.std(axis=0, dtype=np.float64)
    deviations = deviations[deviations > 0]
    if not len(deviations) or deviations.max() <= _UNEVEN * np.median(deviations):
        return ""
    ratio = deviations.max() / np.median(deviations)
    return (
        f" The largest feature is {ratio:.0e} times as large as most: features of one "
        f"scale, as of StandardScaler, give another model, which uses all of them."
    )
