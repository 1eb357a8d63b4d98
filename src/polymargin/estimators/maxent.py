"""Maximum entropy: multinomial logistic regression, trained in the dual."""

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import expit, log_expit, log_softmax, softmax
from sklearn.utils._param_validation import StrOptions

from ..base.annotations import Array, ClassWeight, Rows, Seed
from ..driver.linear.solvers import solvers_of
from ..driver.options import LinearOptions
from ..machine.registry import MACHINES, Machine, find_machine
from .linear_training import LinearTraining

_MACHINE = MACHINES["maxent", "log"]


class MaxEnt(LinearTraining):
    """Maximum-entropy classifier with probabilities and a certificate of accuracy.

    Also known as multinomial logistic regression: it minimises
    ``1/2 |W|^2 + C sum_i (log sum_m exp(s_m) - s_y)`` with the scores
    ``s_m = <w_m, x_i>``. Training ends when the relative duality gap, computed from the
    model itself, is at most `tol`.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the losses, as in scikit-learn's LogisticRegression. The sigma^2 of
        the literature is C times the number of rows.

    fit_intercept : bool or "free", default=True
        Whether to add a constant feature, whose weight is penalised like the others.
        "free": intercepts are not penalised, so that they follow classes of unlike
        sizes and features far from zero.

    penalty : {"l2", "l1", "group"}, default="l2"
        What is added to the losses: half the squares of the weights; their absolute
        values, which makes many of them zero; or for every feature the length of its
        weights of all classes, which leaves out whole features. The last two are
        trained by coordinate descent.

    class_weight : dict, "balanced" or None, default=None
        Multiplies C for each class.

    new_classes : {"error", "add"}, default="error"
        What `partial_fit` does with a label it has not met: refuse it, or take it as
        one more class.

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
        Keep the certificate after every epoch.

    intercept_scaling : float, default=1.0
        Value of the constant feature: the larger, the less its weight is penalised. It
        has no effect if intercepts are "free".

    features : {"full", "reduced"}, default="full"
        "reduced": only weights of features and classes that occur together in a row.

    solver : {"auto", "dual", "newton"}, default="auto"
        For research: epochs alone, Newton steps alone, or what is sooner.

    violation_tol : float or None, default=None
        For research: stop when no dual variable, as a share of its C, differs by more
        from the probability it stands for, not by `tol`.

    order : {"acf", "permuted", "cyclic"}, default="acf"
        For research: which row is visited next.

    restricted : {"exact", "pairs"}, default="exact"
        For research: how a visit is solved, all variables at once or two at a time.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.

    coef_ : ndarray of shape (n_classes, n_features) or (1, n_features)
        Weights; with two classes the difference of the second and the first. A sparse
        matrix with reduced features.

    intercept_ : ndarray of shape (n_classes,) or (1,)
        Weights of the constant feature, times its value.

    dual_gap_ : float
        ``(objective_ - dual_objective_) / objective_``; infinite if the fit was
        interrupted, because nothing was certified then.

    objective_, dual_objective_ : float
        Primal and dual objective. The optimum lies between them.

    status_ : str
        How the fit ended, as in `LinearSVM`.

    n_iter_ : int
        Iterations: epochs, Newton steps, or both.

    solver_ : str
        The solver that was used; "dual+newton" if "auto" changed from one to the other.

    dual_coef_ : csr_array of shape (n_samples, n_classes)
        Coefficients of the rows: ``dual_coef_.T @ X`` are the weights; after Newton
        steps only in the limit.

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

    See Also
    --------
    LinearSVM : With ``machine="ovr", loss="logistic"``, one logistic regression per
        class.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from polymargin import MaxEnt
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MaxEnt(random_state=0).fit(X, y)
    >>> bool(model.dual_gap_ <= 1e-3)
    True
    >>> model.predict_proba(X[:1]).round(1)
    array([[1., 0., 0.]])
    """

    _parameter_constraints: dict[str, Any] = {
        **LinearTraining._parameter_constraints,
        "solver": [StrOptions(set(solvers_of(_MACHINE)))],
        "restricted": [StrOptions(set(_MACHINE.restricted))],
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        tol: float = 1e-3,
        violation_tol: float | None = None,
        max_iter: int = 10_000,
        max_time: float | None = None,
        fit_intercept: bool | str = True,
        intercept_scaling: float = 1.0,
        penalty: str = "l2",
        class_weight: ClassWeight = None,
        solver: str = "auto",
        features: str = "full",
        order: str = "acf",
        restricted: str = "exact",
        new_classes: str = "error",
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Seed = None,
        verbose: int = 0,
        history: bool = False,
    ) -> None:
        self.C = C
        self.tol = tol
        self.violation_tol = violation_tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.penalty = penalty
        self.class_weight = class_weight
        self.solver = solver
        self.features = features
        self.order = order
        self.restricted = restricted
        self.new_classes = new_classes
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.history = history

    def _machine(self) -> Machine:
        return find_machine("maxent", "log", self.restricted)

    def _driver_options(self, seed: int = 0, threads: int = 1) -> LinearOptions:
        options = super()._driver_options(seed, threads)
        return replace(options, shrinking=False, cooling=False)

    def predict_proba(self, X: Rows) -> Array:
        """Return the probability of every class.

        Parameters
        ----------
        X : array-like, CSR matrix or RowStore of shape (n_samples, n_features)

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            The softmax of the scores.
        """
        return probabilities_of_scores(self.decision_function(X))

    def predict_log_proba(self, X: Rows) -> Array:
        """Return the logarithm of the probability of every class.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)

        Returns
        -------
        logarithms : ndarray of shape (n_samples, n_classes)
        """
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return np.column_stack([log_expit(-scores), log_expit(scores)])
        return log_softmax(scores, axis=1)


def probabilities_of_scores(scores: Array) -> Array:
    """Return the probabilities of classes that have these scores, as `MaxEnt` does."""
    if scores.ndim == 1:
        return np.column_stack([expit(-scores), expit(scores)])
    return softmax(scores, axis=1)
