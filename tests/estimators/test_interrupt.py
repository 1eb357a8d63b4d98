"""Ctrl-C stops a fit within a second and keeps the model trained so far."""

import pytest

SCRIPT = """
    import sys, time
    import numpy as np
    from problems import make_model, make_sparse_problem

    kind, method, machine, loss = sys.argv[1:]
    if kind == "long epochs":  # tenths of a second each
        k = 100 if machine == "cs" else 20
        X, y = make_sparse_problem(n=100_000, d=20_000, k=k, nonzeros=60)
    elif kind == "wide rows":  # of one class after the other
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(30_000, 64)), np.arange(30_000) % 4
        X[np.arange(30_000), y] += 3
    else:  # below a millisecond each
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(40, 30)) * 10.0 ** -np.arange(30), np.arange(40) % 5
    # A large C needs many epochs; on wide rows its first hundred predict badly.
    C = 1.0 if kind == "wide rows" else 1e4
    model = make_model(machine, loss, C=C, tol=0, max_iter=10**9, random_state=0)
    print("ready", flush=True)
    try:
        if method == "fit":
            model.fit(X, y)
        else:
            while True:
                model.partial_fit(X, y, classes=np.unique(y))
        print("no interrupt")
    except KeyboardInterrupt:
        stopped = time.time()
        if method == "fit":
            assert model.dual_objective_ <= model.objective_
            assert len(model.support_) > 0
            # What is kept belongs together: weights, dual variables, certificate.
            coef = model.dual_coef_.T @ X
            coef = coef.toarray() if hasattr(coef, "toarray") else coef
            assert np.abs(coef - model.coef_).max() < 1e-6 * np.abs(coef).max()
        assert model.coef_.any()
        accuracy = (model.predict(X[:500]) == y[:500]).mean()
        # The labels of the small problem are random: there it only has to predict.
        assert kind == "short epochs" or accuracy > 2 / len(model.classes_)
        print(stopped, model.status_, flush=True)
"""


@pytest.mark.parametrize("kind", ["long epochs", "short epochs"])
def test_fit(interrupt_python, kind):
    seconds, words = interrupt_python(SCRIPT, kind, "fit", "cs", "hinge", after=1.5)
    assert seconds < 1
    assert words == ["interrupted"]


@pytest.mark.parametrize(("machine", "loss"), [("maxent", "log"), ("ovo", "logistic")])
def test_other_machines(interrupt_python, machine, loss):
    arguments = "long epochs", "fit", machine, loss
    seconds, words = interrupt_python(SCRIPT, *arguments, after=1.5)
    assert seconds < 1
    assert words == ["interrupted"]


def test_separate_classes(interrupt_python):
    arguments = "wide rows", "fit", "ovr", "hinge"
    seconds, words = interrupt_python(SCRIPT, *arguments, after=1.5)
    assert seconds < 1
    assert words == ["interrupted"]


def test_partial_fit(interrupt_python):
    arguments = "long epochs", "partial_fit", "cs", "hinge"
    seconds, _ = interrupt_python(SCRIPT, *arguments, after=1.5)
    assert seconds < 1
