"""Data files: whatever is in them, rows are finite and agree with their labels, or one
sentence says what is wrong.
"""

import bz2
import gzip
import io
import json
import lzma
import random
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from harness import Attack
from mutations import mutated

from polymargin import convert, load_data
from polymargin.access.csr import check_compressed
from polymargin.files.data.columns import load_columns
from polymargin.tables.column_kinds import column_kinds

try:
    import pyarrow as pa
    import pyarrow.parquet
except ImportError:
    pa = None

NUMBERS = ["0", "1", "-1", "2.5", "1e300", "1e-300", "1e400", "nan", "inf", "-0", "+3"]
NUMBERS += [
    "007",
    ".5",
    "5.",
    "1e",
    "--1",
    "0x10",
    f"{2**53 + 1}",
    f"{2**64}",
    "9" * 40,
]
NAMES = ["a", "é", "b c", "", "x" * 300, "1_0", "True", "\u0661", "None", "'", '"']
WORDS = [word.encode() for word in [*NUMBERS, *NAMES]]
SVMLIGHT = [
    *WORDS,
    b" ",
    b"\n",
    b"\r\n",
    b":",
    b"#",
    b"1:1",
    b"qid:3 ",
    b"2147483648:1",
]
SVMLIGHT += [b"576460752303423489:1", b"0:1", b"\0", b"\xff", b"1,2 1:1\n", b"\t"]
TABLE = [*WORDS, b",", b"\n", b'"', b'""', b"\t", b";", b"\r", b'"a,b"', b"\0", b"\xff"]
PACKERS = [lambda content: content] * 12 + [gzip.compress, bz2.compress, lzma.compress]


def read(content: bytes, rng: random.Random, **options) -> str:
    """Read bytes, and check what comes of it."""
    options |= rng.choice(({}, {}, {"dtype": np.float32}, {"n_jobs": 2}))
    options |= rng.choice(({}, {}, {}, {"n_features": 7}, {"unpacked_limit": "1MB"}))
    try:
        data = load_data(content, **options)
    except (ValueError, MemoryError) as error:
        assert str(error) and len(str(error)) < 3000, error
        return "refused"
    X, y = data.X, data.y
    assert X.ndim == 2 and 0 not in X.shape
    assert X.dtype in (np.float32, np.float64)
    check_compressed(X)
    assert np.isfinite(X.data if sp.issparse(X) else X).all()
    if y is not None:
        assert y.shape == (X.shape[0],) and y.dtype.kind in "iufUb", y.dtype
        assert y.dtype.kind != "f" or np.isfinite(y).all()
    assert data.feature_names is None or len(data.feature_names) == X.shape[1]
    return "read"


def svmlight(rng: random.Random, folder: Path) -> str:
    def line():
        count = rng.choice((0, 1, 1, 3, 6))
        at = sorted(rng.sample(range(1, 40), count))
        entries = [f"{i}:{rng.choice(NUMBERS[:5])}" for i in at]
        return " ".join([rng.choice([*NUMBERS[:8], "a", "b"]), *entries])

    lines = [line() for _ in range(rng.randrange(8))]
    content = "\n".join(lines).encode() + rng.choice((b"", b"\n"))
    content = rng.choice(PACKERS)(mutated(content, SVMLIGHT, rng))
    choice = rng.choice(("auto", True, False))
    return read(content, rng, format="svmlight", zero_based=choice)


def table(rng: random.Random, folder: Path) -> str:
    columns, mark = rng.randrange(1, 6), rng.choice(",,,\t;")

    def row(words):
        return mark.join(rng.choice(words) for _ in range(columns))

    rows = [row(NUMBERS[:6]) for _ in range(rng.randrange(8))]
    head = [row(NAMES)] if rng.random() < 0.5 else []
    content = "\n".join([*head, *rows]).encode() + rng.choice((b"", b"\n"))
    content = rng.choice(PACKERS)(mutated(content, TABLE, rng))
    label = rng.choice((None, None, False, 0, -1, "a", 99))
    return read(content, rng, format=rng.choice(("csv", "tsv")), label=label)


CELLS = [*NUMBERS, *NAMES, "2020-01-01", "2020-13-40", "NA", "yes", "no", "a,b", '"']
CELLS += ["1.5", "2", "3", "red", "green", "12:30", "\ufeff", "1 000", "5%", "=1+1"]


