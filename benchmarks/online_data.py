"""Data sets of the online benchmark, as table 1 of the paper on GaLa uses them."""

from dataclasses import dataclass

from .data import FALLBACK, Dataset, load


@dataclass(frozen=True)
class Setting:
    """How a data set is used, and what the paper says of it.

    Attributes
    ----------
    C : float
    gamma : float or None
        Of the kernel ``exp(-gamma |x - z|^2)``; the linear kernel if None.
    paper : str
        What the paper calls it, or the data set whose place it takes.
    rates : tuple of two floats
        Steps of processOld and processOptimize for each processNew, table 1.
    speed_up : float or None
        Of GaLa over LaRank in seconds, section 3.
    values : str
        What the features are.
    scaled : bool
        Whether `load` scales them.
    """

    C: float
    gamma: float | None
    paper: str
    rates: tuple[float, float]
    speed_up: float | None
    values: str
    scaled: bool = True

    @property
    def kernel(self) -> dict:
        """Parameters of the kernel, of polymargin and of scikit-learn."""
        if self.gamma is None:
            return {"kernel": "linear"}
        return {"kernel": "rbf", "gamma": self.gamma}


SETTINGS: dict[str, Setting] = {
    "usps": Setting(
        10.0, 0.025, "USPS", (1.94, 36.7), 0.12, "as in the file, from -1 to 1"
    ),
    "letter": Setting(
        10.0,
        0.025,
        "LETTER",
        (1.75, 82.6),
        0.09,
        "as in the file, 0 to 15; 15,000 rows to train, the paper has 16,000",
        scaled=False,
    ),
    "news20_bydate": Setting(
        100.0,
        None,
        "INEX",
        (3.67, 35.1),
        0.18,
        "TF-IDF, rows of length 1, CSR; in the place of INEX, which is not to be had",
    ),
    "mnist": Setting(
        1000.0, 0.02, "MNIST", (1.65, 53.4), 0.02, "pixels divided by 255"
    ),
}
FALLBACK_SETTING = Setting(
    10.0, 0.05, "USPS", (1.94, 36.7), None, "pixels / 16; a trial of the harness"
)
QUICK_NAMES = ("usps", "news20_bydate")


def setting_of(name: str) -> Setting:
    """The setting of a data set."""
    return FALLBACK_SETTING if name == FALLBACK else SETTINGS[name]


def load_online_data(name: str) -> Dataset:
    """Load a data set with the values its setting asks for."""
    return load(name, setting_of(name).scaled)
