"""What an estimator that learns online shows of its model, as it is at that moment."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..driver.online.driver import OnlineDriver


class OnlineModel:
    """Fitted attributes that are read from `_driver` when they are asked for."""

    @property
    def _expansion(self):
        return self._fitted_driver().expansion()

    def _fitted_driver(self) -> OnlineDriver:
        check_is_fitted(self, "_driver")
        return self._driver

    @property
    def history_(self):
        """What was known after every chunk."""
        check_is_fitted(self, "_driver")
        return self._history and {
            name: np.asarray(values) for name, values in self._history.items()
        }

    @property
    def support_vectors_(self):
        """The support patterns."""
        driver = self._fitted_driver()
        return driver.kernel.rows(driver.patterns()[0])

    @property
    def support_(self):
        """Which rows of `fit` they are."""
        return self._fitted_driver().patterns()[3]

    @property
    def dual_coef_(self):
        """Coefficients of the support patterns."""
        return self._expansion.coefficients

    @property
    def n_support_(self):
        """How many support patterns there are of each class."""
        labels = self._fitted_driver().patterns()[1]
        return np.bincount(labels, minlength=len(self.classes_))

    @property
    def dual_objective_(self):
        """The dual objective."""
        return self._fitted_driver().dual

    @property
    def n_steps_(self):
        """Steps tried so far, by kind."""
        return self._fitted_driver().steps

    @property
    def n_seen_(self):
        """Examples learned from."""
        return self._fitted_driver().n_seen

    @property
    def n_kernel_evaluations_(self):
        """Kernel values computed so far."""
        return self._fitted_driver().kernel_evaluations

    @property
    def work_(self):
        """Counted work."""
        return self._fitted_driver().work
