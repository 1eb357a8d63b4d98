"""BLAS stays on one thread as long as anybody needs it."""

import os
from threading import Event, Thread

import pytest
from patience import HANGS
from threadpoolctl import ThreadpoolController, threadpool_limits

from polymargin.base.one_thread import _SharedLimit, blas_on_one_thread


class Library:
    """One number of threads for the whole process, as OpenBLAS has."""

    user_api, threading_layer, num_threads = "blas", "pthreads", 4

    def set_num_threads(self, number):
        self.num_threads = number


def test_the_last_one_to_leave_sets_it_back():
    library = Library()
    limit = _SharedLimit([library])
    limit.enter()
    limit.enter()
    assert library.num_threads == 1
    limit.leave()
    assert library.num_threads == 1
    limit.leave()
    assert library.num_threads == 4


def numbers():
    found = ThreadpoolController().select(user_api="blas").lib_controllers
    return [one.num_threads for one in found if one.threading_layer == "pthreads"]


@pytest.fixture
def several_threads():
    """BLAS has two, also where tests were told to leave it one."""
    with threadpool_limits(2, user_api="blas"):
        yield


@pytest.mark.parametrize("first", ["this thread", "the other"])
def test_whoever_leaves_first(first, several_threads):
    before, here, there = numbers(), Event(), Event()
    seen = []

    def other():
        with blas_on_one_thread():
            here.set()
            there.wait(HANGS)
            seen.append(numbers())

    thread = Thread(target=other)
    with blas_on_one_thread():
        thread.start()
        assert here.wait(HANGS)
        if first == "the other":
            there.set()
            thread.join(HANGS)
            seen.append(numbers())
    there.set()
    thread.join(HANGS)
    assert all(set(each) <= {1} for each in seen) and seen
    assert numbers() == before


def test_an_error_sets_it_back():
    before = numbers()
    with pytest.raises(RuntimeError), blas_on_one_thread():
        raise RuntimeError
    assert numbers() == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
def test_a_child_does_not_wait_for_a_thread_that_it_does_not_have():
    limit = _SharedLimit([Library()])
    with limit.lock:  # as another thread would have it while this one forks
        child = os.fork()
        if child == 0:
            limit.enter()
            os._exit(limit.libraries[0].num_threads)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
