"""A CSR matrix broken by hand is an error, never a crash."""

import json
from itertools import product

SCRIPT = """
    import json, sys
    import numpy as np
    from polymargin import LinearSVM
    from problems import make_sparse_problem

    for index, flags, what in json.loads(sys.stdin.read()):
        X, y = make_sparse_problem(n=50, d=20, k=3)
        X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
        if flags == "canonical":
            assert X.has_canonical_format  # SciPy remembers, and does not look again
        match what:
            case "too large":
                X.indices[7] = 20
            case "huge":
                X.indices[7] = np.iinfo(index).max
            case "negative":
                X.indices[7] = -1
            case "decreasing":
                X.indptr[3] = X.indptr[4] + 2
            case "beyond":
                X.indptr[-1] += 1000
            case "start":
                X.indptr[0] = 1
            case "negative start":
                X.indptr[0] = -5
            case "short data":
                X.data = X.data[:-3]
        try:
            LinearSVM(random_state=0).fit(X, y)
            outcome = "no error"
        except Exception as error:
            outcome = f"{type(error).__name__}: {error}"
        print(json.dumps([[index, flags, what], outcome]), flush=True)
"""
WAYS = (
    "too large",
    "huge",
    "negative",
    "decreasing",
    "beyond",
    "start",
    "negative start",
    "short data",
)


def test_broken_csr(run_python, helpers_on_path):
    """In a process of its own: what follows a crash is missing in the output."""
    cases = list(map(list, product(("int32", "int64"), ("canonical", "unknown"), WAYS)))
    done = run_python(SCRIPT, env=helpers_on_path, check=False, input=json.dumps(cases))
    outcomes = [json.loads(line) for line in done.stdout.splitlines()]
    tried = [case for case, _ in outcomes]
    assert tried == cases, f"crashed: {done.returncode} {done.stderr}"
    wrong = [each for each in outcomes if not each[1].startswith("ValueError: ")]
    assert not wrong


# Who looks at rows besides `fit`: predictions, explanations, searches and comparisons.
USES = """
    import json
    import numpy as np
    import polymargin
    from polymargin import KernelSVM, LinearSVM, OnlineSVM, TunedSVM
    from problems import make_sparse_problem

    X, y = make_sparse_problem(n=50, d=20, k=3)
    linear = LinearSVM(random_state=0).fit(X, y)
    kernel = KernelSVM("ovo").fit(X, y)
    online = OnlineSVM().fit(X, y)
    near = LinearSVM(candidates=2).fit(X, y)
    newton = LinearSVM("ovo", solver="newton")
    uses = {
        "newton": newton.fit,
        "kernel": KernelSVM("ovo").fit,
        "predict": lambda X, y: linear.predict(X),
        "candidates": near.fit,
        "candidates predict": lambda X, y: near.predict(X),
        "prune": lambda X, y: polymargin.prune(linear, X),
        "kernel predict": lambda X, y: kernel.predict(X),
        "online predict": lambda X, y: online.predict(X),
        "partial_fit": online.partial_fit,
        "explain": lambda X, y: polymargin.explain(linear, X, y),
        "explain a row": lambda X, y: polymargin.explain(linear, X, row=3),
        "explain a kernel": lambda X, y: polymargin.explain(kernel, X, y),
        "tune": lambda X, y: polymargin.tune(X, y, "cs"),
        "path": lambda X, y: polymargin.path(X, y, [1.0], "cs"),
        "compare": lambda X, y: polymargin.compare([("broken", X, y)]),
        "tuned": TunedSVM().fit,
    }
    for name, use in uses.items():
        for index in (20, -1, 10**9):
            rows = X.copy()
            assert rows.has_canonical_format
            rows.indices[7] = index
            try:
                use(rows, y)
                outcome = "no error"
            except Exception as error:
                outcome = f"{type(error).__name__}: {error}"
            print(json.dumps([name, outcome]), flush=True)
"""


def test_whoever_looks_at_rows(run_python, helpers_on_path):
    done = run_python(USES, env=helpers_on_path, check=False)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, (found[-1:], done.stderr)
    assert len({name for name, _ in found}) == 16
    for name, outcome in found:
        assert "is not a valid CSR matrix" in outcome, (name, outcome)


# Who looks at weights that are sparse; SciPy would trust their indices.
WEIGHTS = """
    import json, sys
    from copy import deepcopy
    import numpy as np
    import polymargin
    from polymargin import KernelSVM, LinearSVM, MaxEnt
    from polymargin.prediction import expansion
    from problems import make_sparse_problem

    X, y = make_sparse_problem(n=50, d=20, k=4)
    expansion._DENSE = 0  # as of many pairs
    file = sys.stdin.read() + "/model"
    models = {
        "reduced": MaxEnt(features="reduced").fit(X, y),
        "sparsified": LinearSVM().fit(X, y).sparsify(),
        "candidates": LinearSVM(candidates=2).fit(X, y),
        "pairs": KernelSVM("ovo").fit(X, y),
        "vectors": KernelSVM("cs", kernel="poly").fit(X, y),
    }
    sparse = {"candidates": ("coef_", "centroids_"), "pairs": ("dual_coef_",)}
    sparse["vectors"] = ("support_vectors_",)
    uses = {
        "predict": lambda model: model.predict(X),
        "decision_function": lambda model: model.decision_function(X),
        "describe": lambda model: str(polymargin.describe(model)),
        "partial_fit": lambda model: model.partial_fit(X, y),
        "prune": lambda model: polymargin.prune(model, X, share=0.5),
        "explain": polymargin.explain,
        "forget_class": lambda model: model.forget_class(0),
        "onnx": lambda model: polymargin.export_onnx(model, file),
        "liblinear": lambda model: polymargin.export_liblinear(model, file),
        "densify": lambda model: getattr(model, "densify", lambda: None)(),
    }
    for name, model in models.items():
        for attribute in sparse.get(name, ("coef_",)):
            for use, call in uses.items():
                for index in (10**9, -(10**9)):
                    broken = deepcopy(model)
                    matrix = getattr(broken, attribute)
                    if name == "pairs":
                        matrix = broken._expansion.coefficients
                    matrix.indices[:] = index
                    try:
                        call(broken)
                        outcome = "no error"
                    except Exception as error:
                        outcome = f"{type(error).__name__}: {error}"
                    where = f"{name} {attribute} {use}"
                    print(json.dumps([where, outcome]), flush=True)
"""


def test_whoever_looks_at_weights(run_python, helpers_on_path, tmp_path):
    done = run_python(WEIGHTS, env=helpers_on_path, check=False, input=str(tmp_path))
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, (found[-1:], done.stderr)
    assert len(found) == 6 * 10 * 2
    for where, outcome in found:
        name, *_, use = where.split()
        # What predicts is kept apart from `support_vectors_`.
        if use in ("predict", "decision_function") and name != "vectors":
            assert "is not a valid CSR matrix" in outcome, (where, outcome)
