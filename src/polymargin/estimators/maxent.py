"""Maximum entropy: multinomial logistic regression, trained in the dual."""

from dataclasses import replace

import numpy as np
from scipy.special import expit, log_expit, log_softmax, softmax
from sklearn.utils._param_validation import StrOptions

from ..driver.options import LinearOptions
from ..machine.registry import MACHINES, Machine, find_machine
from .linear_training import LinearTraining

_MACHINE = MACHINES["maxent", "log"]


class MaxEnt(LinearTraining):
    """Maximum-entropy classifier with probabilities and a certificate of accuracy.

    Also known as multinomial logistic regression: it minimises
    ``1/2 |W|^2 + C sum_i (log sum_m exp(s_m) - s_y)`` with the scores
    ``s_m = <w_m, x_i>``. Trained by the sequential dual method, one example after the
    other, its whole block of dual variables solved exactly by Newton's method. Where
    Newton steps for all weights are predicted to be sooner, they follow. Training ends
    when the relative duality gap, computed from the model itself, is at most `tol`.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the losses, as in scikit-learn's LogisticRegression. The sigma^2 of
        the literature is C times the number of rows.

    tol : float, default=1e-3
        Relative duality gap at which to stop.

    violation_tol : float or None, default=None
        If given, stop when no dual variable, as a share of its C, differs by more from
        the probability it stands for, instead of by `tol`.

    max_iter : int, default=10000
        Most iterations: epochs, of as many visits as there are examples, and Newton
        steps.

    max_time : float or None, default=None
        Most seconds of a `fit`, but for checking the data. The model so far is kept.

    fit_intercept : bool, default=True
        Whether to add a constant feature. Its weight is penalised like the others.

    intercept_scaling : float, default=1.0
        Value of the constant feature: the larger, the less its weight is penalised.

    class_weight : dict, "balanced" or None, default=None
        Multiplies C for each class.

    features : {"full", "reduced"}, default="full"
        Which weights there are. "reduced": only those of a feature and a class that
        occur together in a row, the others are zero; `coef_` is then a sparse matrix.
        Saves memory where most features belong to few classes, such as rare words.

    order : {"acf", "permuted"}, default="acf"
        Who is visited next. "acf" visits an example as often as its visits are worth
        it; "permuted" visits all in a fresh random order.

    restricted : {"exact", "pairs"}, default="exact"
        Solver of the restricted problem of one example: "exact" for all variables of a
        block at once; "pairs" two at a time, the two-level method of the literature,
        for comparison.

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
        What was done: "dual", or "dual+newton" if Newton steps followed.

    n_iter_ : int
        Iterations: epochs and Newton steps.

    objective_, dual_objective_ : float
        Primal and dual objective. The optimum lies between them.

    dual_gap_ : float
        ``(objective_ - dual_objective_) / objective_``; infinite if the fit was
        interrupted, because nothing was certified then.

    violation_ : float
        Largest violation of the optimality conditions.

    status_ : str
        How the fit ended, as in `LinearSVM`.

    dual_coef_ : csr_array of shape (n_samples, n_classes)
        Coefficients of the rows: ``dual_coef_.T @ X`` are the weights of the classes.
        With reduced features, of the pairs that occur; the other weights are zero.
        After Newton steps these are the weights of the model only in the limit.

    support_ : ndarray of shape (n_support,)
        Rows with coefficients other than zero. Neither this nor `dual_coef_` is there
        after a fit on a `RowStore`.

    history_ : dict of ndarrays or None
        By epoch: seconds, objective, dual objective, gap, violation, visits, moves.

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

    _parameter_constraints: dict = {
        **LinearTraining._parameter_constraints,
        "restricted": [StrOptions(set(_MACHINE.restricted))],
    }

    def __init__(
        self,
        *,
        C=1.0,
        tol=1e-3,
        violation_tol=None,
        max_iter=10_000,
        max_time=None,
        fit_intercept=True,
        intercept_scaling=1.0,
        class_weight=None,
        features="full",
        order="acf",
        restricted="exact",
        warm_start=False,
        n_jobs=None,
        random_state=None,
        verbose=0,
        history=False,
    ):
        self.C = C
        self.tol = tol
        self.violation_tol = violation_tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.features = features
        self.order = order
        self.restricted = restricted
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.history = history

    def _machine(self) -> Machine:
        return find_machine("maxent", "log", self.restricted)

    def _driver_options(self, seed: int = 0, threads: int = 1) -> LinearOptions:
        options = super()._driver_options(seed, threads)
        return replace(options, solver="auto", shrinking=False, cooling=False)

    def predict_proba(self, X):
        """Return the probability of every class.

        Parameters
        ----------
        X : array-like, CSR matrix or RowStore of shape (n_samples, n_features)

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            The softmax of the scores.
        """
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return np.column_stack([expit(-scores), expit(scores)])
        return softmax(scores, axis=1)

    def predict_log_proba(self, X):
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
