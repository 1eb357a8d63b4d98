"""What users write, for `mypy --strict` in `make lint`; nothing here is run."""

from typing import assert_type

import numpy as np

import polymargin
from polymargin import KernelSVM, LinearSVM, MaxEnt, OnlineSVM, RowStore, TunedSVM

X = np.zeros((4, 2))
y = ["a", "b", "a", "b"]

linear = LinearSVM("cs", C=0.5, max_time=None, random_state=0).fit(X, y)
assert_type(linear, LinearSVM)
labels = linear.predict(X)
confidence = labels == linear.classes_[linear.decision_function(X).argmax(axis=1)]
share: float = linear.score(X, y)
gap: float = linear.dual_gap_
assert_type(MaxEnt(C=10, class_weight={"a": 2.0}).fit(X, y), MaxEnt)
MaxEnt().partial_fit(X, y, classes=["a", "b"])
assert_type(KernelSVM(kernel=lambda A, B: A @ B.T, probability=True), KernelSVM)
probable = KernelSVM(probability=True).fit(X, y).predict_proba(X).argmax(axis=1)
assert_type(OnlineSVM(budget=10).fit(X, y).finish(), OnlineSVM)

tuning = polymargin.tune(X, y, linear, max_time=3.0)
print(tuning.best.mean, tuning.status)
best = TunedSVM(linear).fit(X, y).best_params_
for machine in polymargin.path(X, y, [0.1, 1.0], "cs"):
    print(machine)
table = polymargin.tabular("cs", C=3.0).fit(X, y)

polymargin.save(linear, "model.polymargin", metadata={"rows": 4})
print(polymargin.describe(polymargin.load("model.polymargin"), X, y))
print(polymargin.explain(linear, X, row=0))
data = polymargin.load_data("rows.svm", n_jobs=-1)
polymargin.save_data(data.X, data.y, "rows.npz")
store: RowStore = polymargin.convert("rows.svm", "rows.rows", memory_limit="1GB")
print(len(polymargin.open_rows("rows.rows")), store.n_features)
polymargin.export_onnx(linear, "model.onnx")
report = polymargin.compare(["iris"], ["cs"], folder="results")
LinearSVM(C="large")  # type: ignore[arg-type]  # a mistake that is found
polymargin.trian  # type: ignore[attr-defined]  # noqa: B018
