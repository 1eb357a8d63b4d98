"""Tables as they come: `polymargin train` beside what a careful practitioner types.

On the same raw files and splits: SVC on scaled and encoded columns as it is, and two
grid searches, over SVC and over LogisticRegression; and gradient boosting, which people
would use instead. A record for each split, ours and theirs apart.
"""

import json
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.svm import SVC

from polymargin.command import main
from polymargin.files.data.columns import load_columns
from polymargin.tables.words import Words

from ..harness.contest import Contest, Run, Table
from ..harness.data import choose_rows
from ..harness.figure import dots
from ..harness.markdown import bar, digits, table_of
from ..harness.raw_tables import CANCER, TEXT, raw_table
from ..harness.records import Records
from ..harness.timing import geometric_mean, progress
from . import searches

NAMES = (
    *("wine", "iris", "glass", "vehicle", "vowel", "segment", "satimage"),
    *("page_blocks", "abalone", "car_ordinal", "soybean", "dna", "letter", "optdigits"),
    *(CANCER, TEXT),
)
SPLITS = 5
# Split by split: what is measured first is of all sets.
DATA = tuple(f"{name}, split {at}" for at in range(SPLITS) for name in NAMES)
# Rows of a set, drawn at random: with more, grids take hours.
MOST_ROWS, MOST_TEXTS = 2000, 1000
SHARE = 0.3  # of the rows that are held out

OURS, PLAIN = "polymargin train", "SVC, untuned"
GRIDS = ("grid, SVC", "grid, LogisticRegression")
TREES = "HistGradientBoosting"
SVC_GRID = {"svc__C": np.logspace(-1, 3, 5), "svc__gamma": np.logspace(-3, 1, 5)}
LOGISTIC_GRID = {"logisticregression__C": np.logspace(-2, 2, 5)}


@contextmanager
def files_of(data: str) -> Iterator[tuple[Path, Path]]:
    """A split as two CSV files, which are there as long as they are needed."""
    name, _, number = data.partition(", split ")
    table = raw_table(name)
    most = MOST_TEXTS if name == TEXT else MOST_ROWS
    rows = choose_rows(len(table.labels), most)
    labels = table.labels[rows]
    common = np.unique(labels, return_counts=True)[1].min() > 1
    parts = train_test_split(
        rows,
        test_size=SHARE,
        random_state=int(number),
        stratify=labels if common else None,
    )
    with TemporaryDirectory() as folder:
        files = Path(folder) / "train.csv", Path(folder) / "test.csv"
        for path, part in zip(files, parts, strict=True):
            table.write(path, part)
        yield files


def clocked(task: Callable[[], object]) -> dict:
    """Seconds of the processor, which other work hardly disturbs, and on the wall."""
    start = process_time(), perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        task()
    return {"seconds": process_time() - start[0], "wall": perf_counter() - start[1]}


def measure_ours(data: str, run: Run) -> dict:
    """`polymargin train` on one thread, and the accuracy of its model."""
    with files_of(data) as (train, test):
        model = str(train.with_suffix(".polymargin"))
        words = ["train", str(train), "-j", "1", "-o", model, "--json"]
        with redirect_stdout(StringIO()) as told:
            found = clocked(lambda: main(words))
        with redirect_stdout(StringIO()) as measured:
            main(["evaluate", model, str(test), "--json"])
    machine = json.loads(told.getvalue())["machine"]
    accuracy = json.loads(measured.getvalue())["accuracy"]
    return {OURS: found | {"accuracy": accuracy, "machine": machine}}


def measure_peers(data: str, run: Run) -> dict:
    """What practitioners would type, one after the other."""
    with files_of(data) as files:
        # None of the columns must stay words.
        train, test = (load_columns(path, asked={"": "words"}) for path in files)
    size = {"rows": len(train.y), "columns": train.X.shape[1]}
    found = {}
    for name, model in peers(train.types, data.startswith(TEXT)).items():
        progress(name)
        found[name] = clocked(lambda model=model: model.fit(train.X, train.y))
        found[name]["accuracy"] = float(model.score(test.X, test.y))
    return size | found


def measure_searches(data: str, run: Run) -> dict:
    """`tune`, beside GridSearchCV."""
    return searches.measure(data, run, clocked)


def peers(types, text: bool) -> dict:
    """What practitioners would type, by name."""
    names = [name for name, kind in types if kind != "number"]
    numbers = [name for name, kind in types if kind == "number"]
    if text:
        texts = make_pipeline(Words(), TfidfVectorizer())
        features = ColumnTransformer([("text", texts, names[0])])
    else:
        encoder = OneHotEncoder(handle_unknown="ignore")
        scaler = make_pipeline(SimpleImputer(), StandardScaler())
        steps = [("numbers", scaler, numbers)] if numbers else []
        steps += [("words", make_pipeline(Words(), encoder), names)] if names else []
        features = ColumnTransformer(steps)
    logistic = LogisticRegression(max_iter=1000)
    found = {
        PLAIN: make_pipeline(features, SVC()),
        GRIDS[0]: GridSearchCV(make_pipeline(features, SVC()), SVC_GRID, cv=5),
        GRIDS[1]: GridSearchCV(make_pipeline(features, logistic), LOGISTIC_GRID, cv=5),
    }
    if not text:
        codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
        steps = [("numbers", StandardScaler(), numbers)] if numbers else []
        steps += [("words", make_pipeline(Words(), codes), names)] if names else []
        trees = HistGradientBoostingClassifier(random_state=0)
        found[TREES] = make_pipeline(ColumnTransformer(steps), trees)
    return found


