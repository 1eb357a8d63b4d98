"""The machines in docstrings of estimators, as the registry has them."""

from collections.abc import Callable

from ..base.docstrings import fill_in
from .registry import FORMULATIONS, Formulation


def lists_machines(able: Callable[[Formulation], object]):
    """Return a decorator of classes that fills in what their docstrings leave open.

    ``<machines>`` becomes the set of names, ``<machines with costs>`` and ``<machines
    with candidates>`` those that have them, ``<what the machines count>`` a sentence
    about each.

    Parameters
    ----------
    able : callable
        Whether a machine is one of the estimator's.
    """
    rows = [row for row in FORMULATIONS.values() if able(row)]
    names = ", ".join(f'"{row.name}"' for row in rows)
    with_costs = ", ".join(f'"{row.name}"' for row in rows if row.costs)
    with_candidates = ", ".join(f'"{row.name}"' for row in rows if row.takes_candidates)
    each = "; ".join(f'{row.full_name} ("{row.name}") {row.meaning}' for row in rows)
    to_zero = ", ".join(f'"{row.name}"' for row in rows if row.sums_to_zero)

    def fill(cls: type) -> type:
        if cls.__doc__ is not None:  # as without docstrings, python -OO
            text = cls.__doc__.replace("<machines>", "{" + names + "}")
            text = text.replace("<machines with costs>", with_costs)
            text = text.replace("<machines with candidates>", with_candidates)
            about = f"The formulation: {each}. Weights of {to_zero} sum to zero."
            cls.__doc__ = fill_in(text, "<what the machines count>", about)
        return cls

    return fill
