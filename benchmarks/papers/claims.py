"""What the papers claim, and whether it holds here: the rows of the summary."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..harness.contest import Page
from ..harness.markdown import NONE, markdown_table
from ..harness.records import Records
from .configuration import PAPERS

# Verdicts, the best first.
HOLDS, PARTLY, FAILS, NOT_RUN = "holds", "holds in part", "does not hold", "not run"
VERDICTS = (HOLDS, PARTLY, FAILS, NOT_RUN)


@dataclass(frozen=True)
class Claim:
    """A claim of a paper, and what our records say to it."""

    words: str  # the claim, in a sentence
    there: str  # the paper's numbers
    # What was found here and a verdict; None if there are no records.
    judge: Callable[[Records], tuple[str, str] | None]

    def judged(self, records: Records) -> tuple[str, str]:
        """What was found here, and the verdict."""
        found = self.judge(records) or (NONE, NOT_RUN)
        if found[1] not in VERDICTS:
            raise ValueError(f"{found[1]!r} is no verdict; choose among {VERDICTS}.")
        return found


@dataclass(frozen=True)
class PaperPage(Page):
    """The page of a paper: its claims and verdicts on top, then its tables."""

    paper: str = ""
    about: str = ""  # what holds for all of its tables
    claims: tuple[Claim, ...] = ()

    def head(self, records: Records) -> list[str]:
        """The claims, each with its verdict, and what holds for all tables."""
        judged = claims_table(self, records) if self.claims else ""
        return [judged, self.about]


def claims_table(page: PaperPage, records: Records) -> str:
    """The claims of a paper: its numbers, ours, verdict."""
    rows = []
    for claim in page.claims:
        here, verdict = claim.judged(records)
        rows.append([claim.words, claim.there, here, f"**{verdict}**"])
    return markdown_table(["claim", "there", "here", "verdict"], rows, numbers=False)


def verdicts_table(pages: Sequence[PaperPage], records: Records) -> str:
    """The claims of all papers and their verdicts; numbers are on the page of each."""
    rows = []
    for page in pages:
        name = PAPERS[page.paper]
        if page.records(records):  # else there is no such page yet
            name = f"[{name}]({page.file})"
        for claim in page.claims:
            rows.append([name, claim.words, f"**{claim.judged(records)[1]}**"])
    return markdown_table(["paper", "claim", "verdict"], rows, numbers=False)


def how_many(pages: Sequence[PaperPage], records: Records) -> str:
    """One sentence: how many claims of how many hold."""
    found = Counter(claim.judged(records)[1] for page in pages for claim in page.claims)
    papers = len({page.paper for page in pages if page.claims})
    source = "all five papers" if papers == 5 else f"{papers} of the five papers"
    return (
        f"Of {found.total()} claims, taken from {source}, "
        f"{found[HOLDS]} hold here, "
        f"{found[PARTLY]} hold in part, {found[FAILS]} do not, and {found[NOT_RUN]} "
        f"{'has' if found[NOT_RUN] == 1 else 'have'} not been run."
    )


class Summary(Page):
    """All claims of all papers; the stamps of the runs are on the pages."""

    def records(self, records: Records) -> list[dict]:
        """None: each page shows its own."""
        return []
