"""Work on threads: order, errors, and a system that gives fewer threads."""

import sys
import time
from threading import Event, Thread

import pytest
from joblib import cpu_count
from patience import HANGS

from polymargin.base.threads import abandonable, on_threads, thread_count


@pytest.mark.parametrize("threads", [1, 2, 5, 100])
def test_results_are_in_the_order_of_the_items(threads):
    assert on_threads(lambda item: 2 * item, range(30), threads) == [
        2 * item for item in range(30)
    ]


@pytest.mark.parametrize("threads", [2, 40])
def test_an_error_stops_what_has_not_begun(threads):
    """Whoever is scheduled when: later items go on only once the error is known."""
    begun, told = [], Event()

    def work(item):
        begun.append(item)
        if item == 3:
            raise ValueError("three")
        if item > 3:
            assert told.wait(HANGS)

    with pytest.raises(ValueError, match="three"):
        on_threads(work, range(1000), threads, told.set)
    assert told.is_set()
    # Items 0 to 3, and at most one that each other thread had begun by then.
    assert len(begun) <= 4 + threads - 1


def test_a_signal_waits_for_what_has_begun(interrupted):
    """Also if it comes while threads are started; then the others do nothing."""
    ready, told, begun, ended = Event(), Event(), [], []

    def work(item):
        begun.append(item)
        ready.set()
        assert told.wait(HANGS)
        time.sleep(0.1)  # who does not wait is gone
        ended.append(item)

    interrupted(lambda: on_threads(work, range(9), 3, told.set), ready)
    assert begun and sorted(begun) == sorted(ended)


@pytest.mark.parametrize("given", [0, 1, 3])
def test_fewer_threads_do_all_the_work(monkeypatch, given):
    start, started = Thread.start, []

    def limited(thread):
        if len(started) >= given:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    monkeypatch.setattr(Thread, "start", limited)
    assert on_threads(lambda item: item, range(50), 8) == list(range(50))
    assert len(started) == given


def test_no_more_threads_than_cores_can_use():
    """More would only take memory, until BLAS finds none and ends the process."""
    assert thread_count(1) == 1
    assert thread_count(4 * cpu_count()) == thread_count(10**6) == 4 * cpu_count()


@pytest.mark.skipif(sys.platform != "linux", reason="limits of the address space")
def test_the_core_trains_on_the_threads_there_are(run_python):
    words = run_python(
        """
        import resource, sys
        import numpy as np
        from polymargin import KernelSVM, LinearSVM

        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(4000, 5)), rng.integers(8, size=4000)
        LinearSVM("ovo", max_iter=1, tol=1).fit(X, y)  # what is loaded later is here
        KernelSVM("ovo", max_iter=1, tol=1).fit(X[:300], y[:300])
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + 300 * 2**20,) * 2)
        for machine in ("cs", "ovo", "ovr"):
            model = LinearSVM(machine, n_jobs=400, tol=0.5, max_iter=5).fit(X, y)
            print(model.status_)
        print(KernelSVM("ovo", n_jobs=400, tol=0.5).fit(X[:300], y[:300]).status_)
        """
    )
    assert words.split() == 4 * ["converged"]


@pytest.mark.skipif(sys.platform != "linux", reason="limits of the address space")
def test_blas_works_on_the_threads_there_is_room_for(run_python):
    """It ends the process where it cannot have memory to work in."""
    words = run_python(
        """
        import resource
        import numpy as np
        from polymargin import KernelSVM, OnlineSVM

        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(20_000, 5)), rng.integers(3, size=20_000)
        models = KernelSVM().fit(X[:400], y[:400]), OnlineSVM().fit(X[:400], y[:400])
        expected = [model.predict(X) for model in models]
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + 100 * 2**20,) * 2)
        for model, labels in zip(models, expected):
            print((model.set_params(n_jobs=400).predict(X) == labels).all())
        """
    )
    assert words.split() == 2 * ["True"]


@pytest.mark.skipif(sys.platform != "linux", reason="limits of the address space")
@pytest.mark.parametrize("megabytes", [40, 150, 250])
def test_without_room_for_blas_a_fit_ends(run_python, megabytes):
    """BLAS would wait for ever for memory to work in."""
    words = run_python(
        f"""
        import resource
        import numpy as np
        from polymargin import LinearSVM, MaxEnt

        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(1500, 20)) * 30, rng.integers(8, size=1500)
        LinearSVM("ovr", max_iter=1, tol=1).fit(X, y)  # what is loaded later is here
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + {megabytes} * 2**20,) * 2)
        for model in LinearSVM("ovr"), LinearSVM("ovo"), MaxEnt(solver="newton"):
            try:
                model.set_params(n_jobs=400, max_iter=2, tol=1e-9).fit(X, y)
            except MemoryError as error:
                assert len(str(error)) > 20, error
            print("ended")
        """
    )
    assert words.split() == 3 * ["ended"]


def test_work_that_cannot_be_stopped_is_left_to_itself():
    """Nobody waits for it after an error of who asks, and its own errors are known."""
    go_on, asked = Event(), []

    def give_up():
        asked.append(1)
        raise TimeoutError

    with pytest.raises(TimeoutError):
        abandonable(lambda: go_on.wait(HANGS), give_up)
    assert asked == [1]
    go_on.set()
    assert abandonable(lambda: 1 + 1, lambda: None) == 2
    with pytest.raises(ZeroDivisionError):
        abandonable(lambda: 1 / 0, lambda: None)
