"""A fit that fails leaves the estimator as it was."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def unchanged_on_error(estimator, but_for: type | tuple = ()) -> Iterator[None]:
    """Take back what is done to the attributes of an estimator, if it raises.

    Otherwise old weights could meet the classes, or the number of features, of rows
    that were never learned from. An interrupt that ends a fit in good order is raised
    outside of this context, or is of the type `but_for`, and keeps its model.
    """
    before = dict(vars(estimator))
    try:
        yield
    except but_for:
        raise
    except BaseException:
        attributes = vars(estimator)
        for name in set(attributes) - set(before):
            if "callback" not in name:  # scikit-learn needs these to end callbacks
                del attributes[name]
        attributes.update(before)
        raise
