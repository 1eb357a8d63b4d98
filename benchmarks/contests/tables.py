"""Tables as they come: `polymargin train` beside what a careful practitioner types.

On the same raw files and splits: SVC on scaled and encoded columns as it is, and the
better of two grid searches, over SVC and over LogisticRegression; and gradient
boosting, which people would use instead.
"""

import json
import warnings
from contextlib import redirect_stdout
from io import StringIO
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory

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

from ..harness.contest import Run, Table, one_table
from ..harness.markdown import bar, digits, table_of
from ..harness.raw_tables import CANCER, TEXT, raw_table
from ..harness.timing import geometric_mean, progress, timed

NAMES = (
    *("wine", "iris", "glass", "vehicle", "vowel", "segment", "satimage"),
    *("page_blocks", "abalone", "car_ordinal", "soybean", "dna", "letter", "optdigits"),
    *(CANCER, TEXT),
)
OURS, PLAIN = "polymargin train", "SVC, untuned"
GRIDS = ("grid, SVC", "grid, LogisticRegression")
TREES = "HistGradientBoosting"
SVC_GRID = {"svc__C": np.logspace(-1, 3, 5), "svc__gamma": np.logspace(-3, 1, 5)}
LOGISTIC_GRID = {"logisticregression__C": np.logspace(-2, 2, 5)}
SHARE = 0.3  # of the rows that are held out


def train_ours(train: Path, test: Path) -> tuple[float, float]:
    """Seconds of `polymargin train` on one thread, and the accuracy of its model."""
    model = str(train.with_suffix(".polymargin"))
    words = ["train", str(train), "-q", "-j", "1", "-o", model]
    seconds, _ = timed(lambda: main(words))
    with redirect_stdout(StringIO()) as out:
        main(["evaluate", model, str(test), "--json"])
    return seconds, json.loads(out.getvalue())["accuracy"]


def peers(types, text: bool) -> dict:
    """What practitioners would type, by name."""
    names = [name for name, kind in types if kind != "number"]
    numbers = [name for name, kind in types if kind == "number"]
    if text:
        features = ColumnTransformer([("text", TfidfVectorizer(), names[0])])
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


def measure_split(table, seed: int, text: bool, folder: Path) -> dict:
    """Seconds and accuracy of all on one split."""
    rows, labels = np.arange(len(table.labels)), table.labels
    common = np.unique(labels, return_counts=True)[1].min() > 1
    parts = train_test_split(
        rows, test_size=SHARE, random_state=seed, stratify=labels if common else None
    )
    train, test = folder / "train.csv", folder / "test.csv"
    for path, part in zip((train, test), parts, strict=True):
        table.write(path, part)
    found = {OURS: train_ours(train, test)}
    frames = [_frame(path) for path in (train, test)]
    for name, model in peers(frames[0].types, text).items():
        progress(f"seed {seed}, {name}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fit = lambda model=model: model.fit(frames[0].X, frames[0].y)  # noqa: E731
            seconds, model = timed(fit)
        found[name] = seconds, float(model.score(frames[1].X, frames[1].y))
    return {
        name: {"seconds": seconds, "accuracy": accuracy}
        for name, (seconds, accuracy) in found.items()
    }


def _frame(path: Path):
    """The table with types of its columns, of which none must stay words."""
    return load_columns(path, as_words=[""])


def measure(name: str, run: Run) -> dict:
    """The record of a data set: all splits."""
    table = raw_table(name)
    with TemporaryDirectory() as folder:
        splits = [
            measure_split(table, seed, name == TEXT, Path(folder))
            for seed in range(run.seeds)
        ]
    return {"rows": len(table.labels), "columns": len(table.names), "splits": splits}


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
    """By how many standard errors of the difference ours is below SVC untuned."""
    difference = accuracies(record, PLAIN) - accuracies(record, OURS)
    mean, count = float(difference.mean()), len(difference)
    if mean <= 0 or count < 2:
        return max(mean, 0.0)
    error = float(difference.std(ddof=1)) / count**0.5
    return mean / error if error > 0 else inf


def results(records: list[dict]) -> list[str]:
    """The section: accuracies, seconds, bars."""

    def percent(name: str):
        def cell(one: dict) -> str:
            found = accuracies(one, name)
            return "-" if found is None else f"{100 * found.mean():.2f}"

        return cell

    ratios = [
        sum(seconds(one, name) for name in GRIDS) / seconds(one, OURS)
        for one in records
    ]
    gain = np.mean(
        [accuracies(one, OURS).mean() - better_grid(one).mean() for one in records]
    )
    worst = max(records, key=behind)
    return [
        f"Raw CSV files, {100 * SHARE:.0f} % of the rows held out at random, as many "
        "times as the table says; all on one thread. `polymargin train` is the whole "
        "command: reading, comparing machines, training, writing the model. SVC and "
        "LogisticRegression stand behind StandardScaler, OneHotEncoder or "
        "TfidfVectorizer; grids of 5 x 5 (C from 0.1 to 1,000, gamma from 0.001 to 10) "
        "and of 5 values (C from 0.01 to 100), 5 folds. Test accuracy in percent.",
        table_of(
            records,
            {
                "data set": lambda one: one["data"],
                "rows": lambda one: f"{one['rows']:,}",
                "splits": lambda one: str(len(one["splits"])),
                **{name: percent(name) for name in (OURS, PLAIN, *GRIDS, TREES)},
            },
        ),
        "Seconds, and how often as fast it is as both grids together:",
        table_of(
            records,
            {
                "data set": lambda one: one["data"],
                **{
                    name: lambda one, name=name: digits(seconds(one, name))
                    for name in (OURS, PLAIN, *GRIDS)
                },
                "ratio": lambda one: digits(ratios[records.index(one)]),
            },
        ),
        "\n".join(
            [
                bar(
                    "Standard errors below SVC untuned where it is worst, "
                    f"{worst['data']}",
                    behind(worst),
                    1,
                    at_least=False,
                ),
                f"- Mean accuracy less that of the better grid, in points: "
                f"{100 * gain:+.2f}, to reach at least 0: "
                f"**{'reached' if gain >= 0 else 'missed'}**.",
                bar(
                    "Time of both grids by ours, geometric mean",
                    geometric_mean(ratios),
                    3,
                ),
                bar("Least of these ratios", min(ratios), 3),
            ]
        ),
    ]


CONTEST = one_table(
    "tables",
    "tables as they come, against grid searches of scikit-learn",
    "Your own table",
    Table("", measure, NAMES, results),
    quick=(CANCER,),
    seeds=5,
)
