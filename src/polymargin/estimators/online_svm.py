"""A kernel machine that learns from a stream."""

from math import ceil
from numbers import Integral, Real
from time import perf_counter
from typing import Any, Self

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..base.annotations import (
    ClassWeight,
    Estimator,
    Kernel,
    Labels,
    Rows,
    Seed,
    Weights,
)
from ..base.threads import thread_count
from ..certify.certificate import relative_gap
from ..driver.online.learned_patterns import ARRIVALS
from ..driver.online.stream import in_chunks
from ..machine.formulation import HINGES
from ..machine.projection import Blocks
from ..machine.registry import ONLINE_MACHINE_NAMES
from .callback_support import fit_method
from .classifier import NEW_CLASSES
from .kernel_prediction import KernelPrediction
from .online_attributes import OnlineModel
from .online_training import OnlineTraining
from .reporting import EpochReporter
from .unchanged_on_error import unchanged_on_error

# Raised when all that is to be kept was learned.
_LEARNED = (KeyboardInterrupt, Warning)


def _takes_chunks(estimator: Estimator) -> bool:
    if estimator.kernel == "precomputed":
        raise AttributeError(
            "partial_fit does not work with kernel='precomputed', which cannot know "
            "the kernel with rows that are still to come; give the kernel as a "
            "function."
        )
    return True


