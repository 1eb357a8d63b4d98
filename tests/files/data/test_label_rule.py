"""One rule for labels: every reader makes the same of the same ones."""

import io

import numpy as np
import pytest

from polymargin import convert, load_data
from polymargin.files.data.label_rule import labels_like, simplest_labels
from polymargin.files.data.train_and_test import load_together

BIG = 2**53
CASES = {
    ("1", "2", "10"): [1, 2, 10],
    ("01", "2", "1e1"): [1, 2, 10],
    ("1.0", "+2", "-0"): [1, 2, 0],
    ("0.5", "1", "2"): [0.5, 1.0, 2.0],
    (".5", "5.", "1E-3"): [0.5, 5.0, 0.001],
    ("01", "02", "unknown"): ["01", "02", "unknown"],
    ("1", "1_000", "2"): ["1", "1_000", "2"],
    ("0x10", "1", "2"): ["0x10", "1", "2"],
    ("\u0661", "1", "2"): ["\u0661", "1", "2"],
    (f"{BIG + 1}", f"{BIG}", "1"): [BIG + 1, BIG, 1],
    (f"-{BIG + 1}", f"-{BIG}", "1"): [-BIG - 1, -BIG, 1],
    (f"{BIG + 1}.0", f"{BIG}", "1"): [BIG + 1, BIG, 1],
    (f"{BIG + 1}", f"{BIG}", "0.5"): [f"{BIG + 1}", f"{BIG}", "0.5"],
    (f"{BIG + 1}", "0.5", "1"): [float(BIG), 0.5, 1.0],
    (f"{BIG}", "0.5", "1"): [float(BIG), 0.5, 1.0],
    (f"{2**63 - 1}", f"{-(2**63)}", "1"): [2**63 - 1, -(2**63), 1],
    (f"{2**64 - 1}", f"{2**64 - 2}", "1"): [2**64 - 1, 2**64 - 2, 1],
    (f"{2**64 - 1}", f"{2**64 - 2}", "-1"): [f"{2**64 - 1}", f"{2**64 - 2}", "-1"],
    ("9" * 20, "9" * 19 + "8", "1"): ["9" * 20, "9" * 19 + "8", "1"],
    ("1e300", "1", "2"): [1e300, 1.0, 2.0],
}


def svmlight(words) -> bytes:
    return "".join(f"{word} 1:{i + 1}\n" for i, word in enumerate(words)).encode()


def csv(words) -> bytes:
    lines = [f"{i},{word}\n" for i, word in enumerate(words)]
    return "".join(["x,label\n", *lines]).encode()


def npz(words) -> bytes:
    file = io.BytesIO()
    X = np.arange(len(words), dtype=float)[:, None]
    np.savez(file, X=X, y=np.array(words))
    return file.getvalue()


def parquet(words) -> bytes:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    file = io.BytesIO()
    table = pa.table({"x": np.arange(len(words), dtype=float), "label": list(words)})
    pyarrow.parquet.write_table(table, file)
    return file.getvalue()


FORMATS = {"svmlight": svmlight, "csv": csv, "npz": npz, "parquet": parquet}


@pytest.mark.parametrize("words", CASES)
def test_rule(words):
    labels = simplest_labels(np.array(words)).tolist()
    assert labels == CASES[words]
    assert list(map(type, labels)) == list(map(type, CASES[words]))


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("words", CASES)
def test_readers(words, form):
    y = load_data(FORMATS[form](words), format=form).y.tolist()
    assert y == CASES[words]
    assert list(map(type, y)) == list(map(type, CASES[words]))


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("words", CASES)
def test_readers_of_parts(words, form, tmp_path):
    """The words come late, in a part of their own."""
    many = [words[0], words[1]] * 20000 + [words[2]]
    content = FORMATS[form](many)
    y = load_data(content, format=form).y
    store = convert(content, tmp_path / "a.rows", format=form, memory_limit="1MB")
    classes, counts = np.unique(y, return_counts=True)
    assert store.classes.tolist() == classes.tolist()
    assert store.classes.dtype.kind == classes.dtype.kind
    assert store.class_counts.tolist() == counts.tolist()


def test_random_files_agree(tmp_path):
    """All readers on random labels, a few of which are odd."""
    random = np.random.default_rng(0)
    plain = ["0", "1", "2", "-1", "3.0", "01", "007", "1e2", "0.5", "+4"]
    odd = ["a", "1_0", f"{BIG + 1}", f"{BIG}", f"{2**64}", "1e", "é", "--1", "1.5.2"]
    for _ in range(150):
        words = random.choice(plain, 12).tolist()
        if random.random() < 0.5:
            words[random.integers(12)] = random.choice(odd).item()
        found = {}
        for form, write in FORMATS.items():
            data = load_data(write(words), format=form)
            found[form] = data.y.dtype.kind, data.y.tolist()
            data = convert(
                write(words), tmp_path / "a.rows", format=form, overwrite=True
            )
            classes = np.unique(found[form][1]).tolist()
            assert data.classes.tolist() == classes, (form, words)
        assert all(labels == found["svmlight"] for labels in found.values()), words


def test_number_with_many_digits_is_no_label():
    with pytest.raises(ValueError, match="line 1, column 1: expected a label"):
        load_data(b"0" * 300 + b"1 1:1\n")


def test_bytes_that_are_no_text():
    file = io.BytesIO()
    np.savez(file, X=np.ones((2, 1)), y=np.array([b"\xff", b"a"]))
    with pytest.raises(ValueError, match="labels that are not in UTF-8"):
        load_data(file.getvalue())


def test_files_of_one_problem(tmp_path):
    train, test = load_together([svmlight(["01", "02"]), svmlight(["01", "new"])])
    assert train.y.tolist() == ["01", "02"]
    assert test.y.tolist() == ["01", "new"]
    train, test = load_together([svmlight(["01", "02"]), svmlight(["1", "3"])])
    assert (train.y.tolist(), test.y.tolist()) == ([1, 2], [1, 3])


@pytest.mark.parametrize(
    ("classes", "written", "expected"),
    [
        (["01", "02"], ["01", "02"], ["01", "02"]),
        (["01", "02"], ["1", "x"], ["1", "x"]),
        ([1, 2], ["01", "2.0"], [1, 2]),
        ([1, 2], ["01", "x"], [1, "x"]),
        ([0.5, 2.0], [".5", "2", "x"], [0.5, 2, "x"]),
        (["1", "2"], [1, 2.0], ["1", "2"]),
        ([1, 2], [1.0, 3.0], [1, 3]),
        ([BIG + 1, 1], [f"{BIG + 1}", f"{BIG}"], [BIG + 1, BIG]),
        ([BIG + 1, 1], [f"{BIG + 1}", "x"], [BIG + 1, "x"]),
    ],
)
def test_labels_in_the_terms_of_a_model(classes, written, expected):
    found = labels_like(np.array(written), np.array(classes))
    assert found.tolist() == expected
