"""Linear multi-class support vector machines."""

from dataclasses import replace
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy.special import expit, log_expit
from sklearn.base import clone
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_sample_weight

from ..base.annotations import (
    Array,
    ClassWeight,
    Estimator,
    Labels,
    Rows,
    Seed,
    Weights,
)
from ..driver.linear.solvers import SOLVER_NAMES, SOLVERS_OF_SETS
from ..driver.options import LinearOptions
from ..machine.docstrings import lists_machines
from ..machine.formulation import COST_RULES
from ..machine.registry import (
    FORMULATIONS,
    LOSSES,
    MACHINE_NAMES,
    RESTRICTED,
    Machine,
    find_machine,
)
from ..prediction.coupling import coupled_probabilities, log_probabilities, votes
from ..prediction.thresholds import FOLDS, f1_thresholds, scores_of_others
from .linear_training import LinearTraining


def _is_logistic(estimator: Estimator) -> bool:
    if estimator.loss == "logistic":
        return True
    raise AttributeError(
        f"loss={estimator.loss!r} has no probabilities; use loss='logistic' or MaxEnt."
    )


@lists_machines(lambda row: row.estimator == "LinearSVM")
class LinearSVM(LinearTraining):
    """Linear multi-class support vector machine with a certificate of accuracy.

    Minimises ``1/2 sum_m |w_m|^2 + sum_i C_i loss_i``. Training ends when the relative
    duality gap, computed from the model itself, is at most `tol`: the objective is then
    provably within that share of the best. The guide page "Parameters" says more about
    each parameter, "How it is solved" about the solvers.

    Parameters
    ----------
    machine : <machines>, default="cs"
        <what the machines count>

    C : float, default=1.0
        Weight of the losses, as in LIBLINEAR and scikit-learn.

    loss : {"hinge", "squared_hinge", "logistic"}, default="hinge"
        "logistic" is for "ovr" and "ovo", and has probabilities.

    fit_intercept : bool or "free", default=True
        Whether to add a constant feature, whose weight is penalised like the others.
        "free": intercepts are not penalised.

    penalty : {"l2", "l1", "group"}, default="l2"
        What is added to the losses: half the squares of the weights; their absolute
        values, which makes many of them zero; or for every feature the length of its
        weights, which leaves out whole features. The last two are for "ovr" with
        squared_hinge or logistic.

    weight_bounds : pair or None, default=None
        The least and the largest weight. Each is a number, an array with a number for
        every feature, or None: ``(0, None)`` asks for weights that are not negative.
        Zero must be allowed; intercepts have no bounds. For "ovr" with squared_hinge
        or logistic.

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

    candidates : int or None, default=None
        For thousands of classes: train each row against this many similar classes,
        rounded up to a multiple of 16, instead of all. Objectives and gap are those of
        the machine on the candidates. In <machines with candidates>, with hinge losses.

    new_classes : {"error", "add"}, default="error"
        What `partial_fit` does with a label it has not met: refuse it, or take it as
        one more class.

    thresholds : {"f1"} or None, default=None
        Where `y` has several labels a row: the score above which a class is predicted.
        None is zero; "f1" is the best for the F1 of each class, by 5-fold
        cross-validation.

    n_jobs : int or None, default=None
        Threads, in the sense of joblib. The model does not depend on it.

    random_state : int, RandomState or None, default=None
        Seed of the order of visits.

    Other Parameters
    ----------------
    tol : float, default=1e-3
        Relative duality gap at which to stop.

    max_iter : int, default=10000
        Most iterations: epochs and Newton steps together. An epoch is as many visits as
        there are rows.

    max_time : float or None, default=None
        Most seconds of a `fit`. The model so far is kept.

    warm_start : bool, default=False
        Start from the previous fit, if rows and classes match in number.

    verbose : int, default=0
        1: print a line after each of the first ten epochs, then after every ten, every
        hundred and so on, and one at the end. More: after every `verbose` epochs.

    history : bool, default=False
        Keep the certificate after every epoch. ``solver="auto"`` may then change to
        Newton steps some epochs sooner or later.

    intercept_scaling : float, default=1.0
        Value of the constant feature: the larger, the less its weight is penalised. It
        has no effect if intercepts are "free".

    features : {"full", "reduced"}, default="full"
        "reduced": a weight is kept only if some row has that feature and that class.
        Not for machines whose weights sum to zero, nor for "ovo".

    solver : str, default="auto"
        For research: "auto", "dual", "newton", "tron", "exponentiated_gradient" or
        "cutting_plane".

    violation_tol : float or None, default=None
        For research: stop when no example violates the optimality conditions by more,
        not by `tol`.

    order : {"acf", "permuted", "cyclic", "max_violation"}, default="acf"
        For research: which row "dual" visits next. "permuted": all, in a new order each
        time; "cyclic": in the same order each time.

    shrinking : bool or "classes", default=True
        For research: visit rows at a vertex less often, and with more than 64 classes
        also classes whose variables are zero. "classes": with any number of classes.

    cooling : bool, default=True
        For research: with "permuted" and shrinking, begin with a coarse tolerance.

    restricted : str, default="exact"
        For research: how a visit is solved. For "cs" with hinge: "exact", "sort",
        "pivot", "bisection", "bisection_printed", "active_set", "smo", "frank_wolfe" or
        "fixed_point"; with logistic "exact"; otherwise "exact" or "active_set".
        "bisection_printed" leaves the feasible set by as much as its tolerance allows.

    restricted_tol : float, default=1e-3
        For research: tolerance of both bisections and of "fixed_point".

    restricted_sweeps : int, default=1
        For research: how often "smo" goes round the classes in a visit.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.

    multilabel_ : bool
        True after a fit to several labels a row; `classes_` are then the columns of
        `y`. Not there otherwise.

    thresholds_ : ndarray of shape (n_classes,)
        The score above which a class is predicted, after such a fit.

    costs_ : ndarray of shape (n_classes, n_classes)
        The costs as a table, if there are any.

    coef_ : ndarray of shape (n_classes, n_features) or (1, n_features)
        Weights; with two classes the difference of the second and the first. One-vs-one
        has a row for each pair of classes, in the order (0, 1), (0, 2), ..., positive
        for the second. A sparse matrix with reduced features or candidates.

    intercept_ : ndarray of shape (n_classes,) or (1,)
        Weights of the constant feature, times its value.

    centroids_ : csr_array of shape (n_classes, n_features)
        Directions of the classes, by which candidates are chosen. Only with candidates.

    class_order_ : ndarray of shape (n_classes,)
        Positions of the classes, sorted so that similar ones are neighbours: each 16
        are candidates together. Only with candidates.

    frequent_classes_ : ndarray of shape (n_classes,)
        Positions of the classes, those with the most rows first: candidates of rows
        that share no feature with a centroid. Only with candidates.

    dual_gap_ : float
        ``(objective_ - dual_objective_) / objective_``; infinite if the fit was
        interrupted, because nothing was certified then.

    objective_, dual_objective_ : float
        Primal and dual objective. The optimum lies between them.

    status_ : str
        How the fit ended: "converged", "max_iter", "max_time", "interrupted",
        "callback" (a callback asked to stop), "precision" (nothing moves any more in
        this number format) or "partial" (after `partial_fit`).

    n_iter_ : int
        Iterations: epochs, Newton steps, or both.

    solver_ : str
        The solver that was used; "dual+newton" if "auto" changed from one to the other.

    dual_coef_ : csr_array of shape (n_samples, n_classes) or (n_samples, 1)
        Coefficients of the rows: ``dual_coef_.T @ X`` are the weights; after Newton
        steps only in the limit. One-vs-rest with two classes has one column, one-vs-one
        a column for each pair.

    support_ : ndarray of shape (n_support,)
        Rows with coefficients other than zero. Neither this nor `dual_coef_` is there
        after a fit on a `RowStore`.

    violation_ : float
        Largest violation of the optimality conditions.

    n_parameters_ : tuple of int
        Weights without intercepts: of the model (``kept``), on all features (``full``).

    history_ : dict of ndarrays or None
        By epoch: seconds, objective, dual objective, gap, violation, visits, moves.

    n_features_in_ : int
        Number of features.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` had any.

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

    _parameter_constraints: dict[str, Any] = {
        **LinearTraining._parameter_constraints,
        "weight_bounds": [tuple, list, None],
        "costs": ["array-like", dict, StrOptions(set(COST_RULES)), callable, None],
        "candidates": [Interval(Integral, 1, None, closed="left"), None],
        "machine": [StrOptions(set(MACHINE_NAMES))],
        "loss": [StrOptions(set(LOSSES))],
        "solver": [StrOptions(set(SOLVER_NAMES))],
        "shrinking": ["boolean", StrOptions({"classes"})],
        "cooling": ["boolean"],
        "restricted": [StrOptions(set(RESTRICTED))],
        "restricted_tol": [Interval(Real, 0, None, closed="neither")],
        "restricted_sweeps": [Interval(Integral, 1, None, closed="left")],
        "thresholds": [StrOptions({"f1"}), None],
    }

    def __init__(
        self,
        machine: str = "cs",
        *,
        C: float = 1.0,
        loss: str = "hinge",
        tol: float = 1e-3,
        violation_tol: float | None = None,
        max_iter: int = 10_000,
        max_time: float | None = None,
        fit_intercept: bool | str = True,
        intercept_scaling: float = 1.0,
        penalty: str = "l2",
        weight_bounds: Any = None,
        class_weight: ClassWeight = None,
        costs: Any = None,
        candidates: int | None = None,
        solver: str = "auto",
        features: str = "full",
        order: str = "acf",
        shrinking: bool | str = True,
        cooling: bool = True,
        restricted: str = "exact",
        restricted_tol: float = 1e-3,
        restricted_sweeps: int = 1,
        thresholds: Any = None,
        new_classes: str = "error",
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Seed = None,
        verbose: int = 0,
        history: bool = False,
    ) -> None:
        self.machine = machine
        self.C = C
        self.loss = loss
        self.tol = tol
        self.violation_tol = violation_tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.penalty = penalty
        self.weight_bounds = weight_bounds
        self.class_weight = class_weight
        self.costs = costs
        self.candidates = candidates
        self.solver = solver
        self.features = features
        self.order = order
        self.shrinking = shrinking
        self.cooling = cooling
        self.restricted = restricted
        self.restricted_tol = restricted_tol
        self.restricted_sweeps = restricted_sweeps
        self.thresholds = thresholds
        self.new_classes = new_classes
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.history = history

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        row = FORMULATIONS.get(self.machine)
        tags.classifier_tags.multi_label = (
            row is not None
            and row.label_sets
            and self.solver in SOLVERS_OF_SETS
            and self.features == "full"
        )
        return tags

    def _state_problem(
        self, machine: Machine, X: Rows, y: Labels, sample_weight: Weights
    ) -> Any:
        stated = super()._state_problem(machine, X, y, sample_weight)
        if self.thresholds is not None and not hasattr(self, "multilabel_"):
            raise ValueError(
                f"thresholds={self.thresholds!r} is for several labels a row; leave it "
                f"out, or give y as an indicator matrix."
            )
        return stated

    def _training_seconds(self, clock: Any) -> Any:
        """All machines, this one and those of the thresholds, have the same time."""
        return clock.left() / (1 + FOLDS if self.thresholds else 1)

    def _fit_probabilities(
        self, X: Rows, y: Labels, sample_weight: Weights, clock: Any
    ) -> None:
        self.__dict__.pop("thresholds_", None)
        if not hasattr(self, "multilabel_"):
            return
        self.thresholds_ = np.zeros(len(self.classes_))
        if self.thresholds is not None:
            machine = clone(self).set_params(verbose=0, history=False)
            machine.__dict__.pop("_skl_callbacks", None)  # they watch one fit
            weights = None
            if sample_weight is not None:
                weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
            seed = self._draw_seed()
            scores = scores_of_others(machine, X, y, weights, seed, clock.left)
            self.thresholds_ = f1_thresholds(scores, y, weights)

    def _machine(self) -> Machine:
        return find_machine(self.machine, self.loss, self.restricted)

    def _driver_options(self, seed: int = 0, threads: int = 1) -> LinearOptions:
        return replace(
            super()._driver_options(seed, threads),
            weight_bounds=self.weight_bounds,
            candidates=self.candidates,
            shrinking=self.shrinking,
            cooling=self.cooling,
            restricted_tol=self.restricted_tol,
            restricted_sweeps=self.restricted_sweeps,
        )

    def decision_function(self, X: Rows) -> Array:
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
            With two classes, the confidence in the second. With candidates a csr_array,
            which stores the confidence in the candidates of each row alone.
        """
        scores = super().decision_function(X)
        return votes(scores) if self._many_pairs() else scores

    def predict(self, X: Rows) -> Array:
        """Return the predicted labels.

        Parameters
        ----------
        X : array-like, CSR matrix or RowStore of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,) or (n_samples, n_classes)
            After a fit to several labels a row, 1 in the column of every class whose
            score is above its threshold, 0 elsewhere.
        """
        if not hasattr(self, "multilabel_"):
            return super().predict(X)
        return (self.decision_function(X) > self.thresholds_).astype(np.int64)

    def _many_pairs(self) -> bool:
        return FORMULATIONS[self.machine].by_pairs and len(self.classes_) > 2

    @available_if(_is_logistic)
    def predict_proba(self, X: Rows) -> Array:
        """Return the probability of every class; for ``loss="logistic"`` only.

        One-vs-rest: the probabilities of the classes, each against the rest, divided
        by their sum unless rows may have several labels. One-vs-one: the probabilities
        of all pairs, coupled (Wu, Lin and Weng, 2004); in the rare rows where the
        winner of the votes is not the most probable class, the two exchange their
        probabilities.

        Parameters
        ----------
        X : array-like, CSR matrix or RowStore of shape (n_samples, n_features)

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
        """
        scores = super().decision_function(X)
        if hasattr(self, "multilabel_"):
            return expit(scores)
        if self._many_pairs():
            return coupled_probabilities(scores)
        return np.exp(log_probabilities(scores))

    @available_if(_is_logistic)
    def predict_log_proba(self, X: Rows) -> Array:
        """Return the logarithm of `predict_proba`; only coupled ones may be infinite.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)

        Returns
        -------
        logarithms : ndarray of shape (n_samples, n_classes)
        """
        scores = super().decision_function(X)
        if hasattr(self, "multilabel_"):
            return log_expit(scores)
        if not self._many_pairs():
            return log_probabilities(scores)
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))
