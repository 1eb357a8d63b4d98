"""Estimators whose attributes somebody has changed."""

import pickle
import random
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from harness import Attack
from model_files import SAMPLES, X, y
from tampering import tampered

import polymargin

NEVER = (AssertionError, SystemError, RecursionError)


@cache
def _fitted(name: str) -> bytes:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pickle.dumps(SAMPLES[name]())


def attributes(rng: random.Random, folder: Path) -> str:
    """Python lets anybody change anything: an error is right, a crash is not."""
    name = rng.choice(list(SAMPLES))
    model = pickle.loads(_fitted(name))
    for _ in range(rng.choice((1, 1, 2))):
        tampered(model, rng)
    rows = sp.csr_array(X) if "sparse" in name else X
    rows = X @ X.T if name == "precomputed" else rows
    uses = [
        lambda: model.predict(rows),
        lambda: model.decision_function(rows),
        lambda: model.set_params(warm_start=True, n_jobs=None).fit(rows, y),
        lambda: model.partial_fit(rows, y),
        lambda: polymargin.save(model, folder / "model"),
        lambda: str(polymargin.describe(model)),
        lambda: polymargin.explain(model, rows, row=0),
        lambda: polymargin.prune(model, rows, share=0.5).predict(rows),
        lambda: polymargin.export_onnx(model, folder / "onnx"),
        lambda: model.forget_class(model.classes_[0]).predict(rows),
        lambda: pickle.loads(pickle.dumps(model)).predict(rows),
    ]
    refused = 0
    for use in rng.sample(uses, 3):
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                use()
        except NEVER:
            raise
        except Exception:
            refused += 1
    return f"refused-{refused}-of-3"


ATTACKS = [Attack("attributes", attributes, 3000)]
