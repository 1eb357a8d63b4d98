"""What each column of a table is: a number, a category, text, a date, or of no use."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import narwhals as nw
import numpy as np

from ..base.annotations import Rows
from .frames import columns_of
from .words import words_of

# Kinds that can be asked for, beside "drop".
KINDS = ("number", "category", "text", "date")
# Kinds of columns that are left out.
USELESS = ("constant", "identifier", "dropped")

# Values of a category that have a feature of their own.
MOST_CATEGORIES = 1000

_FEW = 40  # distinct words that make a category, however many rows there are
_REPEATS = 2  # rows for each distinct word that make one, however many words
_SENTENCE = 4  # words of a text; in a category they are fewer, or values are few
_WORDS = 3  # below, characters tell more
_LEAST_TEXTS = 10  # rows, or half of them: fewer may all be held out at once
_LEAST_ROWS = 20  # to call distinct numbers an identifier
_FAR = 50  # distances between quartiles; of a normal distribution, all are within 5
_LEAST_RANKED = 100  # rows
_FILLED = 3  # whole numbers that are distinct by chance have a wider range
_NAMES = re.compile(
    r"(.*[_\W])?(id|uuid|guid|index|idx|key|rownames|row_?(number|id|names?)?|nr|no)"
    r"|unnamed(: ?\d+(\.\d+)?)?|__index_level_\d+__|",
    re.IGNORECASE,
)


_WORD = re.compile(r"\w\w")  # TF-IDF knows no shorter ones
# Thai, Lao, Burmese, Khmer, Japanese and Chinese, which have no spaces between words.
_NO_SPACES = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u9fff]")


@dataclass(frozen=True)
class Column:
    """A column of a table, and what is made of it.

    Attributes
    ----------
    name : str or int
        The position if columns have no names.
    kind : str
        One of "number", "ranked", "boolean", "category", "text", "characters", "date";
        or, if it is left out, "constant", "identifier" or "dropped".
    what : str
        What is done with it, and why, in words.
    """

    name: str | int
    kind: str
    what: str

    @property
    def is_used(self) -> bool:
        """Whether features are made of it."""
        return self.kind not in USELESS


def column_kinds(
    X: Rows,
    *,
    names: Sequence[str] | None = None,
    drop: Iterable[Any] = (),
    number: Iterable[Any] = (),
    category: Iterable[Any] = (),
    text: Iterable[Any] = (),
    date: Iterable[Any] = (),
) -> list[Column]:
    """Decide what each column of a table is.

    Parameters
    ----------
    X : data frame or array-like of shape (n_samples, n_columns)
    names : sequence of str or None
        Of the columns of an array.
    drop, number, category, text, date : iterable of str or int
        Columns that are decided already, by name; by position if there are no names.

    Returns
    -------
    columns : list of Column
    """
    wanted = {
        "drop": drop,
        "number": number,
        "category": category,
        "text": text,
        "date": date,
    }
    asked: dict[str, Any] = {}
    for kind, those in wanted.items():
        for name in those:
            if name in asked:
                raise ValueError(
                    f"column {name!r} is asked for as {asked[name]} and as {kind}; "
                    f"decide on one."
                )
            asked[name] = kind
    columns = [
        _decide(name, column, asked.pop(name, None))
        for name, column in columns_of(X, names)
    ]
    if asked:
        known = ", ".join(repr(column.name) for column in columns[:10])
        more = ", ..." if len(columns) > 10 else ""
        raise ValueError(
            f"there is no column {next(iter(asked))!r}; the columns are {known}{more}."
        )
    return columns


def _decide(name: Any, column: Any, asked: str | None) -> Column:
    if asked == "drop":
        return Column(name, "dropped", "left out, as asked")
    kind = _type_of(column)
    if asked is not None:
        return _as_asked(name, column, kind, asked)
    if kind == "number":
        return _number(name, _numbers(column))
    if kind == "date":
        return _date(name, column)
    return _words(name, column, kind)


def _type_of(column: Any) -> str:
    """Return "number", "boolean", "date" or "words"."""
    if isinstance(column, np.ndarray):
        codes = {
            "b": "boolean",
            "i": "number",
            "u": "number",
            "f": "number",
            "M": "date",
        }
        if column.dtype == object:  # as an array of mixed columns has them
            types = {type(value) for value in column.tolist()}
            if types <= {float, int}:
                return "number"
            return "date" if types <= {datetime, type(None)} else "words"
        return codes.get(column.dtype.kind, "words")
    dtype = column.dtype
    if dtype.is_numeric():
        return "number"
    if isinstance(dtype, nw.Boolean):
        return "boolean"
    if isinstance(dtype, (nw.Date, nw.Datetime)):
        return "date"
    return "words"


def _as_asked(name: Any, column: Any, kind: str, asked: str) -> Column:
    fits = {"number": ("number", "boolean"), "date": ("date",)}
    if kind not in fits.get(asked, (kind,)):
        example = next(filter(None, words_of(column)), "")
        raise ValueError(
            f"column {name!r} is asked for as a {asked}, but has values such as "
            f"{example!r}; correct them, or ask for it as a category."
        )
    if asked == "number":
        return Column(name, "number", _scaled(_numbers(column)))
    if asked == "date":
        return _date(name, column)
    words = words_of(column)
    distinct = len(np.unique(words[words != ""]))
    if asked == "category":
        return Column(name, "category", _one_hot(distinct, words))
    return _text(name, words)


def _numbers(column: Any) -> np.ndarray:
    values = column if isinstance(column, np.ndarray) else column.to_numpy()
    return np.asarray(values, dtype=np.float64)


def _number(name: Any, values: np.ndarray) -> Column:
    known = values[~np.isnan(values)]
    if len(known) == 0:
        return Column(name, "constant", "left out: it is empty")
    if np.isinf(known).any():
        row = int(np.flatnonzero(np.isinf(values))[0]) + 1
        raise ValueError(
            f"column {name!r}, row {row}: {values[row - 1]:g} is no finite number; "
            f"leave the cell empty if it is missing."
        )
    least, most = known.min(), known.max()
    if least == most and len(known) == len(values):
        return Column(name, "constant", f"left out: it is always {least:g}")
    if _is_identifier(name, known):
        return Column(
            name, "identifier", "left out: an identifier, all numbers are different"
        )
    if _has_long_tail(known):
        missing = f"{_imputed(values)}, " if len(known) < len(values) else ""
        what = f"{missing}by rank: some values are very far from the others"
        return Column(name, "ranked", what)
    return Column(name, "number", _scaled(values))


def _has_long_tail(known: np.ndarray) -> bool:
    """Whether scaling by the variance would put most values at one point."""
    if len(known) < _LEAST_RANKED:
        return False
    low, middle, high = np.quantile(known, [0.25, 0.5, 0.75])
    farthest = max(known.max() - middle, middle - known.min())
    return 0 < _FAR * (high - low) < farthest


def _is_identifier(name: Any, known: np.ndarray) -> bool:
    """Whether these are the numbers of rows: whole, distinct, close together."""
    whole = len(known) >= _LEAST_ROWS and bool(np.all(known == np.rint(known)))
    if not whole or len(np.unique(known)) < len(known):
        return False
    close = known.max() - known.min() < _FILLED * len(known)
    return close or _named_so(name)


def _named_so(name: Any) -> bool:
    return isinstance(name, str) and _NAMES.fullmatch(name.strip()) is not None


def _scaled(values: np.ndarray) -> str:
    if not np.isnan(values).any():
        return "centred and scaled"
    return f"{_imputed(values)}, centred and scaled"


def _imputed(values: np.ndarray) -> str:
    missing = int(np.isnan(values).sum())
    return f"{_count(missing, 'missing value')} imputed and flagged"


def _date(name: Any, column: Any) -> Column:
    values = np.asarray(
        column if isinstance(column, np.ndarray) else column.to_numpy()
    ).astype("datetime64[s]")
    known = values[~np.isnat(values)]
    if len(known) == 0:
        return Column(name, "constant", "left out: it is empty")
    if len(known) == len(values) and known.min() == known.max():
        return Column(name, "constant", f"left out: it is always {known[0]}")
    return Column(name, "date", "day, month, weekday and hour, centred and scaled")


def _words(name: Any, column: Any, kind: str) -> Column:
    words = words_of(column)
    known = words[words != ""]
    values = np.unique(known)
    rows, distinct = len(known), len(values)
    if distinct == 0:
        return Column(name, "constant", "left out: it is empty")
    if distinct == 1 and rows == len(words):
        return Column(name, "constant", f"left out: it is always {_short(values[0])}")
    if kind == "boolean":
        return Column(name, "boolean", "0 or 1")
    length = _mean_length(values)
    long = length >= _SENTENCE
    if distinct <= _FEW and (not long or rows >= _REPEATS * distinct):
        if distinct < rows or rows < _LEAST_ROWS:
            return Column(name, "category", _one_hot(distinct, words))
    elif rows >= _REPEATS * distinct and not long:
        return Column(name, "category", _one_hot(distinct, words))
    if distinct == rows and (length < 1.5 or not _have_letters(values)):
        return Column(
            name, "identifier", "left out: an identifier, all values are different"
        )
    return _text(name, words)


def _have_letters(values: np.ndarray) -> bool:
    """Whether one of these has words; numbers of telephones and the like have none."""
    return any(letter.isalpha() for value in values for letter in value)


def _one_hot(distinct: int, words: np.ndarray) -> str:
    missing = int((words == "").sum())
    more = f", {_count(missing, 'missing cell')} as one more" if missing else ""
    rare = (
        f", the {MOST_CATEGORIES:,} most frequent (drop it, or name it as text, if "
        f"these tell little)"
        if distinct > MOST_CATEGORIES
        else ""
    )
    return f"one-hot, {_count(distinct, 'value')}{rare}{more}"


def _text(name: Any, words: np.ndarray) -> Column:
    known = [word for word in words if word]
    if len(known) < min(_LEAST_TEXTS, (len(words) + 1) // 2):
        filled = _count(len(known), "row")
        return Column(name, "constant", f"left out: only {filled} filled in")
    length = _mean_length(known)
    with_words = sum(bool(_WORD.search(word)) for word in known)
    without_spaces = sum(bool(_NO_SPACES.search(word)) for word in known)
    few = max(len(known) - with_words, without_spaces) > len(known) / 2
    if length < _WORDS or few:
        return Column(name, "characters", "TF-IDF of characters")
    return Column(name, "text", f"TF-IDF of words, {length:.0f} a row")


def _mean_length(texts: Iterable[str]) -> float:
    """Return the mean number of words, two letters for each if no spaces tell."""
    lengths = [len(text.split()) + len(_NO_SPACES.findall(text)) // 2 for text in texts]
    return float(np.mean(lengths or [0]))


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _short(word: str) -> str:
    return repr(word if len(word) <= 20 else word[:17] + "...")
