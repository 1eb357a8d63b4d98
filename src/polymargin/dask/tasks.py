"""A client, and the futures of one fit, of which nothing is left afterwards."""

import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from secrets import token_hex
from time import perf_counter

from distributed import Client, Future, LocalCluster, default_client, wait

# Values that one task of the tree adds up.
FAN_IN = 8


@contextmanager
def client_for(client: Client | None) -> Iterator[Client]:
    """Give the client, else the current one, else that of a cluster made for now."""
    if client is None:
        try:
            client = default_client()
        except ValueError:
            # Workers are threads here: the core lets go of Python's lock, and rows,
            # which are in this process, need not be copied into others; nor has a
            # script to guard against being imported by them.
            with (
                LocalCluster(processes=False, dashboard_address=":0") as cluster,
                Client(cluster, set_as_default=False) as own,
                own.as_current(),
            ):
                yield own
            return
    if client.asynchronous:
        raise ValueError(
            "client is asynchronous, and fit waits for results; give a client that was "
            "made without asynchronous=True."
        )
    if client.status != "running":
        raise ValueError(
            f"client is {client.status}; give one that is connected to a cluster."
        )
    with client.as_current():
        yield client


class OutOfTime(Exception):
    """The deadline came before the results."""


class Tasks:
    """Submits the tasks of a fit, and lets go of all results at its end.

    Parameters
    ----------
    client : Client

    Attributes
    ----------
    deadline : float or None
        Until when to wait for results, as `perf_counter` counts.
    """

    def __init__(self, client: Client):
        self.client = client
        self.deadline: float | None = None
        self._futures: weakref.WeakSet[Future] = weakref.WeakSet()
        self._others = ExitStack()

    def each(self, function: Callable, *arguments: Sequence, **same) -> list[Future]:
        """Run a function for every partition, beside what is the `same` for all."""
        return self._release_later(
            self.client.map(function, *arguments, pure=False, **same)
        )

    def one(self, function: Callable, *arguments) -> Future:
        return self._release_later(
            [self.client.submit(function, *arguments, pure=False)]
        )[0]

    def compute(self, delayed: list) -> list[Future]:
        return self._release_later(self.client.compute(delayed))

    def _release_later(self, futures: list[Future]) -> list[Future]:
        self._futures.update(futures)
        return futures

    def add_up(self, values: list[Future], add: Callable) -> list[Future]:
        """Add up over a tree, of which `add` computes a node from a list.

        Returns
        -------
        sums : list of Future
            What is left to be added for the root: at most FAN_IN.
        """
        while len(values) > FAN_IN:
            groups = [
                values[start : start + FAN_IN]
                for start in range(0, len(values), FAN_IN)
            ]
            values = self.each(add, groups)
        return values

    def gather(self, futures: list[Future], waited_for: list[Future] | None = None):
        """Return results; if a partition failed, say which.

        Parameters
        ----------
        futures : list of Future
        waited_for : list of Future or None
            Of the partitions, on which `futures` depend; the same by default.
        """
        self.finish(futures, futures if waited_for is None else waited_for)
        return self.client.gather(futures)

    def finish(self, futures: list[Future], parts: list[Future]) -> None:
        """Wait for futures, which stay where they are; say which partition failed."""
        self._wait(futures)
        for number, part in enumerate(parts):
            if part.status == "error":
                problem = part.exception()
                raise RuntimeError(
                    f"partition {number} of {len(parts)} raised "
                    f"{type(problem).__name__}: {problem}"
                ) from problem

    def _wait(self, futures: list[Future]) -> None:
        if self.deadline is None:
            wait(futures)
            return
        try:
            wait(futures, timeout=max(self.deadline - perf_counter(), 0))
        except TimeoutError:
            raise OutOfTime from None

    def all_see(self, folder: Path) -> bool:
        """Return whether a folder of this process is one of all workers too."""
        token = folder / f".{token_hex(8)}.seen"
        token.touch()
        try:
            seen = self.client.run(token.exists, on_error="ignore")
        finally:
            token.unlink()
        return bool(seen) and all(seen.values())

    def until_release(self, resource: AbstractContextManager):
        """Enter a context that is left when all is let go of."""
        return self._others.enter_context(resource)

    def release(self) -> None:
        """Let go of everything, also of what a traceback still holds."""
        for future in list(self._futures):
            future.release()
        self._others.close()