def joined(records: Records) -> list[dict]:
    """For each data set, the splits that ours and theirs were both measured on."""
    found: dict[str, list[dict]] = {}
    for theirs in records.of("peers", DATA):
        ours = records.get("ours", theirs["data"])
        if ours is not None:
            name = theirs["data"].partition(",")[0]
            found.setdefault(name, []).append(theirs | {OURS: ours[OURS]})
    names = sorted(found, key=lambda name: (*NAMES, name).index(name))
    return [{"data": name, "splits": found[name]} for name in names]


def accuracies(record: dict, name: str) -> np.ndarray | None:
    """On all splits."""
    if name not in record["splits"][0]:
        return None
    return np.array([split[name]["accuracy"] for split in record["splits"]])


def seconds(record: dict, name: str) -> float:
    """Mean over the splits."""
    return float(np.mean([split[name]["seconds"] for split in record["splits"]]))


def better_grid(record: dict) -> np.ndarray:
    """Accuracies of the grid search that is better in the mean."""
    return max((accuracies(record, name) for name in GRIDS), key=np.mean)


def behind(record: dict) -> float:
    """By how many standard errors of the difference ours is below SVC untuned.

    Of one split there is no such error: being below it is infinitely many.
    """
    difference = accuracies(record, PLAIN) - accuracies(record, OURS)
    mean, count = float(difference.mean()), len(difference)
    if mean <= 0:
        return 0.0
    error = float(difference.std(ddof=1)) / count**0.5 if count > 1 else 0.0
    return mean / error if error > 0 else inf


def ratio(record: dict) -> float:
    """How often as fast as both grids together."""
    return sum(seconds(record, name) for name in GRIDS) / seconds(record, OURS)


def body(records: Records) -> list[str]:
    """Accuracies and seconds."""
    found = joined(records)

    def percent(name: str):
        def cell(one: dict) -> str:
            right = accuracies(one, name)
            return "-" if right is None else f"{100 * right.mean():.2f}"

        return cell

    return [
        f"Test accuracy in percent. {100 * SHARE:.0f} % of the rows are held out at "
        "random, as often as the column *splits* says. Large sets are sampled "
        f"({MOST_ROWS:,} rows, or {MOST_TEXTS:,} texts). All on one thread. "
        "`polymargin train` is the whole command: it reads, compares machines, trains "
        "and writes the model. SVC and LogisticRegression come after StandardScaler, "
        "OneHotEncoder or TfidfVectorizer. The grids have 5 x 5 points (C from 0.1 to "
        "1,000, gamma from 0.001 to 10) and 5 (C from 0.01 to 100), with 5 folds.",
        table_of(
            found,
            {
                "data set": lambda one: one["data"],
                "rows": lambda one: f"{one['splits'][0]['rows']:,}",
                "splits": lambda one: str(len(one["splits"])),
                **{name: percent(name) for name in (OURS, PLAIN, *GRIDS, TREES)},
            },
        ),
        "Rows are training rows. Seconds of the processor; the ratio is that of both "
        "grid searches together to ours:",
        table_of(
            found,
            {
                "data set": lambda one: one["data"],
                **{
                    name: lambda one, name=name: digits(seconds(one, name))
                    for name in (OURS, PLAIN, *GRIDS)
                },
                "ratio": lambda one: digits(ratio(one)),
            },
        ),
        *searches.body(records.of("searches", searches.DATA)),
    ]


def verdict(records: Records) -> list[str]:
    """The bars."""
    found = joined(records)
    if not found:
        return []
    gain = np.mean(
        [accuracies(one, OURS).mean() - better_grid(one).mean() for one in found]
    )
    worst = max(found, key=behind)
    what = f"Where it is worst ({worst['data']}), standard errors below untuned SVC"
    beside = "Beside the better grid search, mean"
    speed = "Speed-up over both grid searches together"
    lines = [
        bar(what, behind(worst), 1, at_least=False),
        bar(f"{beside}, in points of accuracy", 100 * gain, 0),
        bar(f"{speed}, mean", geometric_mean(map(ratio, found)), 3),
        bar(f"{speed}, least", min(map(ratio, found)), 3),
        *searches.verdict(records.of("searches", searches.DATA)),
    ]
    return [
        "`polymargin train table.csv`, from the file to the model, beside what a "
        "careful user of scikit-learn would write: a pipeline and a grid search.",
        "\n".join(lines),
    ]


def draw(records: Records, path: Path) -> None:
    """Errors, and seconds."""
    found, theirs = joined(records), (PLAIN, *GRIDS, TREES)
    errors = [
        (
            one["data"],
            {
                name: max(100 * (1 - right.mean()), 0.1)
                for name in (OURS, *theirs)
                if (right := accuracies(one, name)) is not None
            },
        )
        for one in found
    ]
    spent = [
        (one["data"], {name: seconds(one, name) for name in (OURS, *GRIDS)})
        for one in found
    ]
    dots(path, {"Test error in %": errors, "Seconds": spent}, "", theirs)


CONTEST = Contest(
    "tables",
    "Tables as they come",
    {
        "ours": Table("", measure_ours, DATA),
        "peers": Table("", measure_peers, DATA),
        "searches": Table("", measure_searches, searches.DATA),
    },
    verdict,
    draw,
    body=body,
    trial=(f"{CANCER}, split 0",),
    packages=("scikit-learn",),
)
