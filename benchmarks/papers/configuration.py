"""A table of a paper as data: what is run for it, and what the paper says."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from polymargin.protocols import PROTOCOLS, Protocol

FOLDER = Path(__file__).parent
Number = tuple[float, float | None]  # and its standard deviation, if it is given


@dataclass(frozen=True)
class Entry:
    """A data set of ours in the place of one of the paper's.

    Attributes
    ----------
    name : str
        In tables, and of its results folder.
    place_of : str
        What the paper calls its own.
    file : str
        Of the data set, without ``.npz``; the name if it is not given.
    rows : int or None
        How many are used, chosen at random from every class; all if None.
    prepare : str
        As in `polymargin.compare`.
    changes : mapping
        Of the protocol.
    parameters : mapping
        Of all machines.
    """

    name: str
    place_of: str
    file: str = ""
    rows: int | None = None
    prepare: str = "none"
    changes: Mapping = field(default_factory=dict)
    parameters: Mapping = field(default_factory=dict)


@dataclass(frozen=True)
class Program:
    """A program that repeats a table, and the page it writes."""

    module: str
    page: str
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True)
class Claim:
    """One machine is ahead of another by some quantity.

    Attributes
    ----------
    quantity : str
        One of `quantities.QUANTITIES`.
    ahead, behind : str
        Columns.
    stated : bool
        Whether the paper's text says so; else it is only looked at.
    """

    quantity: str
    ahead: str
    behind: str
    stated: bool = True


@dataclass(frozen=True)
class Configuration:
    """A table of a paper.

    Attributes
    ----------
    name : str
        Paper and table, as on the command line; that of the file.
    paper, table, about : str
        The paper's number, the table or figure, and what it is about.
    note, why : str
        What is other here than there; what explains the results that are.
    show : tuple of str
        Which tables the page has of it; see `sections`.
    machines : tuple of str
        As `polymargin compare` spells them, called as in the paper.
    protocol : str
    convergence, scaling : bool
        As in `polymargin.compare`.
    entries : tuple of Entry
    theirs : mapping
        The paper's numbers: quantity, then line, then one for each machine.
    C_factor : mapping
        By what C of a machine is larger in the paper's convention than in ours.
    claims : tuple of Claim
    program : Program or None
        Which does it; then there are no machines.
    """

    name: str
    paper: str
    table: str
    about: str
    note: str = ""
    why: str = ""
    show: tuple[str, ...] = ()
    machines: tuple[str, ...] = ()
    protocol: str = "holdout"
    convergence: bool = False
    scaling: bool = False
    entries: tuple[Entry, ...] = ()
    theirs: Mapping[str, Mapping[str, list]] = field(default_factory=dict)
    C_factor: Mapping[str, float] = field(default_factory=dict)
    claims: tuple[Claim, ...] = ()
    program: Program | None = None

    @property
    def columns(self) -> list[str]:
        """What the machines are called."""
        return [text.partition(":")[0].rpartition("=")[0] for text in self.machines]

    def entry(self, name: str) -> Entry:
        """The entry of a name."""
        return next(entry for entry in self.entries if entry.name == name)

    def protocol_of(self, entry: Entry) -> Protocol:
        """The protocol of an entry, with its changes."""
        return replace(PROTOCOLS[self.protocol], **entry.changes)

    def paper_says(
        self, quantity: str, entry: str, passes: int | None = None
    ) -> dict[str, Number]:
        """The paper's numbers by machine, where it has one."""
        place = self.entry(entry).place_of
        line = place if passes is None else f"{place} {passes}"
        row = self.theirs.get(quantity, {}).get(line, [])
        return {
            machine: tuple(value) if isinstance(value, list) else (value, None)
            for machine, value in zip(self.columns, row, strict=False)
        }


def read(path: Path) -> Configuration:
    """Read a configuration; what it leaves out of a data set is as for all of them."""
    content = tomllib.loads(path.read_text())
    compared = content.pop("compare", {})
    common = {
        name: compared.pop(name) for name in ("prepare", "changes") if name in compared
    }
    entries = tuple(
        Entry(name, **(common | facts))
        for name, facts in content.pop("data", {}).items()
    )
    program = content.pop("program", None)
    if program is not None:
        program = Program(**program | {"arguments": tuple(program["arguments"])})
    claims = tuple(Claim(**claim) for claim in content.pop("claims", []))
    for name in ("machines", "show"):
        if name in compared:
            compared[name] = tuple(compared[name])
    return Configuration(
        path.stem,
        **content,
        **compared,
        entries=entries,
        claims=claims,
        program=program,
    )


def read_all(folder: Path = FOLDER) -> dict[str, Configuration]:
    """Return all configurations by name, in order."""
    return {path.stem: read(path) for path in sorted(folder.glob("*.toml"))}
