"""How machines are compared: the protocols of the papers, as data.

A protocol says how rows are divided, which parameters are tried and how, and how the
results of several splits become one number. It does nothing itself: `compare` carries
it out. Another one is made from one of these by `dataclasses.replace`::

    replace(PROTOCOLS["holdout"], repeats=3, grid={"C": (0.1, 1.0)})
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

SUMMARIES = ("mean", "median")


@dataclass(frozen=True)
class Protocol:
    """How rows are divided, parameters chosen and results summed up.

    Parameters
    ----------
    name : str

    source : str
        Where it comes from, for the report.

    repeats : int
        Random splits.

    test_share, validation_share : float
        Shares of all rows of each class. The validation part chooses the parameters;
        if it is empty, `folds` do.

    folds : int
        Of the cross-validation that chooses the parameters; 0 if there is none.

    given_split : bool
        Whether a data set that comes with test rows is divided as it came, once.

    grid : mapping of str to tuple of float
        Values to try for each parameter; machines that do not have it go without.

    refinements : int
        How often the search goes on around the best point, with steps half as wide on
        the logarithmic scale.

    passes : tuple of int
        Train with exactly so many passes over the rows, each a fit of its own. Empty:
        train until the machine itself says it is enough.

    summary : {"mean", "median"}
        What the tables show of the splits.

    level : float
        Of significance.
    """

    name: str
    source: str = ""
    repeats: int = 10
    test_share: float = 0.2
    validation_share: float = 0.0
    folds: int = 0
    given_split: bool = False
    grid: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    refinements: int = 0
    passes: tuple[int, ...] = ()
    summary: str = "mean"
    level: float = 0.05

    def __post_init__(self):
        grid = {name: tuple(map(float, values)) for name, values in self.grid.items()}
        object.__setattr__(self, "grid", MappingProxyType(grid))
        object.__setattr__(self, "passes", tuple(map(int, self.passes)))
        if self.repeats < 1:
            raise ValueError(f"repeats={self.repeats} must be at least 1.")
        if not 0 < self.test_share < 1 - self.validation_share <= 1:
            raise ValueError(
                f"test_share={self.test_share:g} and validation_share="
                f"{self.validation_share:g} must leave rows to train with; choose "
                f"shares that add up to less than 1."
            )
        if not 0 < self.level < 1:
            raise ValueError(f"level={self.level:g} must be between 0 and 1.")
        if self.summary not in SUMMARIES:
            raise ValueError(
                f"summary={self.summary!r} is not known; choose one of "
                f"{', '.join(SUMMARIES)}."
            )
        for name, values in grid.items():
            if not values:
                raise ValueError(f"grid has no values for {name!r}; leave it out.")
            if wrong := [value for value in values if value <= 0]:
                raise ValueError(
                    f"grid has the value {wrong[0]:g} for {name!r}, which is not "
                    f"positive; leave it out."
                )
        if grid and not self.validation_share and self.folds < 2:
            raise ValueError(
                f"grid needs rows to choose by, but validation_share=0 and folds="
                f"{self.folds}; set one of them."
            )

    def as_dict(self) -> dict:
        """Return what JSON can hold and `Protocol` accepts as keywords."""
        plain = {name: getattr(self, name) for name in self.__dataclass_fields__}
        plain["grid"] = {name: list(values) for name, values in self.grid.items()}
        plain["passes"] = list(self.passes)
        return plain


def powers_of_two(first: int, last: int, step: int = 1) -> tuple[float, ...]:
    """Return 2 to the powers from `first` to `last`, both included.

    Parameters
    ----------
    first, last : int
        The least and the largest power.

    step : int, default=1
        From one power to the next.

    Returns
    -------
    values : tuple of float

    Examples
    --------
    >>> powers_of_two(-2, 4, 2)
    (0.25, 1.0, 4.0, 16.0)
    """
    return tuple(2.0**power for power in range(first, last + 1, step))


PROTOCOLS: Mapping[str, Protocol] = MappingProxyType(
    {
        protocol.name: protocol
        for protocol in (
            Protocol(
                "holdout",
                "10 random stratified parts of 60, 20 and 20 %: the best C on the "
                "second, trained again on the first two, tested on the third (Keerthi "
                "et al., 2008)",
                validation_share=0.2,
                grid={"C": (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)},
                level=0.01,
            ),
            Protocol(
                "passes",
                "10 random stratified splits of 80 and 20 %, training with 1, 3 and 5 "
                "passes over the rows, C as given (Blondel et al., 2014)",
                passes=(1, 3, 5),
            ),
            Protocol(
                "single-split",
                "the split that the data set comes with, or one of 80 and 20 %; C by "
                "5-fold cross-validation among the powers of two from 2^-5 to 2^3 "
                "(a thesis on linear multi-class methods)",
                repeats=1,
                folds=5,
                given_split=True,
                grid={"C": powers_of_two(-5, 3)},
            ),
            Protocol(
                "nested",
                "medians over 10 random stratified splits of 80 and 20 %; C and gamma "
                "by 5-fold cross-validation on a coarse grid of powers of two that is "
                "refined twice around its best point (Dogan et al., 2011)",
                folds=5,
                grid={
                    "C": powers_of_two(-4, 12, 4),
                    "gamma": powers_of_two(-12, 0, 4),
                },
                refinements=2,
                summary="median",
            ),
        )
    }
)


def find_protocol(protocol: "str | Protocol") -> Protocol:
    """Return a protocol by its name, or as it is.

    Parameters
    ----------
    protocol : str or Protocol

    Returns
    -------
    protocol : Protocol

    Examples
    --------
    >>> find_protocol("holdout").repeats
    10
    >>> find_protocol("nested").summary
    'median'
    """
    if isinstance(protocol, Protocol):
        return protocol
    if protocol not in PROTOCOLS:
        raise ValueError(
            f"protocol={protocol!r} is not known; choose one of {', '.join(PROTOCOLS)}."
        )
    return PROTOCOLS[protocol]
