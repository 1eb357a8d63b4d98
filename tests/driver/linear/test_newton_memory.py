"""What Newton steps of pairs of classes hold: no pair keeps a copy of its rows."""

import peak_memory
import pytest

PEAK = """
    import numpy as np
    from peak_memory import peak
    from polymargin import LinearSVM

    n, d, k = 1200, 500, 40
    rng = np.random.default_rng(0)
    y = np.arange(n) % k
    X = rng.normal(size=(n, d))
    model = LinearSVM("ovo", solver="newton", tol=1e-2)
    model.fit(X[:200], y[:200])  # imports what is imported late
    before = peak()
    model.fit(X, y)
    print((peak() - before) / X.nbytes)
"""


@pytest.mark.skipif(not peak_memory.KNOWN, reason="needs Linux")
def test_peak(run_python, helpers_on_path):
    """As a share of the rows, each of which is in 39 pairs: 40, if these kept copies.

    The weights are .65, of which a pair holds about seven arrays; 7.3 were observed.
    """
    assert float(run_python(PEAK, env=helpers_on_path)) < 20
