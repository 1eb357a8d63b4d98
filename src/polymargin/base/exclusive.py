"""Methods of an object of which one runs at a time, whatever thread calls it."""

from collections.abc import Callable
from functools import wraps


def exclusive(method: Callable) -> Callable:
    """Let a method wait until no other thread is in one of these of the same object.

    The object has a ``threading.RLock`` as `_lock`. For what holds state in the core,
    which trains without Python's own lock.
    """

    @wraps(method)
    def alone(self, *arguments, **named):
        with self._lock:
            return method(self, *arguments, **named)

    return alone
