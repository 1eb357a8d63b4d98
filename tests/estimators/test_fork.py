"""A process that is forked after a fit can predict and fit."""

import os

import pytest

SCRIPT = """
    import os, signal, sys
    import numpy as np, scipy.sparse as sp
    from polymargin import KernelSVM, LinearSVM, OnlineSVM

    X = sp.random(300, 40, 0.2, format="csr", random_state=0)
    y = np.arange(300) % 3
    models = {
        "laplacian": lambda: KernelSVM(kernel="laplacian", n_jobs=2, random_state=0),
        "rbf": lambda: KernelSVM(n_jobs=2, random_state=0),
        "linear": lambda: LinearSVM("ovo", n_jobs=2, random_state=0),
        "online": lambda: OnlineSVM(kernel="laplacian", n_jobs=2, random_state=0),
    }
    make = models[sys.argv[1]]
    before = make().fit(X, y)
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # instead of waiting forever
        after = make().fit(X, y)
        same = np.array_equal(before.predict(X), after.predict(X))
        os._exit(0 if same else 1)
    print(os.waitpid(child, 0)[1])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
@pytest.mark.parametrize("model", ["laplacian", "rbf", "linear", "online"])
def test_a_forked_process(run_python, model):
    assert run_python(SCRIPT, model) == "0\n"
