"""Linear multi-class support vector machines."""

from dataclasses import replace
from numbers import Real

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import available_if

from ..driver.linear.solvers import SOLVER_NAMES
from ..driver.options import LinearOptions
from ..machine.docstrings import lists_machines
from ..machine.registry import (
    FORMULATIONS,
    LOSSES,
    MACHINE_NAMES,
    RESTRICTED,
    Machine,
    find_machine,
)
from ..prediction.coupling import coupled_probabilities, log_probabilities, votes
from .linear_training import LinearTraining


def _is_logistic(estimator) -> bool:
    if estimator.loss == "logistic":
        return True
    raise AttributeError(
        f"loss={estimator.loss!r} has no probabilities; use loss='logistic' or MaxEnt."
    )


@lists_machines(lambda row: row.estimator == "LinearSVM")
class LinearSVM(LinearTraining):
    """Linear multi-class support vector machine with a certificate of accuracy.

    Minimises ``1/2 sum_m |w_m|^2 + sum_i C_i loss_i`` by the sequential dual method:
    one example after the other, its whole block of dual variables solved exactly; and
    by Newton steps, where features or C are so large that this would take long.
    Training ends when the relative duality gap, computed from the model itself, is at
    most `tol`: the objective is then provably within that share of the best.

    Parameters
    ----------
    machine : <machines>, default="cs"
        <what the machines count>

    C : float, default=1.0
        Weight of the losses, as in LIBLINEAR and scikit-learn.

    loss : {"hinge", "squared_hinge", "logistic"}, default="hinge"
        The squared hinge squares the one slack of an example where only the worst class
        counts, and the slack of every class elsewhere. "logistic" is for "ovr" and
        "ovo", and has probabilities; for a logistic loss of all classes together see
        `MaxEnt`.

    tol : float, default=1e-3
        Relative duality gap at which to stop.

    violation_tol : float or None, default=None
        Stop when no example violates the optimality conditions by more, not by `tol`.

    max_iter : int, default=10000
        Most iterations. One of "dual" is an epoch, as many visits as there are
        examples: 1 is one pass. One of "newton" is a Newton step, of every column that
        is not finished where columns are problems of their own; "auto" counts epochs
        and Newton steps together. It is there to protect: "auto" takes some hundreds
        where a fit is hard.

    max_time : float or None, default=None
        Most seconds of a `fit`, but for checking the data. The model so far is kept.

    fit_intercept : bool, default=True
        Whether to add a constant feature. Its weight is penalised like the others.

    intercept_scaling : float, default=1.0
        Value of the constant feature: the larger, the less its weight is penalised.

    class_weight : dict, "balanced" or None, default=None
        Multiplies C for each class.

    solver : str, default="auto"
        How to train. "auto" begins with "dual" and sees what its epochs cost and gain;
        where Newton steps are predicted to be sooner, it goes on with "newton" from the
        dual variables that were found. Costs are counted in operations, so that a fit
        is the same on every machine; `solver_` says what was done. It stays with "dual"
        if `violation_tol` is given, if `order`, `restricted` or `features` are not the
        default, and where Newton steps would need more than 2 GB. "dual" is the
        sequential dual method. "newton" is the proximal point method on the dual, whose
        steps are found by semismooth Newton steps, or plain ones where the loss is
        smooth: for every machine and loss, whatever the scale of the features and of
        C. It works in float64, on the rows that are neither beyond their margins nor at
        a bound; needs memory for rows times classes, and 512 MB for its systems at
        most. "tron" is the trust-region Newton method, for "ovr" and "ovo" with
        "squared_hinge" or "logistic": Newton steps of all classes side by side, or of
        every pair by itself, each by conjugate gradients; `order`, `shrinking`,
        `cooling`, `restricted` and `random_state` mean nothing to it. Two more are
        there for comparison, for "cs" with hinge only, and both need memory for rows
        times classes. "exponentiated_gradient" multiplies the dual variables of random
        examples by exponentials of their gradient; what becomes zero has fallen below
        rounding. "cutting_plane" bounds the sum of the losses from below by one more
        plane per epoch, which takes a pass over the rows; it works in float64 and keeps
        the current weights, not the best so far. Both ignore `order`, `shrinking`,
        `cooling` and `restricted`; stop them by `tol`, because violations fall late or
        not at all.

    features : {"full", "reduced"}, default="full"
        Which weights there are. "reduced": only those of a feature and a class that
        occur together in a row, the others are zero; `coef_` is then a sparse matrix.
        Saves memory where most features belong to few classes, such as rare words;
        not where weights sum to zero, nor for "ovo".

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
        "fixed_point"; with logistic "exact"; otherwise "exact" or "active_set".

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
        Compute and keep the certificate after every epoch. With ``solver="auto"`` the
        Newton steps may then begin some epochs sooner or later, since more is known.

    Attributes
    ----------
    coef_ : ndarray of shape (n_classes, n_features) or (1, n_features)
        Weights; with two classes the difference of the second and the first. One-vs-one
        has a row for each pair of classes, in the order (0, 1), (0, 2), ..., positive
        for the second.

    intercept_ : ndarray of shape (n_classes,) or (1,)
        Weights of the constant feature, times its value.

    n_parameters_ : tuple of int
        Number of weights, without intercepts: of the model (``kept``) and on all
        features (``full``).

    classes_ : ndarray of shape (n_classes,)
        The labels.

    n_features_in_ : int
        Number of features.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` had any.

    solver_ : str
        The solver that was used; "dual+newton" if "auto" began with the one and ended
        with the other.

    n_iter_ : int
        Iterations: epochs, Newton steps, or both.

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
        With reduced features, of the pairs that occur; the other weights are zero.
        Rows without features have none. One-vs-rest with two classes has one column,
        one-vs-one a column for each pair. "tron" and Newton steps show the dual
        variables behind `dual_objective_`; their weights are those of the model only in
        the limit.

    support_ : ndarray of shape (n_support,)
        Rows with coefficients other than zero. Neither this nor `dual_coef_` is there
        after a fit on a `RowStore`.

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
        **LinearTraining._parameter_constraints,
        "machine": [StrOptions(set(MACHINE_NAMES))],
        "loss": [StrOptions(set(LOSSES))],
        "solver": [StrOptions(set(SOLVER_NAMES))],
        "shrinking": ["boolean"],
        "cooling": ["boolean"],
        "restricted": [StrOptions(set(RESTRICTED))],
        "restricted_tol": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        machine="cs",
        *,
        C=1.0,
        loss="hinge",
        tol=1e-3,
        violation_tol=None,
        max_iter=10_000,
        max_time=None,
        fit_intercept=True,
        intercept_scaling=1.0,
        class_weight=None,
        solver="auto",
        features="full",
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
        self.features = features
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

    def _machine(self) -> Machine:
        return find_machine(self.machine, self.loss, self.restricted)

    def _driver_options(self, seed: int = 0, threads: int = 1) -> LinearOptions:
        return replace(
            super()._driver_options(seed, threads),
            solver=self.solver,
            shrinking=self.shrinking,
            cooling=self.cooling,
            restricted_tol=self.restricted_tol,
        )

    def _or_another_solver(self) -> str:
        """What else would help a fit that came to the end of `max_iter`."""
        if self.solver in ("auto", "newton") or self.features != "full":
            return ""
        return ", or leave solver='auto', which takes Newton steps where they pay"

    def decision_function(self, X):
        """Return the confidence in every class; `predict` takes the largest.

        One-vs-one with more than two classes counts votes: a class gets one for every
        pair it wins. Ties go to the class with the larger sum of scores over its
        pairs, squeezed into an interval shorter than one vote and added to the votes.

        Parameters
        ----------
        X : array-like, CSR matrix or RowStore of shape (n_samples, n_features)

        Returns
        -------
        confidence : ndarray of shape (n_samples, n_classes) or (n_samples,)
            With two classes, the confidence in the second.
        """
        scores = super().decision_function(X)
        return votes(scores) if self._many_pairs() else scores

    def _many_pairs(self) -> bool:
        return FORMULATIONS[self.machine].by_pairs and len(self.classes_) > 2

    @available_if(_is_logistic)
    def predict_proba(self, X):
        """Return the probability of every class; for ``loss="logistic"`` only.

        One-vs-rest: the probabilities of the classes, each against the rest, divided
        by their sum. One-vs-one: the probabilities of all pairs, coupled (Wu, Lin and
        Weng, 2004); in the rare rows where the winner of the votes is not the most
        probable class, the two exchange their probabilities.

        Parameters
        ----------
        X : array-like, CSR matrix or RowStore of shape (n_samples, n_features)

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
        """
        scores = super().decision_function(X)
        if self._many_pairs():
            return coupled_probabilities(scores)
        return np.exp(log_probabilities(scores))

    @available_if(_is_logistic)
    def predict_log_proba(self, X):
        """Return the logarithm of `predict_proba`; only coupled ones may be infinite.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)

        Returns
        -------
        logarithms : ndarray of shape (n_samples, n_classes)
        """
        scores = super().decision_function(X)
        if not self._many_pairs():
            return log_probabilities(scores)
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))