def mixed(rng: random.Random, folder: Path) -> str:
    """Tables with more than numbers, as `polymargin train` reads them."""
    if pa is None:
        return "skipped"
    columns, mark = rng.randrange(1, 6), rng.choice(",,,\t;")
    kinds = [rng.sample(CELLS, rng.choice((1, 2, 5))) for _ in range(columns)]

    def row():
        words = [rng.choice(kind) for kind in kinds]
        return mark.join(f'"{word}"' if rng.random() < 0.2 else word for word in words)

    head = [mark.join(rng.sample(["a", "b", "label", "", "é", "id", "3"], columns))]
    content = "\n".join([*head, *(row() for _ in range(rng.randrange(9)))]).encode()
    content = rng.choice(PACKERS)(mutated(content, TABLE, rng))
    options = {"format": "tsv" if mark == "\t" else "csv"}
    options |= {"label": rng.choice((None, None, "label", 0, -1, "none", 99))}
    options |= {"encoding": rng.choice((*["utf-8"] * 7, "latin-1", "cp037", "no"))}
    return read_table(content, **options)


def written(rng: random.Random, folder: Path) -> str:
    """JSON and ARFF."""
    if pa is None:
        return "skipped"
    names = rng.sample(["a", "b", "label", "", "é", "'", "3"], rng.randrange(1, 6))
    kind = rng.choice(("json", "arff"))
    if kind == "arff":
        types = ["real", "string", "{a, 'b c', 1}", "date", "relational", "NUMERIC"]
        head = [f"@attribute '{name}' {rng.choice(types[:5])}" for name in names]
        cells = ["'a, b'", "?", '"x"', "%", "{0 1}", *CELLS]
        rows = [",".join(rng.choice(cells) for _ in names) for _ in range(5)]
        content = "\n".join(["@relation r", *head, "@data", *rows]).encode()
    else:
        values = [
            None,
            True,
            1,
            2.5,
            "red",
            "02134",
            "",
            [1],
            {"a": 1},
            1e999,
            "\ud800",
        ]
        most = rng.choice((7, 7, len(values)))
        rows = [
            {name: rng.choice(values[:most]) for name in names if rng.random() < 0.9}
            for _ in range(rng.randrange(6))
        ]
        columns = {name: [row.get(name) for row in rows] for name in names}
        lines = "\n".join(map(json.dumps, rows))
        content = rng.choice((json.dumps(rows), lines, json.dumps(columns))).encode()
    if rng.random() < 0.7:
        content = mutated(content, [*TABLE, b"{", b"]", b"\\u", b"@data", b"'"], rng)
    label = rng.choice((None, None, "label", 0, -1))
    return read_table(content, format=kind, label=label)


def read_table(content: bytes, **options) -> str:
    """Read a table of any columns, and check what comes of it."""
    try:
        data = load_columns(content, **options)
    except (ValueError, MemoryError) as error:
        assert str(error) and len(str(error)) < 3000, error
        return "refused"
    assert data.X.shape[0] > 0
    assert data.y is None or len(data.y) == data.X.shape[0]
    if isinstance(data.X, np.ndarray):
        assert np.isfinite(data.X).all()
        return "numbers"
    assert len(data.feature_names) == data.X.shape[1]
    try:
        found = column_kinds(data.X)
    except ValueError as error:  # such as an infinite number
        assert str(error), error
        return "no-columns"
    assert all(each.kind and each.name in data.feature_names for each in found)
    return "words"


def _array(rng: random.Random, rows: int) -> np.ndarray:
    """An array that may be what it should, or of any type and shape."""
    shape = rng.choice(((rows, 3), (rows,), (rows, 1), (0, 3), (), (rows, 2, 2), (5,)))
    dtype = rng.choice(("f8", "f4", "i8", "u1", "?", "U3", "c16", "f2", ">f8", "M8[s]"))
    generator = np.random.default_rng(rng.randrange(2**32))
    values = generator.integers(-3, 9, size=shape)
    array = np.asarray(values).astype(dtype)
    if array.dtype.kind == "f" and array.size and rng.random() < 0.2:
        array.reshape(-1)[0] = rng.choice((np.nan, np.inf, 6e4))
    return array


def npz(rng: random.Random, folder: Path) -> str:
    rows, arrays = rng.randrange(1, 6), {}
    if rng.random() < 0.5:
        arrays["X"] = np.ones((rows, 3))
        arrays["y"] = np.arange(rows)
    else:  # the parts of a CSR matrix
        X = sp.random(rows, 4, 0.5, format="csr", random_state=rng.randrange(99))
        parts = {"data": X.data, "indices": X.indices, "indptr": X.indptr}
        arrays |= parts | {"shape": np.array(X.shape), "y": np.arange(rows)}
        if rng.random() < 0.5:
            array = arrays[rng.choice(list(parts))]
            if len(array):
                odd = (-1, 0, 2**31 - 1, 2**20)
                array[rng.randrange(len(array))] = rng.choice(odd)
    for _ in range(rng.choice((0, 0, 1, 2))):
        arrays[rng.choice([*arrays, "X", "y", "format", "extra"])] = _array(rng, rows)
    file = io.BytesIO()
    rng.choice((np.savez, np.savez_compressed))(file, **arrays)
    content = file.getvalue()
    if rng.random() < 0.5:
        content = mutated(content, [b"PK\x03\x04", b"\x93NUMPY", b"'|O'", b"<f8"], rng)
    return read(rng.choice(PACKERS)(content), rng, format="npz")


