"""Our own callbacks, for scikit-learn before 1.9, do what scikit-learn's do."""

from inspect import unwrap

import numpy as np
import pytest

from polymargin import LinearSVM
from polymargin.estimators import own_callbacks

X, y = np.arange(6.0)[:, None], np.arange(6) % 2


class Notes:
    """A callback that writes down what it is told."""

    def __init__(self, stop_at=None):
        self.told, self.stop_at = [], stop_at

    def setup(self, estimator, context):
        self.told.append(("setup", context.task_name))

    def on_fit_task_begin(self, estimator, context, *, X):
        self.told.append(("begin", context.task_name, len(X)))

    def on_fit_task_end(self, estimator, context, *, fitted_estimator):
        weights = None if fitted_estimator is None else fitted_estimator.weights
        self.told.append(("end", context.task_name, weights))
        return weights is not None and weights == self.stop_at

    def teardown(self, estimator, context):
        self.told.append(("teardown", context.parent))


class Estimator(own_callbacks.CallbackSupportMixin):
    """Trains for three epochs; an epoch adds one to its weights."""

    @own_callbacks.with_callbacks
    def fit(self, X, fails=False):
        data = {"X": X}
        context = self._init_callback_context(max_subtasks=3)
        context.call_on_fit_task_begin(estimator=self, **data)
        for epoch in range(1, 4):
            task = context.subcontext(task_name="epoch")
            assert task.parent is context
            task.call_on_fit_task_begin(estimator=self, **data)
            stop = task.call_on_fit_task_end(
                estimator=self,
                reconstruction_attributes=lambda: {"weights": epoch},  # noqa: B023
                **data,
            )
            if stop or fails:
                break
        if fails:
            raise ValueError("no")
        self.weights = epoch
        context.call_on_fit_task_end(estimator=self, **data)
        return self


def test_hooks_come_in_order():
    notes = Notes()
    model = Estimator().set_callbacks(notes).fit(X)
    begin, end = ("begin", "epoch", 6), ("end", "epoch")
    assert notes.told == [
        ("setup", "fit"),
        ("begin", "fit", 6),
        *[step for epoch in (1, 2, 3) for step in (begin, (*end, epoch))],
        ("end", "fit", None),
        ("teardown", None),
    ]
    assert model.weights == 3 and "_callback_fit_ctx" not in vars(model)


def test_a_callback_can_stop():
    stops, other = Notes(stop_at=2), Notes()
    assert Estimator().set_callbacks(stops, other).fit(X).weights == 2
    assert other.told[-3] == ("end", "epoch", 2)  # it is told, too


def test_a_fit_that_fails_tells_the_end():
    notes = Notes()
    model = Estimator().set_callbacks(notes)
    with pytest.raises(ValueError, match="no"):
        model.fit(X, fails=True)
    assert notes.told[-1] == ("teardown", None)
    assert "weights" not in vars(model)


@pytest.mark.parametrize("wrong", [object(), Notes])
def test_what_is_no_callback_is_refused(wrong):
    with pytest.raises(TypeError, match="is not a callback; give an object with"):
        Estimator().set_callbacks(wrong)


def test_callbacks_can_be_taken_away():
    notes = Notes()
    model = Estimator().set_callbacks(notes).set_callbacks()
    assert model.fit(X).weights == 3 and notes.told == []


class Gaps(Notes):
    """Notes the predictions after each epoch, and stops after two."""

    def on_fit_task_end(self, estimator, context, *, fitted_estimator):
        epoch = getattr(context, "epoch", None)
        if epoch is None:  # the fit itself
            return False
        self.told.append((epoch.number, fitted_estimator.predict(X).tolist()))
        return epoch.number == 2


OWN = own_callbacks.CallbackSupportMixin
BASES = (LinearSVM,) if issubclass(LinearSVM, OWN) else (OWN, LinearSVM)


class Watched(*BASES):
    """As in an environment without `sklearn.callback`."""

    fit = own_callbacks.with_callbacks(unwrap(LinearSVM.fit))


def test_our_estimators_take_them():
    gaps = Gaps()
    model = Watched(tol=0, random_state=0).set_callbacks(gaps).fit(X, y)
    assert model.status_ == "callback" and model.n_iter_ == 2
    predictions = [told[1] for told in gaps.told if told[0] in (1, 2)]
    assert len(predictions) == 2 and predictions[-1] == model.predict(X).tolist()
