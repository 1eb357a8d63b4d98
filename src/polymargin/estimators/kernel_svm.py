"""Multi-class support vector machines with kernels."""

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from ..access.gram import Gram
from ..access.kernel_registry import KERNELS, lists_kernels
from ..access.kernels import make_kernel
from ..access.shifted_kernel import ShiftedKernel
from ..base.annotations import Array, ClassWeight, CrossValidation, Kernel, Rows, Seed
from ..base.one_thread import blas_on_one_thread
from ..base.threads import thread_count
from ..driver.kernel.solvers import KERNEL_SOLVERS, kernel_driver, solver_of
from ..driver.loop import Clock, OutOfTime
from ..driver.low_rank import low_rank_driver
from ..driver.options import KernelOptions
from ..driver.untrained import Untrained
from ..machine.docstrings import lists_machines
from ..machine.formulation import COST_RULES
from ..machine.problem import Problem
from ..machine.registry import (
    FORMULATIONS,
    KERNEL_MACHINE_NAMES,
    Machine,
    find_machine,
)
from ..prediction.coupling import votes
from .calibrated_probabilities import CalibratedProbabilities
from .kernel_attributes import exact_attributes, low_rank_attributes
from .kernel_prediction import KernelPrediction
from .training import Training


@lists_kernels
@lists_machines(lambda row: row.kernels)
class KernelSVM(CalibratedProbabilities, KernelPrediction, Training):
    """Multi-class support vector machine with a kernel and a certificate of accuracy.

    Minimises ``1/2 sum_m |w_m|^2 + sum_i C_i loss_i`` over weights in the space of the
    kernel. Training ends when the relative duality gap, computed
    from the model itself, is at most `tol`: the objective is then provably within that
    share of the best. The guide page "Parameters" says more about each parameter.

    Parameters
    ----------
    machine : <machines>, default="ovo"
        <what the machines count>

    C : float, default=1.0
        Weight of the losses, as in scikit-learn's SVC.

    kernel : str or callable, default="rbf"
        <kernels>
        "precomputed" takes kernel matrices in place of `X`: of the training rows with
        themselves in `fit`, and of new rows with the training rows to predict. A
        callable ``f(A, B)`` gets blocks of rows and returns an array of shape (rows of
        A, rows of B). Kernels should be symmetric and positive semi-definite, or the
        gap proves nothing.

    gamma : {"scale", "auto"} or float, default="scale"
        "scale" is one over the number of features times the variance of all values of
        `X`, "auto" one over the number of features.

    degree : int, default=3
        The degree, of kernels that have one.

    coef0 : float, default=0.0
        The constant, of kernels that have one.

    fit_intercept : bool or "auto", default="auto"
        Whether scores have an intercept, which is penalised like the weights: 1 is
        added to all values of the kernel. "auto": with the kernels "linear", "poly" and
        "sigmoid". Others do as well or better without.

    loss : {"hinge", "squared_hinge"}, default="hinge"
        What is counted of a margin that falls short.

    class_weight : dict, "balanced" or None, default=None
        Multiplies C for each class.

    costs : array-like, dict of dicts, str, callable or None, default=None
        What it costs to take one class for another: class m must keep ``costs[y, m]``
        times the margin from rows of class y. An array with rows and columns in the
        order of the classes; a data frame with the labels as index and columns; dicts
        ``costs[y][m]``, 1 where left out; a callable
        ``f(y, m)``; "ordinal", the distance in the order of the classes; or "tree",
        the distance of labels that are paths, such as "a/b/c".
        In <machines with costs>.

    probability : bool, default=False
        Whether to have `predict_proba`. Trains one more machine for each fold of `cv`.

    approximation : {"nystroem"} or None, default=None
        "nystroem" trains a linear machine on `rank` features that approximate the
        kernel, for rows so many that an exact fit would take too long. The gap is then
        that of the approximated problem.

    n_jobs : int or None, default=None
        Threads, in the sense of joblib. The model does not depend on it.

    random_state : int, RandomState or None, default=None
        Seed of the order of visits, and of the landmarks.

    Other Parameters
    ----------------
    tol : float, default=1e-3
        Relative duality gap at which to stop.

    max_iter : int, default=100000
        Most rounds and Newton steps; most thousands of iterations of "s2do" and "smo";
        with `approximation`, most epochs of the linear machine.

    max_time : float or None, default=None
        Most seconds of a `fit`, with all that belongs to it. The model so far is kept.

    cache_size : float, default=1000.0
        Memory for kernel values in megabytes. Values that do not fit are computed
        again when they are needed.

    warm_start : bool, default=False
        Start from the previous fit, if rows and classes match in number.

    verbose : int, default=0
        1: print a line after each of the first ten rounds, then after every ten, every
        hundred and so on, and one at the end. More: after every `verbose` rounds.

    history : bool, default=False
        Keep the certificate after every round, which takes far longer than the training
        itself if the cache is small.

    cv : int, splitter or iterable, default=5
        The folds of `probability`.

    rank : int, default=1000
        Number of landmarks of "nystroem", which is exact if there are no more rows.

    solver : {"auto", "binary", "block", "newton", "s2do", "smo"}, default="auto"
        For research. "binary" trains "ovo" and "ovr". "s2do" and "smo" do not train
        "cs", "adm" and "atm" with "squared_hinge".

    violation_tol : "auto", float or None, default="auto"
        For research: a number stops when no example violates the optimality conditions
        by more, not by `tol`. "auto" is 1e-3 for "s2do" and "smo", None for the others.

    shrinking : bool, default=True
        For research: leave out rows that are likely to keep their dual variables.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.

    costs_ : ndarray of shape (n_classes, n_classes)
        The costs as a table, if there are any.

    dual_coef_ : ndarray or csr_array of shape (n_support, n_columns)
        Coefficients of the support vectors: ``kernel(X, support_vectors_) @
        dual_coef_`` are the scores. A column for each class; one-vs-rest with two
        classes has one, one-vs-one has one for each pair, in the order (0, 1), (0, 2),
        ..., positive for the second, and is sparse: a row is in few pairs. With
        "nystroem", of the landmarks, and never sparse.

    support_ : ndarray of shape (n_support,)
        Rows with coefficients other than zero, ascending. Not with "nystroem".

    support_vectors_ : ndarray or CSR matrix of shape (n_support, n_features)
        These rows; of shape (0, 0) with a precomputed kernel. Not with "nystroem".

    n_support_ : ndarray of shape (n_classes,)
        How many there are of each class. Not with "nystroem".

    dual_gap_ : float
        ``(objective_ - dual_objective_) / objective_``; infinite if the fit was
        interrupted, because nothing was certified then.

    objective_, dual_objective_ : float
        Primal and dual objective. The optimum lies between them.

    status_ : str
        How the fit ended: "converged", "max_iter", "max_time", "interrupted",
        "callback" (a callback asked to stop) or "precision" (nothing moves any more in
        this number format).

    n_iter_ : int
        Rounds and Newton steps; iterations of "s2do" and "smo", but with "ovo".

    solver_ : str
        The solver that was used; "block+newton" if "auto" changed from one to the
        other; with "nystroem", that of the linear machine.

    gamma_ : float or None
        The parameter as a number; None for kernels that have none.

    intercept_ : ndarray of shape (n_classes,) or (n_pairs,)
        Part of the scores that does not depend on the row; zeros if there is none.

    temperature_ : float
        What scores are multiplied by before they become probabilities. With
        `probability` only.

    violation_ : float
        Largest violation of the optimality conditions.

    n_kernel_evaluations_ : int
        Kernel values that were computed to train and to certify.

    history_ : dict of ndarrays or None
        By round: seconds, objective, dual objective, gap, violation, visits, moves.

    n_features_in_ : int
        Number of features; of training rows, if the kernel is precomputed.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` had any.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from polymargin import KernelSVM
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KernelSVM(random_state=0).fit(X, y)
    >>> bool(model.dual_gap_ <= 1e-3)
    True
    >>> model.status_
    'converged'
    """

    _parameter_constraints: dict[str, Any] = {
        **Training._parameter_constraints,
        "costs": ["array-like", dict, StrOptions(set(COST_RULES)), callable, None],
        "machine": [StrOptions(set(KERNEL_MACHINE_NAMES))],
        **KernelPrediction._kernel_constraints,
        "fit_intercept": ["boolean", StrOptions({"auto"})],
        "loss": [StrOptions({"hinge", "squared_hinge"})],
        "violation_tol": [
            StrOptions({"auto"}),
            Interval(Real, 0, None, closed="neither"),
            None,
        ],
        "solver": [StrOptions(set(KERNEL_SOLVERS))],
        "shrinking": ["boolean"],
        "probability": ["boolean"],
        "cv": ["cv_object"],
        "approximation": [StrOptions({"nystroem"}), None],
        "rank": [Interval(Integral, 1, None, closed="left")],
    }
    _model_attributes = ("_expansion",)

    def __init__(
        self,
        machine: str = "ovo",
        *,
        C: float = 1.0,
        kernel: Kernel = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        fit_intercept: bool | str = "auto",
        loss: str = "hinge",
        tol: float = 1e-3,
        violation_tol: float | str | None = "auto",
        max_iter: int = 100_000,
        max_time: float | None = None,
        solver: str = "auto",
        cache_size: float = 1000.0,
        shrinking: bool = True,
        class_weight: ClassWeight = None,
        costs: Any = None,
        probability: bool = False,
        cv: CrossValidation = 5,
        approximation: str | None = None,
        rank: int = 1000,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Seed = None,
        verbose: int = 0,
        history: bool = False,
    ) -> None:
        self.machine = machine
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.loss = loss
        self.tol = tol
        self.violation_tol = violation_tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.solver = solver
        self.cache_size = cache_size
        self.shrinking = shrinking
        self.class_weight = class_weight
        self.costs = costs
        self.probability = probability
        self.cv = cv
        self.approximation = approximation
        self.rank = rank
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.history = history

    def decision_function(self, X: Rows) -> Array:
        """Return the confidence in every class; `predict` takes the largest.

        One-vs-one with more than two classes counts votes: a class gets one for every
        pair it wins. Ties go to the class with the larger sum of scores over its
        pairs, squeezed into an interval shorter than one vote and added to the votes.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            The kernel of new rows with those of the training, if it is precomputed.

        Returns
        -------
        confidence : ndarray of shape (n_samples, n_classes) or (n_samples,)
            With two classes, the confidence in the second.
        """
        return super().decision_function(X)

    def _confidence(self, scores: Any) -> Any:
        return votes(scores) if FORMULATIONS[self.machine].by_pairs else scores

    def _machine(self) -> Machine:
        return find_machine(self.machine, self.loss, "exact")

    def _violation_tol(self) -> float | None:
        if not isinstance(self.violation_tol, str):  # "auto"
            return self.violation_tol
        return None if self.approximation else KERNEL_SOLVERS[self.solver].violation_tol

    def _training_context(self) -> Any:
        return blas_on_one_thread()

    def _driver_options(self, seed: int = 0, threads: int = 1) -> KernelOptions:
        """Return what the parameters tell a driver."""
        return KernelOptions(
            solver=self.solver,
            tol=self.tol,
            violation_tol=self._violation_tol(),
            cache_bytes=1e6 * self.cache_size,
            shrinking=self.shrinking,
            seed=seed,
            threads=threads,
        )

    def _make_kernel(self, X: Rows) -> Any:
        """Return the kernel for rows like `X`, with a constant for the intercept."""
        kernel = make_kernel(self.kernel, self.gamma, self.degree, self.coef0, X)
        wanted = self.fit_intercept
        if wanted == "auto":
            row = KERNELS.get(self.kernel) if isinstance(self.kernel, str) else None
            wanted = row is not None and row.of_products
        return ShiftedKernel(kernel, 1.0) if wanted else kernel

    @property
    def intercept_(self) -> Array:
        """Part of the scores that does not depend on the row."""
        if not hasattr(self, "_expansion"):
            raise AttributeError("intercept_ is there after fit.")
        constant = self._expansion.kernel.constant
        sums = np.asarray(self._expansion.coefficients.sum(axis=0)).ravel()
        return constant * sums

    def _make_driver(self, X: Rows, problem: Problem, clock: Clock) -> Any:
        self._forget()
        kernel = self._make_kernel(X)
        self.gamma_ = kernel.gamma_
        options = self._driver_options(self._draw_seed(), thread_count(self.n_jobs))
        gram = Gram(kernel, kernel.points(X))
        if self.approximation is None:
            driver = kernel_driver(gram, problem, options)
        else:
            rank, poll = self.rank, clock.check
            try:
                low_rank = low_rank_driver(gram, problem, rank, options, poll)
                return low_rank.driver, lambda last: low_rank_attributes(low_rank, last)
            except OutOfTime:
                driver = Untrained(problem, interrupted=False)
            except KeyboardInterrupt:
                if hasattr(self, "status_"):
                    raise  # the model of the last fit stays
                driver = Untrained(problem, interrupted=True)

        def attributes(last: bool) -> Any:
            if last:
                coefficients = self._coefficients  # of the solution
            else:
                duals: Any = driver.duals()
                coefficients = problem.coefficients(*duals)
            found = exact_attributes(gram, X, problem, coefficients)
            found["n_kernel_evaluations_"] = driver.kernel_evaluations
            return {**found, "solver_": solver_of(driver, options)}

        return driver, attributes

    def _forget(self) -> None:
        """Drop what a fit of another kind has left."""
        for name in ("support_", "support_vectors_", "n_support_", "temperature_"):
            self.__dict__.pop(name, None)

    def _set_coefficients_of_rows(self, coefficients: Any) -> None:
        self._coefficients = coefficients

    def _coefficients_of_rows(self) -> Any:
        return self._coefficients
