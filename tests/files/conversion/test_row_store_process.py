"""Peak memory stays under the limit, and Ctrl-C keeps the model: in processes."""

import shutil

import numpy as np
import peak_memory
import pytest

from polymargin import LinearSVM, open_rows

linux = pytest.mark.skipif(not peak_memory.KNOWN, reason="needs Linux")
START = """
    import sys
    import numpy as np
    from peak_memory import peak
    from polymargin import LinearSVM, MaxEnt, convert, open_rows

    def chunks(n, d, seed=0):
        rng = np.random.default_rng(seed)
        centres = rng.normal(size=(4, d)).astype(np.float32)
        for start in range(0, n, 1000):
            y = np.sort(rng.integers(4, size=1000))
            X = rng.normal(size=(1000, d)).astype(np.float32) + 0.3 * centres[y]
            yield X, y

    folder = sys.argv[1]
    small = convert(chunks(1000, 8), folder + "/small.rows")
    LinearSVM(C=1e-3).fit(small)  # imports what is imported late
    before = peak()
"""
CONVERT = (
    START
    + """
    store = convert(
        chunks(100_000, 100), folder + "/large.rows", memory_limit="10MB",
        segment_size="4MB",
    )
    print(store.nbytes, peak() - before)
"""
)
FIT = (
    START
    + """
    store = open_rows(folder + "/large.rows", memory_limit="10MB")
    model = {"cs": LinearSVM, "maxent": MaxEnt}[sys.argv[2]](C=1e-4, random_state=0)
    model.fit(store)
    grown = peak() - before
    print(grown, model.objective_, model.dual_gap_)
"""
)


@linux
def test_peak(run_python, helpers_on_path, tmp_path):
    """Forty megabytes of rows with ten of memory."""
    size, grown = map(int, run_python(CONVERT, tmp_path, env=helpers_on_path).split())
    assert size > 40e6
    assert grown < 10e6, grown
    for name in ("small.rows", "large.rows"):
        assert sorted(p.suffix for p in (tmp_path / name).iterdir())[-1] == ".json"
    X, y, _ = open_rows(tmp_path / "large.rows").load()
    for machine in ("cs", "maxent"):
        shutil.rmtree(tmp_path / "small.rows")
        words = run_python(FIT, tmp_path, machine, env=helpers_on_path).split()
        grown, objective, gap = map(float, words)
        assert grown < 10e6, grown
        assert gap <= 1e-3
        if machine == "cs":
            exact = LinearSVM(C=1e-4, tol=1e-4, random_state=0, max_iter=10**4)
            best = exact.fit(X, y).objective_
            assert np.isclose(objective, best, rtol=1.2e-3)


SCRIPT = """
    import sys
    from pathlib import Path
    from callbacks import AfterSteps
    from problems import make_sparse_problem
    from polymargin import LinearSVM, convert, open_rows

    folder = Path(sys.argv[1])
    X, y = make_sparse_problem(n=30_000, d=5_000, k=20, nonzeros=30)
    store = convert([(X, y)], folder / "a.rows")
    store.memory_limit = 6_000_000
    model = LinearSVM(C=1e4, tol=0, max_iter=10**9, random_state=0)
    model.set_callbacks(AfterSteps(2, lambda: print("ready", flush=True)))
    try:
        model.fit(store)
        print("no interrupt")
    except KeyboardInterrupt:
        assert model.coef_.any()
        accuracy = model.score(store)
        assert accuracy > 0.5, accuracy
        print(model.status_, len(list(folder.iterdir())), flush=True)
"""


def test_interrupt(interrupt_python, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert interrupt_python(SCRIPT, tmp_path) == ["interrupted", "1"]
