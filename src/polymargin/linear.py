"""Linear multi-class support vector machines."""

from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.linear_model._base import LinearClassifierMixin, SparseCoefMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import _check_partial_fit_first_call

from .driver import Stopping, run_epochs
from .machine import LOSSES, MACHINE_NAMES, RESTRICTED, find_machine
from .progress import EpochReporter
from .solver import SOLVER_NAMES, SOLVERS, choose_solver
from .training import SequentialTraining


class LinearSVM(
    SequentialTraining,
    CallbackSupportMixin,
    LinearClassifierMixin,
    SparseCoefMixin,
    BaseEstimator,
):
    """Linear multi-class support vector machine with a certificate of accuracy.

    Minimises ``1/2 sum_m |w_m|^2 + sum_i C_i loss_i`` by the sequential dual method:
    one example after the other, its whole block of dual variables solved exactly.
    Training ends when the relative duality gap, computed from the model itself, is at
    most `tol`: the objective is then provably within that share of the best.

    Parameters
    ----------
    machine : {"cs", "ww", "llw", "ovr"}, default="cs"
        The formulation. Crammer-Singer ("cs") counts the worst wrong class of an
        example, Weston-Watkins ("ww") every wrong class inside the margin,
        Lee-Lin-Wahba ("llw") every wrong class whose score is above ``-1/(k-1)``, with
        weights that sum to zero (its margin shrinks with the number of classes: give it
        a C smaller by about k - 1). One-vs-rest ("ovr") solves one binary problem per
        class, all in one pass over the rows.

    C : float, default=1.0
        Weight of the losses, as in LIBLINEAR and scikit-learn.

    loss : {"hinge", "squared_hinge"}, default="hinge"
        The squared hinge of "cs" squares the one slack of an example, that of the
        others the slack of every class.

    tol : float, default=1e-3
        Relative duality gap at which to stop.

    violation_tol : float or None, default=None
        If given, stop when no example violates the optimality conditions by more,
        instead of by `tol`.

    max_iter : int, default=1000
        Most epochs; an epoch is as many visits as there are examples, and
        ``max_iter=1`` is one pass.

    max_time : float or None, default=None
        Most seconds to train. The model so far is kept.

    fit_intercept : bool, default=True
        Whether to add a constant feature. Its weight is penalised like the others.

    intercept_scaling : float, default=1.0
        Value of the constant feature: the larger, the less its weight is penalised.

    class_weight : dict, "balanced" or None, default=None
        Multiplies C for each class.

    solver : {"auto", "dual", "exponentiated_gradient", "cutting_plane"}, default="auto"
        How to train. "dual" is the sequential dual method. "auto" chooses by what is
        known before the fit and says what it chose in `solver_`. Two more are there for
        comparison, for "cs" with hinge only, and both need memory for rows times
        classes. "exponentiated_gradient" multiplies the dual variables of random
        examples by exponentials of their gradient; what becomes zero has fallen below
        rounding. "cutting_plane" bounds the sum of the losses from below by one
        more plane per epoch, which takes a pass over the rows; it works in float64
        and keeps the current weights, not the best so far. Both ignore `order`,
        `shrinking`, `cooling` and `restricted`; stop them by `tol`, because violations
        fall late or not at all.

    order : {"acf", "permuted", "max_violation"}, default="acf"
        Who is visited next by "dual". "acf" visits an example as often as its visits
        are worth it; "permuted" visits all in a fresh random order. "max_violation"
        always visits the example that violates its optimality conditions most, as
        Crammer and Singer did: every visit costs a pass over all rows, and an epoch as
        many passes as there are examples. It is there for comparison on small data.

    shrinking : bool, default=True
        With "permuted": between full passes, visit only examples whose dual block is
        not at a vertex. With more than 64 classes, in either order: most visits look
        only at the classes in the support of the block.

    cooling : bool, default=True
        With "permuted" and shrinking: begin with a coarse tolerance for the shrunk
        passes and refine it by factors of ten.

    restricted : str, default="exact"
        Solver of the restricted problem of one example. For "cs" with hinge: "exact",
        "sort", "pivot", "bisection", "active_set", "smo", "frank_wolfe" or
        "fixed_point"; otherwise "exact" or "active_set". All but "exact" are there
        for comparison.

    restricted_tol : float, default=1e-3
        Tolerance tau of "bisection" and "fixed_point".

    warm_start : bool, default=False
        Start from the dual variables of the previous fit, made feasible for the
        current C, if rows and classes match in number.

    n_jobs : int or None, default=None
        Threads, in the sense of joblib. The model does not depend on it.

    random_state : int, RandomState or None, default=None
        Seed of the order of visits.

    verbose : int, default=0
        Print a line after every `verbose` epochs.

    history : bool, default=False
        Compute and keep the certificate after every epoch.

    Attributes
    ----------
    coef_ : ndarray of shape (n_classes, n_features) or (1, n_features)
        Weights; with two classes the difference of the second and the first.

    intercept_ : ndarray of shape (n_classes,) or (1,)
        Weights of the constant feature, times its value.

    classes_ : ndarray of shape (n_classes,)
        The labels.

    n_features_in_ : int
        Number of features.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` had any.

    solver_ : str
        The solver that was used.

    n_iter_ : int
        Epochs run.

    objective_, dual_objective_ : float
        Primal and dual objective. The optimum lies between them.

    dual_gap_ : float
        ``(objective_ - dual_objective_) / objective_``; infinite if the fit was
        interrupted, because nothing was certified then.

    violation_ : float
        Largest violation of the optimality conditions.

    status_ : str
        How the fit ended: "converged", "max_iter", "max_time", "interrupted",
        "callback" (a callback asked to stop), "precision" (nothing moves any more in
        this number format) or "partial" (after `partial_fit`).

    dual_coef_ : csr_array of shape (n_samples, n_classes) or (n_samples, 1)
        Coefficients of the rows: ``dual_coef_.T @ X`` are the weights of the classes.
        Rows without features have none. One-vs-rest with two classes has one column.

    support_ : ndarray of shape (n_support,)
        Rows with coefficients other than zero.

    history_ : dict of ndarrays or None
        By epoch: seconds, objective, dual objective, gap, violation, visits, moves.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from polymargin import LinearSVM
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LinearSVM(random_state=0).fit(X, y)
    >>> bool(model.dual_gap_ <= 1e-3)
    True
    >>> model.status_
    'converged'
    """

    _parameter_constraints: dict = {
        "machine": [StrOptions(set(MACHINE_NAMES))],
        "C": [Interval(Real, 0, None, closed="neither")],
        "loss": [StrOptions(set(LOSSES))],
        "tol": [Interval(Real, 0, None, closed="left")],
        "violation_tol": [Interval(Real, 0, None, closed="neither"), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "max_time": [Interval(Real, 0, None, closed="neither"), None],
        "fit_intercept": ["boolean"],
        "intercept_scaling": [Interval(Real, 0, None, closed="neither")],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "solver": [StrOptions(set(SOLVER_NAMES))],
        "order": [StrOptions({"acf", "permuted", "max_violation"})],
        "shrinking": ["boolean"],
        "cooling": ["boolean"],
        "restricted": [StrOptions(set(RESTRICTED))],
        "restricted_tol": [Interval(Real, 0, None, closed="neither")],
        "warm_start": ["boolean"],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
        "history": ["boolean"],
    }

    def __init__(
        self,
        machine="cs",
        *,
        C=1.0,
        loss="hinge",
        tol=1e-3,
        violation_tol=None,
        max_iter=1000,
        max_time=None,
        fit_intercept=True,
        intercept_scaling=1.0,
        class_weight=None,
        solver="auto",
        order="acf",
        shrinking=True,
        cooling=True,
        restricted="exact",
        restricted_tol=1e-3,
        warm_start=False,
        n_jobs=None,
        random_state=None,
        verbose=0,
        history=False,
    ):
        self.machine = machine
        self.C = C
        self.loss = loss
        self.tol = tol
        self.violation_tol = violation_tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.solver = solver
        self.order = order
        self.shrinking = shrinking
        self.cooling = cooling
        self.restricted = restricted
        self.restricted_tol = restricted_tol
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.history = history

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @with_callbacks
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Train the machine.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            float32 and float64 are read in place and decide the number format of the
            training.

        y : array-like of shape (n_samples,)
            Labels of at least two classes.

        sample_weight : array-like of shape (n_samples,) or None, default=None
            Multiplies C for each row; an integer weight equals repetition.

        Returns
        -------
        self : LinearSVM

        Raises
        ------
        KeyboardInterrupt
            After Ctrl-C; the model trained so far is in the estimator.
        """
        machine = find_machine(self.machine, self.loss, self.restricted)
        X, y = self._validate(X, y)
        self.classes_, labels = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"LinearSVM needs at least two classes in y, got one class only: "
                f"{self.classes_.tolist()[0]!r}."
            )
        problem = self._problem(machine, X, labels, sample_weight)
        self.solver_ = choose_solver(self.solver, machine, X)
        driver = SOLVERS[self.solver_].driver(self, X, problem)
        if self.warm_start:
            self._start_from_previous(driver, problem)

        data = {"X": X, "y": y, "metadata": {"sample_weight": sample_weight}}
        context = self._init_callback_context(max_subtasks=self.max_iter)
        context.call_on_fit_task_begin(estimator=self, **data)
        run = run_epochs(
            driver,
            Stopping(self.tol, self.violation_tol, self.max_iter, self.max_time),
            history=self.history,
            reporter=EpochReporter(
                self, context, data, lambda: self._model(driver.weights())
            ),
        )
        self._keep(run, driver, problem)
        context.call_on_fit_task_end(
            estimator=self,
            reconstruction_attributes=lambda: {
                "coef_": self.coef_,
                "intercept_": self.intercept_,
            },
            **data,
        )
        if run.status == "interrupted":
            raise KeyboardInterrupt
        self._warn_unless_converged()
        return self

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Train on one more chunk of a stream, in one pass.

        Every row of the chunk gets one exact dual step against the weights of all
        chunks before. Nothing of a chunk but its effect on the weights is kept, so
        there is no gap to certify; `dual_objective_` adds up over the chunks. After
        `fit`, it goes on from the fitted weights.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)

        y : array-like of shape (n_samples,)

        classes : array-like of shape (n_classes,) or None, default=None
            All labels that will ever come; required at the first call.

        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self : LinearSVM
        """
        if self.solver not in ("auto", "dual"):
            raise ValueError(
                f"solver={self.solver!r} needs all rows at once; partial_fit trains "
                f"with solver='auto' or 'dual'."
            )
        machine = find_machine(self.machine, self.loss, self.restricted)
        _check_partial_fit_first_call(self, classes)
        first = not hasattr(self, "coef_")  # also after a first call that failed
        if first and len(self.classes_) < 2:
            raise ValueError(
                f"classes must name at least two classes, got {list(self.classes_)!r}."
            )
        if self.class_weight == "balanced":
            raise ValueError(
                "class_weight='balanced' needs all data at once; give partial_fit a "
                "dict of weights, e.g. computed on a sample."
            )
        X, y = self._validate(X, y, reset=first)
        labels = np.searchsorted(self.classes_, y)
        known = np.isin(y, self.classes_)
        if not known.all():
            raise ValueError(
                f"y contains the label {np.asarray(y)[~known][0]!r}, which is not in "
                f"the classes given at the first call of partial_fit."
            )
        problem = self._problem(machine, X, labels, sample_weight)
        # Every row once, whatever the order of a fit.
        driver = SOLVERS["dual"].driver(self, X, problem, order="permuted")
        if first:
            self.n_iter_ = 0
            self.dual_objective_ = 0.0
        else:
            driver.set_weights(self._weights(X.dtype))
        report = driver.epoch(float("inf"))
        interrupted = driver.interrupted
        self._forget_rows()
        self.__dict__.update(self._model(driver.release_weights()))
        self.n_iter_ += 1
        self.dual_objective_ += report["dual"]
        self.status_ = "partial"
        if interrupted:
            raise KeyboardInterrupt
        return self
