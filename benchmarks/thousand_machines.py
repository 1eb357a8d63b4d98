"""A run on 1,000 machines, worked out from what was measured on one.

Seconds of a round = epoch + rest + traffic + tasks, where

    epoch    rows of a core x values of a row x k x seconds of a product
    rest     what else a partition does. Sparse rows: bytes of W x seconds of a byte,
             for W is added up and copied; dense: rows of a core x seconds of a row,
             for dual variables are, and losses computed.
    traffic  bytes that the busiest network card sends or receives, by its speed
    tasks    partitions x seconds that Dask needs for one in a round
"""

from dataclasses import dataclass
from math import ceil, log, log2

import numpy as np

from .scale_partitions import ALONE, TOL

FLOAT32, INDEX = 4, 4
# Matrices like W that a process has, with a partition: the two that it begins from and
# its change; and how many rounds are in memory at a time: the last one, until the next
# has ended.
STATE_MATRICES, GENERATIONS = 3, 2
DOWN_MATRICES = 2  # what partitions begin from
FAN_IN = 8  # of the tree of polymargin.dask
# What the rest of a round needs at least: losses, as a share of an epoch, and passes
# over W in place, at so many bytes a second.
LOSSES, PASSES, MEMORY_SPEED = 0.4, 6, 1e10
STAYING_TASKS = 0.01  # seconds of a round without a scheduler: 20 messages, by guess


@dataclass(frozen=True)
class Problem:
    """Rows, and the model."""

    name: str
    n: float
    nonzeros: int
    d: int
    k: int
    sparse: bool

    @property
    def row_bytes(self) -> float:
        return self.n * self.nonzeros * (FLOAT32 + (INDEX if self.sparse else 0))

    @property
    def dual_bytes(self) -> float:
        """If none of the dual variables is zero: each with the number of its class."""
        return self.n * self.k * (FLOAT32 + INDEX)

    @property
    def model_bytes(self) -> float:
        return self.d * self.k * FLOAT32


@dataclass(frozen=True)
class Cluster:
    """Machines, the bytes a second of a network card, and what an hour costs."""

    machines: int = 1000
    cores: int = 32
    memory: float = 128e9
    network: float = 1.25e9
    price: float = 1.0


@dataclass(frozen=True)
class Design:
    """How a round is organised.

    Attributes
    ----------
    name : str
    partitions : int
        Of a machine; each is a process of its own.
    in_place : bool
        Whether a machine keeps one W, which the core changes in place, and drivers
        keep their dual variables.
    all_reduce : bool
        Whether every machine adds up a part of W and then sends it to all, in the
        place of a tree.
    staying : bool
        Whether tasks stay for the whole run and talk to each other.
    bytes_per_number : float
        In traffic.
    """

    name: str
    partitions: int
    in_place: bool = False
    all_reduce: bool = False
    staying: bool = False
    bytes_per_number: float = FLOAT32


@dataclass(frozen=True)
class Rates:
    """What was measured: seconds of a product, a byte of W, a row, and a task."""

    product: float
    model_byte: float
    row: float
    task: float


@dataclass(frozen=True)
class RoundSeconds:
    """What a round costs."""

    epoch: float
    rest: float
    traffic: float
    tasks: float

    @property
    def total(self) -> float:
        return self.epoch + self.rest + self.traffic + self.tasks


def seconds_of_round(
    problem: Problem, cluster: Cluster, design: Design, rates: Rates
) -> RoundSeconds:
    """One epoch on every row, then the change of W to all."""
    rows = problem.n / (cluster.machines * cluster.cores)
    parts = cluster.machines * design.partitions
    epoch = rows * problem.nonzeros * problem.k * rates.product
    if design.in_place:
        rest = LOSSES * epoch + PASSES * problem.model_bytes / MEMORY_SPEED
    else:
        rest = problem.model_bytes * rates.model_byte + rows * rates.row
    return RoundSeconds(
        epoch,
        rest,
        busiest_bytes(problem, cluster, design) / cluster.network,
        STAYING_TASKS if design.staying else parts * rates.task,
    )


def busiest_bytes(problem: Problem, cluster: Cluster, design: Design) -> float:
    """Bytes through the busiest network card in a round, one after the other."""
    whole = problem.d * problem.k * design.bytes_per_number
    if design.all_reduce:
        return 2 * whole
    up, messages = 0.0, cluster.machines * design.partitions
    while messages > 1:
        nodes = ceil(messages / FAN_IN)
        up += ceil(nodes / cluster.machines) * min(FAN_IN, messages)
        messages = nodes
    # Who has the model passes it on; every process of a machine gets a copy.
    down = DOWN_MATRICES * (ceil(log2(cluster.machines)) + design.partitions)
    return (up + down) * whole


def state_bytes(problem: Problem, design: Design) -> float:
    """Memory of a machine for matrices like W."""
    each = STATE_MATRICES * GENERATIONS * problem.d * problem.k * FLOAT32
    return design.partitions * each


def rates_of(cells: dict[int, dict], overhead: dict, sparse: bool) -> Rates:
    """Rates of a data set and machine, from its cells with 0 and 2 partitions."""
    alone, two = cells[ALONE], cells[2]
    n, k, d, nnz = (alone["shape"][key] for key in ("n", "k", "d", "nnz"))
    largest = max(overhead["rounds"], key=int)
    task = overhead["rounds"][largest]["round_seconds"] / int(largest)
    epochs = two["visits"] / (n * two["rounds"])
    rest = two["round_seconds"] - epochs * alone["epoch_seconds"] / 2 - 2 * task
    rest = max(rest, 0.0)
    return Rates(
        alone["epoch_seconds"] / ((nnz if sparse else n * d) * k),
        rest / (d * k * FLOAT32) if sparse else 0.0,
        0.0 if sparse else rest / (n / 2),
        task,
    )


def rounds_law(cells: dict[int, dict]) -> tuple[float, float] | None:
    """Factor and power of rounds = factor x partitions^power, if three converged.

    Where rounds became fewer by chance, they are taken to stay at their mean.
    """
    found = [
        (parts, cell["rounds"])
        for parts, cell in cells.items()
        if parts > 1 and cell["gap"] <= TOL
    ]
    if len(found) < 3:
        return None
    parts, rounds = np.log(np.array(found, dtype=float)).T
    power, intercept = np.polyfit(parts, rounds, 1)
    if power < 0:
        power, intercept = 0.0, rounds.mean()
    return float(np.exp(intercept)), float(power)


def extrapolate(law: tuple[float, float], parts: float) -> float:
    factor, power = law
    return factor * parts**power


def levels(parts: int) -> int:
    """Depth of the tree."""
    return ceil(log(parts, FAN_IN))
