"""Libraries that are kept from starting threads: BLAS and OpenMP."""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController


class _SharedLimit:
    """Keeps libraries on one thread as long as anybody needs it.

    They have one number of threads for the whole process. Whoever comes first sets it,
    and the last one to leave sets it back: else the end of a fit would give threads to
    the products of another fit, whose results then round differently.

    Parameters
    ----------
    libraries : list of LibController
    """

    def __init__(self, libraries: list):
        self.libraries = libraries
        self.users = 0
        self.before: list[int] = []
        self.renew_lock()
        if hasattr(os, "register_at_fork"):  # Windows has no forks
            os.register_at_fork(after_in_child=self.renew_lock)

    def renew_lock(self) -> None:
        """Let it be open: a child has none of the threads that could open it."""
        self.lock = Lock()

    def enter(self) -> None:
        with self.lock:
            if self.users == 0:
                self.before = [library.num_threads for library in self.libraries]
                self._set([1] * len(self.libraries))
            self.users += 1

    def leave(self) -> None:
        with self.lock:
            self.users -= 1
            if self.users == 0:
                self._set(self.before)

    def _set(self, numbers: list[int]) -> None:
        for library, number in zip(self.libraries, numbers, strict=True):
            # Recent versions of threadpoolctl (3.8 does) let only one thread of the
            # process set it. It may be any thread here: we ask the library itself.
            name = "_real_set_num_threads"
            getattr(library, name, library.set_num_threads)(number)


class _OneThread:
    """Of the libraries that are loaded when it is first needed."""

    def __init__(self, user_api: str):
        found = ThreadpoolController().select(user_api=user_api)
        own = [one for one in found.lib_controllers if _has_own_number(one)]
        self.own = found.select(filepath=[one.filepath for one in own]) if own else None
        self.shared = _SharedLimit(
            [one for one in found.lib_controllers if not _has_own_number(one)]
        )

    @contextmanager
    def __call__(self) -> Iterator[None]:
        limit = None if self.own is None else self.own.limit(limits=1)
        self.shared.enter()
        try:
            yield
        finally:
            self.shared.leave()
            if limit is not None:
                limit.restore_original_limits()


def _has_own_number(library: Any) -> bool:
    """Whether every thread that calls a library has a number of its own for it."""
    layer = getattr(library, "threading_layer", "")
    return library.user_api == "openmp" or layer == "openmp"


@cache
def _one_thread(user_api: str) -> _OneThread:
    return _OneThread(user_api)


def blas_on_one_thread() -> AbstractContextManager[None]:
    """Return a context in which BLAS starts no threads.

    What a product rounds to can depend on their number, and the threads of
    `on_threads` each have products of their own.
    """
    return _one_thread("blas")()


def openmp_on_one_thread() -> AbstractContextManager[None]:
    """Return a context in which OpenMP starts no threads for the thread that calls it.

    It keeps those that it has started: a process that is forked from this one would
    wait forever for threads that it does not have.
    """
    return _one_thread("openmp")()