class OnlineSVM(OnlineModel, KernelPrediction, OnlineTraining):
    """Multi-class machine with a kernel that learns from one example at a time.

    LaRank (Bordes, Bottou, Gallinari and Weston, 2007) tries every example once. One
    that violates its margin becomes a support pattern; steps on support patterns follow
    until it is time for the next example. GaLa (Tuma and Igel, 2011) chooses the
    patterns of these steps by what they promise to gain. One pass usually comes close
    to the accuracy of `KernelSVM`; ``epochs="converged"`` leads to its solution.

    Parameters
    ----------
    kernel : str or callable, default="rbf"
        As in `KernelSVM`. "precomputed" works in `fit` only.

    machine : {"cs", "ww"}, default="cs"
        Crammer-Singer, as in both papers, or Weston-Watkins. Others have no steps
        between two classes of an example; see `KernelSVM` for these.

    loss : {"hinge", "squared_hinge"}, default="hinge"
        As in `KernelSVM`.

    C : float, default=1.0
        Weight of the losses.

    gamma : {"scale", "auto"} or float, default="scale"
        As in `KernelSVM`; `partial_fit` takes the variance of its first chunk.

    degree : int, default=3
        The degree, of kernels that have one.

    coef0 : float, default=0.0
        The constant, of kernels that have one.

    budget : int or None, default=None
        Most support patterns. When there is one too many, the pattern is dropped whose
        removal lowers the dual objective least.

    epochs : int or "converged", default=1
        Passes of `fit` over the data. "converged" goes on after one pass with the
        method of `KernelSVM` until the duality gap is at most `tol`.

    class_weight : dict, "balanced" or None, default=None
        Multiplies C for each class; "balanced" in `fit` only.

    new_classes : {"error", "add"}, default="error"
        What `partial_fit` does with a label it has not met: refuse it, or take it as
        one more class.

    n_jobs : int or None, default=None
        Threads for kernel values, in the sense of joblib. The model does not depend on
        it.

    random_state : int, RandomState or None, default=None
        Seed of the order of examples and of the choice of steps.

    Other Parameters
    ----------------
    tol : float, default=1e-3
        Relative duality gap of "converged" and of `finish`.

    max_time : float or None, default=None
        Most seconds of a `fit`, a `partial_fit` or a `finish`. What was learned until
        then is kept.

    cache_size : float, default=1000.0
        Memory for kernel values in megabytes. Values that do not fit are computed
        again when they are needed.

    verbose : int, default=0
        Print a line after every `verbose` chunks of 256 examples of `fit`.

    history : bool, default=False
        Whether to keep `history_`, which grows with every chunk.

    selection : {"gain", "random"}, default="gain"
        For research: which support pattern a step takes. "gain" is GaLa, "random" is
        LaRank.

    schedule : {"adaptive", "fixed"}, default="adaptive"
        For research: how many steps are made between two examples. "adaptive": as many
        as pay; "fixed": as `steps` says.

    steps : tuple of two floats, default=(2.0, 40.0)
        For research: steps for each example of the kinds "old" and "optimize", on
        average, with "fixed". A pattern that comes again in a later pass is itself a
        step of "old", unless `revisit` is False.

    hits : int, default=10
        For research: how many pairs "gain" chooses from.

    cost : {"work", "time"}, default="work"
        For research: what "adaptive" measures costs in. With "time", the same seed does
        not give the same model.

    revisit : bool, default=True
        For research: whether a pattern that comes again in a later pass is stepped on.
        False passes over it, and makes no steps after it, as algorithm 1 of Tuma and
        Igel does: nothing happens any more once all examples are patterns.

    violation_tol : float, default=1e-4
        For research: steps are made between classes whose gradients differ by more.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.

    support_vectors_ : ndarray or CSR matrix of shape (n_support, n_features)
        The support patterns; of shape (0, 0) with a precomputed kernel.

    dual_coef_ : ndarray of shape (n_support, n_classes)
        Their coefficients: ``kernel(X, support_vectors_) @ dual_coef_`` are the scores.

    support_ : ndarray of shape (n_support,)
        Which rows of `fit` they are; -1 for those that came by `partial_fit`.

    n_support_ : ndarray of shape (n_classes,)
        How many there are of each class.

    dual_objective_ : float
        The dual objective. No model has a smaller objective on the examples seen.

    objective_, dual_gap_ : float
        After "converged" and `finish`: the objective, and
        ``(objective_ - dual_objective_) / objective_``.

    status_ : str
        How it ended: "complete" (all examples were learned from), "converged",
        "max_time", "max_rounds", "interrupted", "callback" or "precision".

    n_iter_ : int
        After "converged" and `finish`: rounds of the method of `KernelSVM`.

    n_seen_ : int
        Examples learned from, each as often as it came.

    n_steps_ : dict
        Steps tried so far, by kind: "new", "old", "optimize".

    n_kernel_evaluations_ : int
        Kernel values computed so far.

    work_ : float
        Counted work, in units of one term of a gradient.

    gamma_ : float or None
        The parameter of the kernel as a number.

    history_ : dict of ndarrays or None
        By chunk: examples seen, seconds, dual objective, number of support patterns,
        counted work.

    n_features_in_ : int
        Number of features.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` had any.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from polymargin import OnlineSVM
    >>> X, y = load_digits(return_X_y=True)
    >>> model = OnlineSVM(C=10, random_state=0)
    >>> for start in range(0, 1500, 300):
    ...     chunk = slice(start, start + 300)
    ...     model = model.partial_fit(X[chunk], y[chunk], classes=range(10))
    >>> model.score(X[1500:], y[1500:]) > 0.93
    True
    """

    _parameter_constraints: dict[str, Any] = {
        **KernelPrediction._kernel_constraints,
        "machine": [StrOptions(set(ONLINE_MACHINE_NAMES))],
        "loss": [StrOptions(set(HINGES))],
        "C": [Interval(Real, 0, None, closed="neither")],
        "selection": [StrOptions({"gain", "random"})],
        "schedule": [StrOptions({"adaptive", "fixed"})],
        "steps": ["array-like"],
        "hits": [Interval(Integral, 1, None, closed="left")],
        "epochs": [
            Interval(Integral, 1, None, closed="left"),
            StrOptions({"converged"}),
        ],
        "tol": [Interval(Real, 0, None, closed="left")],
        "violation_tol": [Interval(Real, 0, None, closed="left")],
        "cost": [StrOptions({"work", "time"})],
        "revisit": ["boolean"],
        "budget": [Interval(Integral, 1, None, closed="left"), None],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        **NEW_CLASSES,
        "max_time": [Interval(Real, 0, None, closed="neither"), None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
        "history": ["boolean"],
    }

    def __init__(
        self,
        kernel: Kernel = "rbf",
        *,
        machine: str = "cs",
        loss: str = "hinge",
        C: float = 1.0,
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        selection: str = "gain",
        schedule: str = "adaptive",
        steps: tuple[float, float] = (2.0, 40.0),
        hits: int = 10,
        epochs: int | str = 1,
        tol: float = 1e-3,
        violation_tol: float = 1e-4,
        cost: str = "work",
        revisit: bool = True,
        budget: int | None = None,
        cache_size: float = 1000.0,
        class_weight: ClassWeight = None,
        new_classes: str = "error",
        max_time: float | None = None,
        n_jobs: int | None = None,
        random_state: Seed = None,
        verbose: int = 0,
        history: bool = False,
    ) -> None:
        self.kernel = kernel
        self.machine = machine
        self.loss = loss
        self.C = C
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.selection = selection
        self.schedule = schedule
        self.steps = steps
        self.hits = hits
        self.epochs = epochs
        self.tol = tol
        self.violation_tol = violation_tol
        self.cost = cost
        self.revisit = revisit
        self.budget = budget
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.new_classes = new_classes
        self.max_time = max_time
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.history = history

    @fit_method
    def fit(self, X: Rows, y: Labels, sample_weight: Weights = None) -> Self:
        """Learn from scratch, in `epochs` passes over the rows in random order.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            float32 and float64 decide the number format of kernel values.

        y : array-like of shape (n_samples,)
            Labels of at least two classes.

        sample_weight : array-like of shape (n_samples,) or None, default=None
            Multiplies C for each row. With ``epochs="converged"`` an integer weight
            equals repetition.

        Returns
        -------
        self : estimator

        Raises
        ------
        KeyboardInterrupt
            After Ctrl-C; what was learned so far is in the estimator.
        """
        began = perf_counter()
        if self.epochs == "converged" and self.budget is not None:
            raise ValueError(
                f"epochs='converged' needs all support vectors, and budget="
                f"{self.budget} would bound their number; set budget=None, or call "
                f"finish() after fit with a number of epochs."
            )
        with unchanged_on_error(self, but_for=_LEARNED):
            self._fit(X, y, sample_weight, began)
        return self

    def _fit(self, X: Rows, y: Labels, sample_weight: Weights, began: float) -> None:
        """Learn from rows; a signal while there is nothing to learn from yet leaves
        the estimator as it was.
        """
        random = check_random_state(self.random_state)
        with unchanged_on_error(self):
            X, y, problem = self._state_arrays(self._machine(), X, y, sample_weight)
            points = self._begin(X, random)
        epochs = 1 if isinstance(self.epochs, str) else self.epochs  # "converged"
        data = {"X": X, "y": y, "metadata": {"sample_weight": sample_weight}}
        context = self._init_callback_context(
            max_subtasks=epochs * ceil(len(points) / ARRIVALS)
        )
        context.call_on_fit_task_begin(estimator=self, **data)
        self._learn(
            points,
            problem,
            (
                chunk
                for _ in range(epochs)
                for chunk in in_chunks(random.permutation(len(points)))
            ),
            may_come_again=True,
            reporter=EpochReporter(self, context, data, self._fitted_parts, "chunk"),
        )
        if self.epochs == "converged" and self.status_ == "complete":
            self._converge_on_rows(points, problem, began)
        context.call_on_fit_task_end(
            estimator=self, reconstruction_attributes=self._fitted_parts, **data
        )

    @available_if(_takes_chunks)
    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(
        self, X: Rows, y: Labels, classes: Labels = None, sample_weight: Weights = None
    ) -> Self:
        """Learn from the next rows of a stream, in the order they have.

        Only support patterns are kept. Goes on after `fit`, too. Parameters that say
        how to learn are read at the first call; `C` and `class_weight` at every call.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            One row or many; chunks of some hundred rows are faster than single rows.

        y : array-like of shape (n_samples,)

        classes : array-like of shape (n_classes,) or None, default=None
            All labels that will ever come; required at the first call, unless
            ``new_classes="add"``.

        sample_weight : array-like of shape (n_samples,) or None, default=None
            Multiplies C for each row.

        Returns
        -------
        self : estimator

        Raises
        ------
        KeyboardInterrupt
            After Ctrl-C; what was learned so far is in the estimator.
        """
        first = not hasattr(self, "_driver")
        # Of a stream that goes on, what was learned before an error stays.
        with unchanged_on_error(self, but_for=_LEARNED if first else BaseException):
            self._learn_next(X, y, classes, sample_weight, first)
        return self

    def _learn_next(
        self, X: Rows, y: Labels, classes: Labels, sample_weight: Weights, first: bool
    ) -> None:
        """Learn from the next rows, which may be the first."""
        with unchanged_on_error(self):
            X, y = self._validate(X, y, reset=first)
            self._check_stream(y, classes, first)
            labels = self._known_labels(y)
            problem = self._problem(
                self._machine(), X, labels, sample_weight, all_may_be_zero=True
            )
            if first:
                points = self._begin(X, check_random_state(self.random_state))
            else:
                points = self._driver.kernel.points(X)
        self._learn(points, problem, in_chunks(np.arange(len(points))))

    def forget_class(self, label: Any) -> Self:
        """Remove a class from the model, which never predicts it again.

        Its support patterns go, and in those of others what stood against it.

        Parameters
        ----------
        label : object
            One of `classes_`, of which two are left at least.

        Returns
        -------
        self : estimator
        """
        classes = self._without_class(label)
        with unchanged_on_error(self):
            self._change_classes(classes)
            self._forget_convergence()
        return self

    def finish(self) -> Self:
        """Train on the support patterns until the relative duality gap is `tol`.

        The gap is that of the problem of the support patterns alone, which are all
        that the machine remembers of a stream; those that the solution does not need
        are dropped.

        Returns
        -------
        self : estimator
        """
        check_is_fitted(self, "_driver")
        self._converge_on_patterns()
        return self

    def gap(self, X: Rows, y: Labels, sample_weight: Weights = None) -> float:
        """Return the relative duality gap of the model on the rows it was fitted to.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            All rows that were learned from: with less it is no gap.

        y : array-like of shape (n_samples,)

        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        gap : float
            ``(objective - dual_objective_) / objective``.
        """
        driver = self._fitted_driver()
        X, y = self._validate(X, y, reset=False)
        labels = self._known_labels(y)
        problem = self._problem(self._machine(), X, labels, sample_weight)
        scores = self._expansion.scores(X, thread_count(self.n_jobs))
        blocks = Blocks(
            driver.machine, labels, problem.loss_weights, len(self.classes_)
        )
        losses = blocks.losses(blocks.violations(scores.astype(np.float64)))
        return relative_gap(driver.half_norm + losses, driver.dual)
