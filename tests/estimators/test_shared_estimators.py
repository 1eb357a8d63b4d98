"""What several threads may do with one estimator, as docs/parameters.md promises."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import numpy as np
import pytest
from problems import make_problem

from polymargin import KernelSVM, LinearSVM, MaxEnt, OnlineSVM

X, y = make_problem(n=300, d=5, k=4)
OTHER_X, OTHER_Y = make_problem(n=300, d=5, k=6, seed=1)
MODELS = [LinearSVM("cs"), LinearSVM("ovo"), MaxEnt(), KernelSVM("ww"), OnlineSVM()]


def by_kind(model):
    return type(model).__name__ + model.get_params().get("machine", "")


@pytest.fixture(params=MODELS, ids=by_kind)
def model(request):
    return request.param.set_params(random_state=0)


def test_threads_that_predict_do_not_meet(model):
    expected = model.fit(X, y).decision_function(X)
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(model.decision_function, [X] * 20))
    for scores in found:  # BLAS may round products differently on several threads
        np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-12)


def test_a_model_that_was_used_during_its_fit_is_whole(model):
    """Whatever those who used it were told."""
    expected = model.fit(X, y).predict(X)
    model.fit(OTHER_X, OTHER_Y)

    def use(_):
        with suppress(ValueError, IndexError, RuntimeError):  # it was not whole
            model.predict(X)

    with ThreadPoolExecutor(3) as threads:
        uses = threads.map(use, range(60))
        for _ in range(2):
            model.fit(OTHER_X, OTHER_Y).fit(X, y)
        list(uses)
    np.testing.assert_array_equal(model.classes_, np.unique(y))
    # Six classes, or weights of the other rows, would give other labels. A row at the
    # boundary may change sides, as products are rounded differently.
    assert (model.predict(X) == expected).mean() > 0.98
