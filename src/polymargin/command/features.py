"""Features of the command line: what is made of columns before a machine sees them."""

from dataclasses import dataclass, replace

from .exit_status import UsageError
from .standard_streams import note

_MOST_SHOWN = 20  # columns, unless --columns asks for all
# Rows that are not of a table are scaled if values are larger than this.
_LARGE = 10.0
_MOST_CLASSES = 5  # to name
_WIDEST = 30  # letters of a name to show
_LEAST_ROWS = 10  # to say that labels which are all different are none
ASKED = ("drop", "number", "category", "text")


@dataclass(frozen=True)
class Features:
    """How features are made of data.

    Attributes
    ----------
    transformer : transformer or None
        None: they are as they come.
    columns : list of Column
        Of a table; of other rows none.
    what : str
        In words, if they are not of a table.
    """

    transformer: object = None
    columns: tuple = ()
    what: str = ""

    def pipeline(self, machine, names=None):
        """Return a pipeline with a machine; the machine alone if there is none.

        It keeps the names of its features, if there are any.
        """
        import numpy as np
        from sklearn.pipeline import Pipeline

        if self.transformer is None:
            if names is not None:
                machine.feature_names_in_ = np.asarray(names, dtype=object)
            return machine
        return Pipeline([("columns", self.transformer), ("machine", machine)])

    def fit(self, data):
        """Return data with features, and remember names; the transformer is fitted."""
        import numpy as np

        if self.transformer is None:
            return data.X
        X = self.transformer.fit_transform(data.X, data.y)
        if data.feature_names is not None:
            names = np.asarray(data.feature_names, dtype=object)
            self.transformer.feature_names_in_ = names
        return X

    def known_to(self, data):
        """Return data that knows which of its columns nothing is made of."""
        unused = tuple(str(c.name) for c in self.columns if not c.is_used)
        return replace(data, unused=unused)

    def with_label(self, data):
        """Return the same with a column more, that of the labels."""
        from ..files.data.label_rule import label_texts
        from ..tables.column_kinds import Column
        from .estimator_choice import classes_of

        classes = label_texts(classes_of(data))
        shown = ", ".join(classes[:_MOST_CLASSES])
        more = ", ..." if len(classes) > _MOST_CLASSES else ""
        what = f"{len(classes):,} classes: {shown}{more}"
        label = Column(data.label_name or "(no name)", "label", what)
        return replace(self, columns=(*self.columns, label))

    def lines(self, everything: bool = False) -> list[str]:
        """Return a line for each column."""
        columns = self.columns
        if not everything and len(columns) > _MOST_SHOWN:
            columns = [column for column in columns if column.kind != "number"]
        shown = columns if everything else columns[:_MOST_SHOWN]
        names = [_shortened(str(column.name)) for column in shown]
        width = max(map(len, names), default=0)
        lines = [
            f"{name:<{width}}  {column.kind:<10}  {column.what}"
            for name, column in zip(names, shown, strict=True)
        ]
        left = len(self.columns) - len(lines)
        if left:
            numbers = sum(column.kind == "number" for column in self.columns)
            numbers -= sum(column.kind == "number" for column in shown)
            rest = [f"{numbers:,} numbers"] if numbers else []
            rest += [f"{left - numbers:,} others"] if left > numbers else []
            lines.append(f"and {' and '.join(rest)}, which --columns shows")
        return lines

    def as_dicts(self) -> list[dict]:
        """Return what is made of columns, for JSON."""
        return [vars(column) for column in self.columns]


def _shortened(name: str) -> str:
    return name if len(name) <= _WIDEST else name[: _WIDEST - 3] + "..."


def make_features(arguments, data) -> Features:
    """Decide what is made of the columns of data, as the options say."""
    asked = {name: getattr(arguments, name, []) for name in ASKED}
    if not data.is_table or arguments.as_is:
        for name, columns in asked.items():
            if columns:
                raise UsageError(
                    f"--{name} is for columns of a table, and {arguments.data} is "
                    f"{'taken as it is' if data.is_table else 'none'}; leave it out."
                )
        if data.is_table and data.types is not None:
            raise ValueError(
                f"{arguments.data} has columns that are no numbers, or missing cells; "
                f"leave out --as-is."
            )
        return Features() if arguments.as_is else _of_rows(data)
    return _of_table(data, asked, arguments.data)


def _of_table(data, asked: dict, source: str) -> Features:
    from ..tables.column_kinds import column_kinds
    from ..tables.recipe import make_recipe

    array = data.types is None
    names = data.feature_names
    if array and names is None:
        names = [str(position) for position in range(data.X.shape[1])]
    try:
        columns = column_kinds(data.X, names=names, **asked)
        recipe = make_recipe(columns, by_position=array)
    except ValueError as error:
        raise ValueError(f"{source}: {error}") from error
    return Features(recipe, tuple(columns))


def _of_rows(data) -> Features:
    """Rows of svmlight text or arrays: as they are unless values are large."""
    import numpy as np
    import scipy.sparse as sp
    from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler

    from .estimator_choice import is_stored

    if is_stored(data.X):
        return Features(what="as they are")
    values = data.X.data if sp.issparse(data.X) else data.X
    largest = float(np.abs(values).max(initial=0.0))
    if largest <= _LARGE:
        return Features(what="as they are")
    if sp.issparse(data.X):
        scaler, what = MaxAbsScaler(), "divided by the largest of each"
    else:  # a year tells nothing if it is divided by 2024
        scaler, what = MinMaxScaler(), "moved to the range from 0 to 1"
    note(
        f"values up to {largest:.4g}: features are {what}; --as-is leaves them as they "
        f"are."
    )
    return Features(scaler, what=what)


def _are_numbers_of_something(data, distinct: int) -> bool:
    """Whether the labels of a table are whole numbers with two rows each at most."""
    y = data.y
    whole = data.is_table and y.dtype.kind in "iu" and len(y) >= 2 * _LEAST_ROWS
    return whole and len(y) / 2 < distinct < len(y)


def check_labels(data, source: str) -> None:
    """Say so if the column of the labels has numbers that cannot be classes."""
    import numpy as np

    y = data.y
    if y is None:
        return
    name = data.label_name
    where = f" in column {_shortened(name)!r}" if name else ""
    distinct = len(np.unique(y))
    if distinct == 1:
        raise ValueError(
            f"{source}: got one class only: {y[0]}{where}; a machine needs rows of two "
            f"at least, or another --label."
        )
    if _are_numbers_of_something(data, distinct):
        raise ValueError(
            f"{source} has {distinct:,} different numbers{where} in {len(y):,} rows, "
            f"such as {y[0]}, which are no classes; name the column of the labels with "
            f"--label, or put the numbers into groups."
        )
    if distinct == len(y) >= _LEAST_ROWS and y.dtype.kind != "f":
        raise ValueError(
            f"{source} has another label{where} in each of its {len(y):,} rows, such "
            f"as {_shortened(str(y[0]))}, which are no classes; name the column of the "
            f"labels with --label{_hint(data)}."
        )
    if y.dtype.kind != "f":
        return
    example = next((label for label in y.tolist() if label % 1), y[0])
    raise ValueError(
        f"{source} has {distinct:,} different labels{where} in {len(y):,} rows, such "
        f"as {example:g}, which are no classes; name the column of the labels with "
        f"--label{_hint(data)}."
    )


def _hint(data) -> str:
    """Name the first column of words that occur again and again, if there is one."""
    for name, kind in data.types or ():
        if kind == "words" and 2 * len(data.X[name].unique()) <= len(data.X):
            return f", perhaps --label {name}"
    return ""
