"""Work on several threads: of products and the core, which run without the lock."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from threadpoolctl import ThreadpoolController


def on_threads(
    work: Callable, items: Iterable, threads: int, stop: Callable = lambda: None
) -> list:
    """Return ``work(item)`` for all items, in their order.

    After an error, or a signal, what has not begun does not begin; what has begun is
    told to `stop` and waited for.
    """
    items = list(items)
    workers = min(threads, len(items))
    if workers <= 1:
        return [work(item) for item in items]
    pool = ThreadPoolExecutor(workers)
    try:
        return list(pool.map(work, items))
    except BaseException:
        stop()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


def blas_on_one_thread():
    """Return a context in which BLAS starts no threads.

    What a product rounds to can depend on their number, and the threads of
    `on_threads` each have products of their own.
    """
    return _controller().limit(limits=1, user_api="blas")
