"""One batch fit to compare the online machine with, in a fresh process.

Run as ``python -m benchmarks.online_batch <peer> <data set>``: trains once at the
default tolerance, on one thread, and prints a JSON object with seconds, test error,
support vectors and, of polymargin, the objective.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.svm import SVC

import polymargin

from .data import FALLBACK, load
from .fresh import run_module
from .kernel_fit import THREAD_VARIABLES, timed_fit
from .online_data import Setting, load_online_data, setting_of
from .online_run import CACHE_MB

MAX_SECONDS = 1800.0  # what a fit of polymargin may take


@dataclass(frozen=True)
class Peer:
    """A batch machine; its rows are turned into `dtype` before the clock starts."""

    build: Callable[[Setting], object]
    dtype: type


def _kernel_svm(setting: Setting):
    return polymargin.KernelSVM(
        "cs",
        **setting.kernel,
        C=setting.C,
        cache_size=CACHE_MB,
        n_jobs=1,
        random_state=0,
        max_time=MAX_SECONDS,
    )


def _svc(setting: Setting):
    return SVC(**setting.kernel, C=setting.C, cache_size=CACHE_MB)


PEERS: dict[str, Peer] = {
    "KernelSVM": Peer(_kernel_svm, np.float32),
    "SVC": Peer(_svc, np.float64),  # LIBSVM computes in float64
}


def fit_in_fresh_process(peer: str, data: str) -> dict:
    """Train once in a process of its own, on one thread."""
    variables = dict.fromkeys(THREAD_VARIABLES, "1")
    what = f"Training {peer} on {data}"
    return run_module("online_batch", [peer, data], what, variables)


def train(name: str, data_name: str) -> dict:
    """Train a peer and look at its model."""
    peer, setting, small = PEERS[name], setting_of(data_name), load(FALLBACK)
    peer.build(setting).fit(small.X[:200].astype(peer.dtype), small.y[:200])
    data = load_online_data(data_name)
    model = peer.build(setting)
    seconds, _ = timed_fit(model, data.X.astype(peer.dtype, copy=False), data.y)
    X_test = data.X_test.astype(peer.dtype, copy=False)
    return {
        "seconds": seconds,
        "error": float(1.0 - model.score(X_test, data.y_test)),
        "support": len(model.support_),
        "objective": getattr(model, "objective_", None),
        "status": getattr(model, "status_", None),
    }


if __name__ == "__main__":
    print(json.dumps(train(*sys.argv[1:3])))