def parquet(rng: random.Random, folder: Path) -> str:
    if pa is None:
        return "skipped"
    rows = rng.randrange(0, 6)

    def column():
        kind = rng.randrange(9)
        numbers = [rng.randrange(-3, 9) for _ in range(rows)]
        some = [None if rng.random() < 0.3 else n for n in numbers]
        if kind < 3:
            return pa.array([float(n) for n in numbers])
        if kind == 3:
            types = pa.int8(), pa.uint64(), pa.float16(), pa.decimal128(5, 1)
            unsigned = [abs(n) for n in numbers]
            values = np.array(unsigned, "f2") if rng.random() < 0.2 else unsigned
            chosen = (
                pa.float16() if isinstance(values, np.ndarray) else rng.choice(types)
            )
            return pa.array(
                values if chosen != pa.float16() else np.array(values, "f2")
            )
        if kind == 4:
            return pa.array(some)
        if kind == 5:
            return pa.array(
                [rng.choice(NAMES) for _ in range(rows)]
            ).dictionary_encode()
        if kind == 6:
            return pa.array([[n] for n in numbers])
        if kind == 7:
            return pa.array([{"a": n} for n in numbers])
        return pa.array(
            [rng.choice((1.5, float("nan"), float("inf"))) for _ in numbers]
        )

    names = rng.choices(["label", "x", "y", "", "é"], k=rng.randrange(1, 5))
    made = pa.Table.from_arrays([column() for _ in names], names=names)
    file = io.BytesIO()
    packed = rng.choice(("none", "snappy", "gzip"))
    pyarrow.parquet.write_table(
        made, file, compression=packed, row_group_size=rng.choice((1, 3, 100))
    )
    content = file.getvalue()
    if rng.random() < 0.6:
        content = mutated(content, [b"PAR1", b"\x15\x00", b"\x00" * 4], rng)
    return read(content, rng, format="parquet")


def _as_svmlight(words) -> bytes:
    return "".join(f"{word} 1:{i + 1}\n" for i, word in enumerate(words)).encode()


def _as_csv(words) -> bytes:
    return "".join(["x,label\n", *(f"{i},{w}\n" for i, w in enumerate(words))]).encode()


def _as_npz(words) -> bytes:
    file = io.BytesIO()
    np.savez(file, X=np.arange(len(words), dtype=float)[:, None], y=np.array(words))
    return file.getvalue()


def _as_parquet(words) -> bytes:
    file = io.BytesIO()
    numbers = np.arange(len(words), dtype=float)
    pyarrow.parquet.write_table(pa.table({"x": numbers, "label": words}), file)
    return file.getvalue()


WRITERS = {"svmlight": _as_svmlight, "csv": _as_csv, "npz": _as_npz}
if pa is not None:
    WRITERS["parquet"] = _as_parquet
PLAIN = ["0", "1", "2", "-1", "3.0", "01", "007", "1e2", "0.5", "+4"]
ODD = ["a", "1_0", f"{2**53 + 1}", f"{2**53}", f"{2**64}", "1e", "é", "--1", "1.5.2"]


def labels(rng: random.Random, folder: Path) -> str:
    """All readers make the same of the same labels, also those that read in parts."""
    words = rng.choices(PLAIN, k=12)
    for _ in range(rng.choice((0, 1, 1, 3))):
        words[rng.randrange(12)] = rng.choice(ODD)
    found = {}
    for form, write in WRITERS.items():
        y = load_data(write(words), format=form).y
        found[form] = y.dtype.kind, y.tolist()
    assert all(each == found["svmlight"] for each in found.values()), (words, found)
    if rng.random() < 0.05:
        form = rng.choice(list(WRITERS))
        store = convert(
            WRITERS[form](words), folder / "a.rows", format=form, overwrite=True
        )
        expected = np.unique(found[form][1]).tolist()
        assert store.classes.tolist() == expected, (form, words)
    return found["svmlight"][0]


ATTACKS = [
    Attack("svmlight", svmlight, 20_000),
    Attack("table", table, 20_000),
    Attack("mixed", mixed, 5000),
    Attack("written", written, 5000),
    Attack("npz", npz, 5000),
    Attack("parquet", parquet, 5000),
    Attack("labels", labels, 2000),
]
