"""What the linear estimators share: weights, and training on the chunks of a stream."""

from numbers import Real
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import _fit_context
from sklearn.linear_model._base import LinearClassifierMixin, SparseCoefMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from ..access.centroids import Centroids
from ..access.class_tiles import ClassTiles
from ..access.csr import check_compressed
from ..access.rows import Rows as StoredRows
from ..base.annotations import Array, Estimator, Labels, Rows, Weights
from ..base.threads import thread_count
from ..driver.linear.dual import stream_driver
from ..driver.linear.newton.solution import Solution
from ..driver.linear.solvers import FREE, PENALTIES, solver_of
from ..driver.options import LinearOptions
from ..prediction.candidate_scores import CandidateModel
from ..prediction.class_columns import columns_for_classes
from ..prediction.linear_model import attributes_of_weights, weights_of_attributes
from ..prediction.linear_scores import linear_scores
from .classifier import NEW_CLASSES
from .sources import source_of
from .training import Training
from .unchanged_on_error import unchanged_on_error

# What `fit` knows of the rows, and `partial_fit` cannot.
_OF_THE_ROWS = (
    "objective_",
    "dual_gap_",
    "violation_",
    "dual_coef_",
    "support_",
    "history_",
    "_fitted",
    "_both_ways",
    "_near",
)

# What a model with candidates has beside its weights.
_OF_CANDIDATES = ("centroids_", "class_order_", "frequent_classes_")


def _takes_chunks(estimator: Estimator) -> bool:
    """Whether there is a `partial_fit`: some fits need all rows at once."""
    options = estimator._driver_options()
    if options.solver not in ("auto", "dual"):
        raise AttributeError(
            f"partial_fit does not work with solver={options.solver!r}, which needs "
            f"all rows at once; choose solver='auto' or 'dual'."
        )
    if options.features == "reduced":
        raise AttributeError(
            "partial_fit does not work with features='reduced', which needs all rows "
            "to see which features occur with which class; choose features='full'."
        )
    if options.penalty != "l2":
        raise AttributeError(
            f"partial_fit does not work with penalty={options.penalty!r}, which needs "
            f"all rows at once; choose penalty='l2'."
        )
    if options.weight_bounds is not None:
        raise AttributeError(
            "partial_fit does not work with weight_bounds, which need all rows at "
            "once; choose weight_bounds=None."
        )
    if options.fit_intercept == FREE:
        raise AttributeError(
            "partial_fit does not work with fit_intercept='free', which needs all rows "
            "at once; choose fit_intercept=True."
        )
    if options.candidates is not None:
        raise AttributeError(
            "partial_fit does not work with candidates, which are found among all rows "
            "at once; choose candidates=None."
        )
    return True


