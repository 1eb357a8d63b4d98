"""Work on several threads, of products and the core, which run without the lock; or on
the workers of a cluster, if joblib was told so.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from mmap import mmap
from threading import Event, Thread

from joblib import Parallel, cpu_count, delayed, effective_n_jobs, parallel_config
from joblib.parallel import get_active_backend

_THREADS_OF_A_CORE = 4
_BYTES_OF_A_THREAD = 64 << 20  # of addresses: its stack, and what BLAS works in
_PAUSE = 0.05  # seconds between two questions whether to go on


def on_threads(
    work: Callable, items: Iterable, threads: int, stop: Callable = lambda: None
) -> list:
    """Return ``work(item)`` for all items, in their order.

    After an error, or a signal, what has not begun does not begin; what has begun is
    told to `stop` and waited for. Where the system gives fewer threads than were asked
    for, these do the work; if it gives none, the caller does.
    """
    items = list(items)
    workers = min(threads, len(items))
    if workers <= 1:
        return [work(item) for item in items]
    numbers = iter(range(len(items)))
    results: list = [None] * len(items)
    errors: list[BaseException] = []
    ends: list[Event] = []  # of the threads that have begun

    def take_items():
        ends.append(end := Event())
        try:
            for number in numbers:
                if errors:
                    return
                results[number] = work(items[number])
        except BaseException as error:
            errors.append(error)
            stop()
        finally:
            end.set()

    try:
        started = _start(take_items, workers)
        if not started:
            take_items()
        for thread in started:
            thread.join()
    except BaseException as signal:
        # Threads that begin from now on see it. `join` does not wait for the others: it
        # takes a thread for ended if a signal cuts its waiting short.
        errors.append(signal)
        stop()
        for end in list(ends):
            end.wait()
    if errors:
        raise errors[0]
    return results


def abandonable(work: Callable, poll: Callable):
    """Return ``work()``, which nobody can stop, unless `poll` or a signal raises.

    Then it is left to itself on its thread: what it returns is of no use any more.
    """
    outcome: list = []

    def run():
        try:
            outcome.append((work(), None))
        except BaseException as error:
            outcome.append((None, error))

    started = _start(run, 1)
    if not started:
        return work()
    while started[0].is_alive():
        started[0].join(_PAUSE)
        poll()
    [(result, error)] = outcome
    if error is not None:
        raise error
    return result


def _start(work: Callable, count: int) -> list[Thread]:
    """Start threads that all do the same; as many as there are to have."""
    started = []
    for _ in range(affordable(count)):
        thread = Thread(target=work, daemon=True)
        try:
            thread.start()
        except RuntimeError:  # the system has no more
            break
        started.append(thread)
    return started


def affordable(count: int) -> int:
    """Return how many of some threads there are addresses for.

    A thread to which BLAS can give nothing to work in would end the process, or wait
    for ever.
    """
    with ExitStack() as taken:
        for number in range(count):
            try:
                taken.enter_context(mmap(-1, _BYTES_OF_A_THREAD))
            except OSError:
                return number
    return count


def _cluster():
    """Return joblib's Dask backend if it is the active one, else None."""
    backend, _ = get_active_backend()
    return backend if type(backend).__name__ == "DaskDistributedBackend" else None


def on_cluster() -> bool:
    """Return whether `for_each` has its work done by the workers of a cluster."""
    return _cluster() is not None


def thread_count(n_jobs: int | None) -> int:
    """Return the number of threads of this process for `n_jobs`, as in joblib.

    Joblib's Dask backend would answer with the cores of the whole cluster. No more than
    a few for each core: they would only take memory, until BLAS finds none.
    """
    if _cluster() is None:
        count = effective_n_jobs(n_jobs)
    elif n_jobs is None:
        count = 1
    else:
        count = n_jobs if n_jobs > 0 else max(cpu_count() + 1 + n_jobs, 1)
    # Cores are counted by reading files, which takes longer than a small fit.
    return count if count == 1 else min(count, _THREADS_OF_A_CORE * cpu_count())


@contextmanager
def on_all_workers(*data) -> Iterator[None]:
    """Send data to the workers of a cluster, if there is one, where `for_each` finds
    them as long as this context lasts.
    """
    cluster = _cluster()
    if cluster is None:
        yield
        return
    with parallel_config("dask", client=cluster.client, scatter=list(data)):
        try:
            yield
        finally:
            for future in _cluster().data_futures.values():
                future.release()


def for_each(
    work: Callable,
    arguments: Iterable[tuple],
    threads: int,
    stop: Callable = lambda: None,
) -> list:
    """Return ``work(*arguments)`` for all tuples of arguments, in their order.

    On threads, which are told to `stop` after an error; or on the workers of a cluster:
    then what `work` changes of its arguments is not changed here.
    """
    if _cluster() is None:
        return on_threads(lambda these: work(*these), arguments, threads, stop)
    return list(Parallel()(delayed(work)(*these) for these in arguments))
