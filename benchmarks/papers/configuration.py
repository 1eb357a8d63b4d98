"""A table of a paper as data: what is run for it, and what the paper says."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import isnan
from pathlib import Path

from polymargin.selection.protocols import PROTOCOLS, Protocol

FOLDER = Path(__file__).parent
# How pages call the papers; the keys are those of files, records and the command line.
PAPERS = {
    "000": "Keerthi et al. (2008)",
    "001": "Tuma and Igel (2011)",
    "002": "Blondel et al. (2014)",
    "003": "the thesis on linear schemes",
    "004": "Dogan et al. (2011)",
}


@dataclass(frozen=True)
class Entry:
    """A data set of ours in the place of one of the paper's."""

    name: str  # in tables, and of its results folder
    place_of: str  # what the paper calls its own
    file: str = ""  # of the data set, without ``.npz``; the name if it is not given
    rows: int | None = None  # chosen at random from every class; all if None
    prepare: str = "none"  # as in `polymargin.compare`
    changes: Mapping = field(default_factory=dict)  # of the protocol
    parameters: Mapping = field(default_factory=dict)  # of all machines


@dataclass(frozen=True)
class Configuration:
    """A table of a paper."""

    name: str  # paper and table, as on the command line; that of the file
    paper: str
    table: str
    about: str
    note: str = ""  # what is other here than there
    why: str = ""  # what explains results that are other
    show: tuple[str, ...] = ()  # which tables the page has of it; see `sections`
    claims: tuple[tuple[str, str, str], ...] = ()  # quantity, who is ahead, of whom
    looks: tuple[tuple[str, str, str], ...] = ()  # the same, not said by the paper
    columns: tuple[str, ...] = ()  # what the machines are called
    columns_of: Mapping[str, list[str]] = field(default_factory=dict)  # of a quantity
    machines: tuple[str, ...] = ()  # as `polymargin compare` spells them
    protocol: str = "holdout"
    entries: tuple[Entry, ...] = ()
    # The paper's numbers: quantity, then line, then one for each column.
    theirs: Mapping[str, Mapping[str, list]] = field(default_factory=dict)

    def entry(self, name: str) -> Entry:
        """The entry of a name; where there is none, the paper calls it the same."""
        known = {entry.name: entry for entry in self.entries}
        return known.get(name, Entry(name, name))

    def protocol_of(self, entry: Entry) -> Protocol:
        """The protocol of an entry, with its changes."""
        return replace(PROTOCOLS[self.protocol], **entry.changes)

    def columns_for(self, quantity: str) -> list[str]:
        """The columns of the table of a quantity."""
        return list(self.columns_of.get(quantity, self.columns))

    def paper_says(
        self, quantity: str, data: str, passes: int | None = None
    ) -> dict[str, tuple[float, float | None]]:
        """The paper's numbers by column, where it has one, with deviations if given."""
        place = self.entry(data).place_of
        line = place if passes is None else f"{place} {passes}"
        row = self.theirs.get(quantity, {}).get(line, [])
        return {
            column: tuple(value) if isinstance(value, list) else (value, None)
            for column, value in zip(self.columns_for(quantity), row, strict=False)
            if isinstance(value, list) or not isnan(value)
        }


def read(path: Path) -> Configuration:
    """Read a configuration; what it leaves out of a data set is as for all of them."""
    content = tomllib.loads(path.read_text())
    compared = content.pop("compare", {})
    common = {
        key: compared.pop(key) for key in ("prepare", "changes") if key in compared
    }
    entries = tuple(
        Entry(name, **(common | facts))
        for name, facts in content.pop("data", {}).items()
    )
    options = compared.pop("options", "")
    machines = []
    for text in compared.pop("machines", []):
        head, _, own = text.partition(":")
        words = ",".join(filter(None, (options, own)))
        machines.append(f"{head}:{words}" if words else head)
    names = [text.partition(":")[0].rpartition("=")[0] for text in machines]
    content = {"columns": names} | content
    for key in ("claims", "looks"):
        content[key] = tuple(map(tuple, content.get(key, ())))
    for key in ("show", "columns"):
        content[key] = tuple(content.get(key, ()))
    return Configuration(
        path.stem, **content, **compared, machines=tuple(machines), entries=entries
    )


def read_all(folder: Path = FOLDER) -> dict[str, Configuration]:
    """Return all configurations by name, in order."""
    return {path.stem: read(path) for path in sorted(folder.glob("*.toml"))}


KNOWN = read_all()