class LinearTraining(LinearClassifierMixin, SparseCoefMixin, Training):
    """Base of the estimators whose models are weights of features."""

    # What LinearSVM and MaxEnt have in common.
    _parameter_constraints: dict[str, Any] = {
        **Training._parameter_constraints,
        **NEW_CLASSES,
        "fit_intercept": ["boolean", StrOptions({FREE})],
        "penalty": [StrOptions(set(PENALTIES))],
        "intercept_scaling": [Interval(Real, 0, None, closed="neither")],
        "features": [StrOptions({"full", "reduced"})],
        "order": [StrOptions({"acf", "permuted", "cyclic", "max_violation"})],
    }
    _model_attributes = ("coef_", "intercept_")

    def _state_problem(
        self, machine: Any, X: Rows, y: Labels, sample_weight: Weights
    ) -> Any:
        return source_of(X, y, sample_weight).state(self, machine)

    def _driver_options(self, seed: int = 0, threads: int = 1) -> LinearOptions:
        """Return what the parameters tell a driver."""
        return LinearOptions(
            solver=self.solver,
            tol=self.tol,
            violation_tol=self.violation_tol,
            bias=self._bias(),
            fit_intercept=self.fit_intercept,
            penalty=self.penalty,
            features=self.features,
            order=self.order,
            restricted=self.restricted,
            seed=seed,
            threads=threads,
        )

    def _make_driver(self, X: Rows, problem: Any, clock: Any) -> Any:
        options = self._driver_options(self._draw_seed(), thread_count(self.n_jobs))
        driver = source_of(X).driver(X, problem, options)

        def model(last: bool) -> Any:
            weights = driver.release_weights() if last else driver.weights()
            return self._model(weights) | self._candidate_attributes(driver)

        return driver, model

    def _or_another_solver(self) -> str:
        """What else would help a fit that came to the end of `max_iter`."""
        if self.solver in ("auto", "newton") or self.features != "full":
            return ""
        return ", or leave solver='auto', which takes Newton steps where they pay"

    @staticmethod
    def _candidate_attributes(driver: Any) -> dict[str, Any]:
        """What finds the candidates of a row, if the model has such."""
        centroids = getattr(driver, "centroids", None)
        if centroids is None:
            return {}
        return {
            "centroids_": centroids.matrix,
            "class_order_": driver.tiles.order,
            "frequent_classes_": centroids.frequent,
        }

    def _with_candidates(self, X: Rows, what: str) -> Any:
        """What a model with candidates, `CandidateModel`, says of rows."""
        now = dict(vars(self))  # of one fit, should another thread end the next one
        centroids = check_compressed(now["centroids_"], "centroids_")
        model = CandidateModel(
            check_compressed(now["coef_"], "coef_"),
            now["intercept_"],
            Centroids(centroids, now["frequent_classes_"]),
            ClassTiles(now["class_order_"]),
            self.candidates,
            thread_count(self.n_jobs),
        )

        def predict(X: Rows) -> Any:
            X = validate_data(self, X, accept_sparse="csr", reset=False)
            return getattr(model, what)(X)

        return source_of(X).predict_with(self, predict)

    def _start_from_previous(self, driver: Any, problem: Any) -> None:
        if not self._driver_options().by_features:
            super()._start_from_previous(driver, problem)
        elif hasattr(self, "coef_"):
            W = self._weights(np.float64)
            if W.shape == driver.weights().shape:
                driver.set_weights(W)

    def _set_solution(self, driver: Any, problem: Any) -> None:
        self._forget_rows()
        self.solver_ = solver_of(driver, self._driver_options())
        if self.warm_start:  # whoever goes on from here may want to know
            self._both_ways = getattr(driver, "both_ways", None)
            self._near = driver.solution() if hasattr(driver, "solution") else None
        super()._set_solution(driver, problem)

    def _start_driver(self, driver: Any, duals: Any) -> None:
        super()._start_driver(driver, duals)
        near = getattr(self, "_near", None)
        if not hasattr(driver, "start_near"):
            return
        used = getattr(self, "solver_", "")
        if near is None and used.endswith("newton"):  # from a file
            weights = self._weights(np.float64)
            near = Solution(weights, None, None, driver.problem.loss_weights)
        if near is not None:
            driver.start_near(near)

    def _set_model(self, attributes: dict[str, Any]) -> None:
        super()._set_model(attributes)
        for name in set(_OF_CANDIDATES) - set(attributes):
            self.__dict__.pop(name, None)

    def _set_coefficients_of_rows(self, coefficients: Any) -> None:
        self.dual_coef_ = coefficients
        self.support_ = np.flatnonzero(np.diff(coefficients.indptr))

    def _coefficients_of_rows(self) -> Any:
        return self.dual_coef_

    def decision_function(self, X: Rows) -> Array:
        """Return the confidence in every class.

        Parameters
        ----------
        X : array-like, CSR matrix or RowStore of shape (n_samples, n_features)

        Returns
        -------
        confidence : ndarray of shape (n_samples, n_classes) or (n_samples,)
            With two classes, the confidence in the second.
        """
        check_is_fitted(self)
        if hasattr(self, "centroids_"):
            return self._with_candidates(X, "scores")
        check_compressed(self.coef_, "coef_")
        return source_of(X).predict_with(self, self._scores)

    def _scores(self, X: Rows) -> Array:
        """Confidence in every class; BLAS shares products of dense rows by itself."""
        if not sp.issparse(X) or sp.issparse(self.coef_):
            return super().decision_function(X)
        X = validate_data(self, X, accept_sparse="csr", reset=False)
        threads = thread_count(self.n_jobs)
        scores = linear_scores(X, self.coef_, self.intercept_, threads)
        return scores.ravel() if scores.shape[1] == 1 else scores

    def predict(self, X: Rows) -> Array:
        """Return the predicted labels.

        Parameters
        ----------
        X : array-like, CSR matrix or RowStore of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        if hasattr(self, "centroids_"):
            return self.classes_[self._with_candidates(X, "best")]
        return source_of(X).predict_with(self, super().predict)

    def score(self, X: Rows, y: Labels = None, sample_weight: Weights = None) -> float:
        """Return the share of rows that are predicted as they are labelled.

        Parameters
        ----------
        X : array-like, CSR matrix or RowStore of shape (n_samples, n_features)

        y : array-like of shape (n_samples,) or None
            None with a row store, which has labels, and perhaps weights.

        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        accuracy : float
        """
        return source_of(X, y, sample_weight).accuracy(self)

    @available_if(_takes_chunks)
    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(
        self, X: Rows, y: Labels, classes: Labels = None, sample_weight: Weights = None
    ) -> Self:
        """Train on one more chunk of a stream, in one pass.

        Every row of the chunk gets one exact dual step against the weights of all
        chunks before. Nothing of a chunk but its effect on the weights is kept, so
        there is no gap to certify; `dual_objective_` adds up over the chunks. After
        `fit`, it goes on from the fitted weights. Only with the dual solver and on
        full features.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)

        y : array-like of shape (n_samples,)

        classes : array-like of shape (n_classes,) or None, default=None
            All labels that will ever come; required at the first call, unless
            ``new_classes="add"``.

        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self : estimator
        """
        with unchanged_on_error(self):
            interrupted = self._learn_chunk(X, y, classes, sample_weight)
        if interrupted:
            raise KeyboardInterrupt
        return self

    def forget_class(self, label: Any) -> Self:
        """Remove a class from the model, which never predicts it again.

        The others stay as they are to each other: in joint machines, whose weights sum
        to zero over classes, the same is added to the weights of all. What a fit knew
        of its rows, and its certificate, are of the classes before, and are dropped.

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
            self._forget_rows()
            self.status_ = "partial"
        return self

    def _change_classes(self, classes: np.ndarray) -> None:
        W, sparse = self._weights(self.coef_.dtype), sp.issparse(self.coef_)
        places = np.searchsorted(classes, self.classes_)
        places[~np.isin(self.classes_, classes)] = -1
        row, n_classes = self._machine().formulation, len(classes)
        W = columns_for_classes(row, W, places, n_classes, self._bias())
        self.classes_ = classes
        if hasattr(self, "costs_"):  # those of new classes come with the problem
            kept = places >= 0
            self.costs_ = self.costs_[np.ix_(kept, kept)]
        self._set_model(self._model(sp.csc_matrix(W) if sparse else W))

    def _learn_chunk(
        self, X: Rows, y: Labels, classes: Labels, sample_weight: Weights
    ) -> bool:
        """Train on a chunk, and say whether a signal came."""
        machine = self._machine()
        if getattr(self, "multilabel_", False):
            raise ValueError(
                "partial_fit takes one label a row, and this model was fitted to "
                "several; fit another one."
            )
        first = not hasattr(self, "coef_")  # also after a first call that failed
        X, y = self._validate(X, y, reset=first)
        self._check_stream(y, classes, first)
        problem = self._problem(machine, X, self._known_labels(y), sample_weight)
        options = self._driver_options(self._draw_seed(), thread_count(self.n_jobs))
        driver: Any = stream_driver(StoredRows(X, options.bias), problem, options)
        if first:
            self.n_iter_ = 0
            self.dual_objective_ = 0.0
        else:
            driver.set_weights(self._weights(X.dtype))
        report = driver.epoch(float("inf"))
        interrupted = driver.interrupted
        self._forget_rows()
        self._set_model(self._model(driver.release_weights()))
        self.n_iter_ += 1
        self.dual_objective_ += report.dual
        self.status_ = "partial"
        return interrupted

    def _bias(self) -> float:
        """Value of the constant feature; zero if there is none."""
        if self.fit_intercept == FREE:
            return 1.0
        return self.intercept_scaling if self.fit_intercept else 0.0

    def _model(self, weights: Any) -> dict[str, Any]:
        """The attributes that make the estimator usable, from W."""
        halve = not getattr(self, "multilabel_", False)
        sparse = self._driver_options().by_features
        return attributes_of_weights(weights, self._bias(), halve, sparse)

    def _weights(self, dtype: Any) -> np.ndarray:
        """W from the attributes: the inverse of `_model`."""
        two = len(self.classes_) == 2
        halved = two and self._machine().formulation.columns_per_class
        coef = check_compressed(self.coef_, "coef_")
        model = coef, self.intercept_, self._bias(), halved
        return np.ascontiguousarray(weights_of_attributes(*model), dtype=dtype)

    def densify(self) -> Self:
        """Make `coef_` an array again, as scikit-learn's linear models do.

        Returns
        -------
        self : estimator
        """
        check_is_fitted(self)
        check_compressed(self.coef_, "coef_")
        return super().densify()

    def _forget_rows(self) -> None:
        """Drop what a fit knew of its rows: it does not hold after another chunk."""
        for name in _OF_THE_ROWS:
            self.__dict__.pop(name, None)
