"""Small models of every kind, and the program that has written them to files.

    python tests/support/old_models.py 0.1.0

is run once, by the version that is named. Every estimator class, every machine with
every loss, every kernel, and what else changes what a file holds. Beside the models
stand their answers, in ``answers.json``: whoever reads the files later must give the
same ones. A folder is never written again: a new format gets a new one.
"""

import json
import sys
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import polymargin
from polymargin import KernelSVM, LinearSVM, MaxEnt, OnlineSVM

FOLDER = Path(__file__).parents[1] / "files" / "models" / "fixtures"
N_ANSWERS = 8  # rows
# With what were the defaults in 0.1.0.
OLD = {"random_state": 0, "max_iter": 1000}
OLD_KERNEL = {"random_state": 0, "solver": "block", "fit_intercept": False}
LINEAR = {
    "cs": ["hinge", "squared_hinge"],
    "ww": ["hinge", "squared_hinge"],
    "llw": ["hinge", "squared_hinge"],
    "ovr": ["hinge", "squared_hinge", "logistic"],
    "ovo": ["hinge", "squared_hinge", "logistic"],
}
WITH_KERNEL = {
    "cs": ["hinge", "squared_hinge"],
    "ww": ["hinge", "squared_hinge"],
    "llw": ["hinge", "squared_hinge"],
    "ovr": ["hinge", "squared_hinge"],
    "ovo": ["hinge", "squared_hinge"],
}
KERNELS = ("linear", "poly", "sigmoid", "laplacian")


def make_rows():
    """Return 24 rows of 3 features and the labels of 3 classes."""
    random = np.random.default_rng(0)
    X = random.normal(size=(24, 3)).round(2)
    y = np.arange(24) % 3
    X[np.arange(24), y] += 1.5
    return X, y


def make_models() -> dict:
    """Return every model by the name of its file, with the rows it is trained on."""
    X, y = make_rows()
    words = np.array(["ash", "birch", "cedar"])[y]
    two = np.where(y == 2, 1, y)
    few = sp.csr_matrix(np.where(np.abs(X) > 0.6, X, 0))
    models = {}
    for machine, losses in LINEAR.items():
        for loss in losses:
            model = LinearSVM(machine, loss=loss, **OLD)
            models[f"linear-{machine}-{loss}"] = model, X, y
    for machine, losses in WITH_KERNEL.items():
        for loss in losses:
            model = KernelSVM(machine, loss=loss, **OLD_KERNEL)
            models[f"kernel-{machine}-{loss}"] = model, X, y
    for kernel in KERNELS:
        model = KernelSVM("ww", kernel=kernel, coef0=0.5, gamma=0.2, **OLD_KERNEL)
        models[f"kernel-{kernel}"] = model, X, y
        model = OnlineSVM(kernel=kernel, coef0=0.5, gamma=0.2, random_state=0)
        models[f"online-{kernel}"] = model, X, y
    return models | {
        "linear-words": (LinearSVM(**OLD), X, words),
        "linear-two-classes": (LinearSVM(**OLD), X, two),
        "linear-float32": (LinearSVM(**OLD), X.astype(np.float32), y),
        "linear-reduced": (
            LinearSVM("ovr", features="reduced", **OLD),
            few,
            y,
        ),
        "linear-history": (LinearSVM("ww", history=True, **OLD), X, y),
        "linear-tron": (
            LinearSVM("ovr", loss="squared_hinge", solver="tron", **OLD),
            X,
            y,
        ),
        "maxent": (MaxEnt(**OLD), X, y),
        "maxent-reduced": (MaxEnt(features="reduced", **OLD), few, words),
        "kernel-precomputed": (
            KernelSVM("ww", kernel="precomputed", **OLD_KERNEL),
            X @ X.T,
            y,
        ),
        "kernel-sparse": (KernelSVM("ww", **OLD_KERNEL), few, words),
        "kernel-two-classes": (KernelSVM("cs", **OLD_KERNEL), X, two),
        "kernel-two-variable": (
            KernelSVM("ww", **OLD_KERNEL | {"solver": "s2do"}),
            X,
            y,
        ),
        "kernel-probability": (
            KernelSVM("ww", probability=True, cv=3, **OLD_KERNEL),
            X,
            y,
        ),
        "kernel-nystroem": (
            KernelSVM("ww", approximation="nystroem", rank=8, **OLD_KERNEL),
            X,
            y,
        ),
        "online-gain": (OnlineSVM(random_state=0), X, words),
        "online-random": (OnlineSVM(selection="random", history=True), X, y),
        "online-sparse": (OnlineSVM(schedule="fixed", random_state=0), few, y),
    }


def main() -> None:
    folder = FOLDER / sys.argv[1]
    assert polymargin.__version__ == sys.argv[1]
    folder.mkdir()
    answers = {}
    for name, (model, X, y) in make_models().items():
        model.fit(X, y)
        rows = X[:N_ANSWERS]
        polymargin.save(model, folder / f"{name}.polymargin", metadata={"name": name})
        answers[name] = {
            "labels": model.predict(rows).tolist(),
            "scores": model.decision_function(rows).tolist(),
            "objective": getattr(model, "objective_", None),
        }
        if hasattr(model, "predict_proba"):
            answers[name]["probabilities"] = model.predict_proba(rows).tolist()
    (folder / "answers.json").write_text(json.dumps(answers))


if __name__ == "__main__":
    main()
