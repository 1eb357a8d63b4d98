"""The page of 004: kernel machines, their accuracy, iterations and time."""

from ..harness.contest import Table
from . import decomposition, kernel_search
from .claims import PaperPage
from .kernel_data import keys

PAGE = PaperPage(
    "papers-kernel.md",
    "Kernel machines and S2DO (004)",
    {
        "004-1": Table("", kernel_search.measure, keys()),
        "004-2": Table("", decomposition.measure, keys()),
    },
    on_request=True,
    paper="004",
)
