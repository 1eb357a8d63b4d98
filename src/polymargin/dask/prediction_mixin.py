"""What a fitted Dask estimator does: predict lazily, score, become a local one."""

from sklearn.utils.validation import check_is_fitted

from .collections import check_features, delayed_partitions
from .lazy_prediction import count_right, is_lazy, map_rows
from .tasks import Tasks, client_for


class DaskPredictionMixin:
    """Answers to collections; those to local data are the local twin's."""

    _twin: type

    def to_local(self):
        """Return the fitted local twin, which needs neither Dask nor a cluster.

        Returns
        -------
        model : LinearSVM, MaxEnt or KernelSVM
        """
        check_is_fitted(self, "status_")
        model = self._twin(**self._twin_parameters())
        for name, value in vars(self).items():
            if name in self._model_attributes or (
                name.endswith("_") and not name.startswith("_")
            ):
                setattr(model, name, value)
        model.history_ = None
        return model

    def decision_function(self, X):
        """Return the confidence in every class; lazily if X is a Dask collection."""
        return self._predict_by("decision_function", X)

    def predict(self, X):
        """Return the predicted labels; lazily if X is a Dask collection."""
        return self._predict_by("predict", X)

    def _predict_by(self, method: str, X):
        model = self.to_local()
        return map_rows(model, method, X) if is_lazy(X) else getattr(model, method)(X)

    def score(self, X, y=None, sample_weight=None) -> float:
        """Return the accuracy, computed where the partitions are.

        Parameters
        ----------
        X, y, sample_weight
            Collections as in `fit`, or local data.

        Returns
        -------
        score : float
        """
        model = self.to_local()
        if not is_lazy(X):
            return model.score(X, y, sample_weight)
        check_features(model, X)
        parts = delayed_partitions(X, y, sample_weight)
        with client_for(self.client) as client:
            tasks = Tasks(client)
            try:
                parts = tasks.compute(parts)
                model = tasks.one(lambda found: found, model)
                counts = tasks.each(count_right, parts, model=model)
                right, every = map(sum, zip(*tasks.gather(counts), strict=True))
            finally:
                tasks.release()
        if not every > 0:
            raise ValueError("no partition has rows that count; give at least one.")
        return float(right / every)
