"""Every source becomes a store with the same rows, in one pass, or nothing at all."""

import bz2
import gzip
import lzma

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from problems import make_problem, make_sparse_problem
from row_store_problems import in_chunks, make_store, row_keys

from polymargin import convert, load_data, open_rows, save_data

# So little that rows are shuffled in files, and some of these again.
LITTLE = {"memory_limit": "4kB", "segment_size": "2kB"}


def assert_same(store, X, y, weights=None):
    found = open_rows(store.path).load()
    assert store.shape == X.shape
    assert row_keys(found.X, found.y, found.weights) == row_keys(X, y, weights)


@pytest.mark.parametrize("name", ["d.svm", "d.csv", "d.tsv", "d.npz", "d.parquet"])
@pytest.mark.parametrize("options", [{}, LITTLE], ids=["at once", "in parts"])
@pytest.mark.parametrize("labels", ["numbers", "words"])
def test_files(tmp_path, name, options, labels):
    X, y = make_problem(n=150, d=5, k=4)
    X[X < 0] = 0
    y = y if labels == "numbers" else np.array(["ape", "bee", "cat", "dög"])[y]
    path = tmp_path / name
    if name.endswith("parquet"):
        pd = pytest.importorskip("pandas")
        pytest.importorskip("pyarrow")
        columns = {f"x{j}": X[:, j] for j in range(5)} | {"label": y}
        pd.DataFrame(columns).to_parquet(path)
    else:
        save_data(X, y, path)
    store = convert(path, tmp_path / "a.rows", **options)
    assert_same(store, X, y)
    assert store.classes.tolist() == np.unique(y).tolist()
    assert store.class_counts.tolist() == np.unique(y, return_counts=True)[1].tolist()
    if not name.endswith("svm"):
        data = load_data(path)
        assert store.feature_names == data.feature_names
    assert (
        list(tmp_path.iterdir()) == [path, store.path]
        or len(list(tmp_path.iterdir())) == 2
    )


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed_text(tmp_path, pack):
    X, y = make_problem(n=150, d=5, k=4)
    save_data(X, y, tmp_path / "d.svm")
    packed = pack((tmp_path / "d.svm").read_bytes())
    assert_same(convert(packed, tmp_path / "a.rows", **LITTLE), X, y)
    with pytest.raises(ValueError, match="broken or cut off"):
        convert(packed[:-20], tmp_path / "b.rows", **LITTLE)


def test_zstandard(tmp_path):
    zstandard = pytest.importorskip("zstandard")
    X, y = make_problem(n=150, d=5, k=4)
    save_data(X, y, tmp_path / "d.svm")
    text = (tmp_path / "d.svm").read_bytes()
    pack = zstandard.ZstdCompressor().compress
    packed = pack(text[:1000]) + pack(text[1000:])
    assert_same(convert(packed, tmp_path / "a.rows", **LITTLE), X, y)
    with pytest.raises(ValueError, match="broken or cut off"):
        convert(packed[:-20], tmp_path / "b.rows", **LITTLE)


@pytest.mark.parametrize("dense", [True, False])
def test_npz_of_sparse_rows(tmp_path, dense):
    X, y = make_sparse_problem(n=200, d=50, k=3)
    save_data(X.toarray() if dense else X, y, tmp_path / "d.npz")
    store = convert(tmp_path / "d.npz", tmp_path / "a.rows", **LITTLE)
    assert store.sparse  # which is what it is best as
    assert_same(store, X, y)


@settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    X=arrays(
        st.sampled_from([np.float32, np.float64]),
        st.tuples(st.integers(1, 60), st.integers(1, 8)),
        elements=st.sampled_from([0.0, 0.0, 1.0, -2.5, 1e-30]),
    ),
    sparse=st.booleans(),
    layout=st.sampled_from(["auto", "csr", "dense"]),
    labelled=st.booleans(),
    weighted=st.booleans(),
    size=st.integers(1, 70),
    limit=st.sampled_from(["8kB", "1GB"]),
    data=st.data(),
)
def test_chunks(
    tmp_path_factory, X, sparse, layout, labelled, weighted, size, limit, data
):
    folder = tmp_path_factory.mktemp("chunks")
    n = len(X)
    labels = st.sampled_from([[3, -1], ["a", "ß"], [0.5, 2.5], [True, False]])
    y = None
    if labelled:
        y = np.array(data.draw(labels))[np.arange(n) % 2]
    weights = np.arange(n) / 4 if weighted else None
    rows = sp.csr_array(X) if sparse else X
    chunks = in_chunks(rows, y, weights, size)
    store = convert(
        chunks, folder / "a.rows", layout=layout, memory_limit=limit, segment_size=300
    )
    assert_same(store, X, y, weights)
    assert store.dtype == X.dtype
    if layout != "auto":
        assert store.sparse == (layout == "csr")
    if labelled:
        assert store.classes.dtype.kind == y.dtype.kind


def test_rows_are_shuffled(tmp_path):
    """Also where a source is sorted and does not fit: every segment has all classes."""
    n = 2000
    X, y = np.arange(n, dtype=float)[:, None], np.repeat(np.arange(4), n // 4)
    for number, limit in enumerate(["1GB", "20kB"]):
        options = {"memory_limit": limit, "segment_size": "8kB"}
        store = make_store(tmp_path, X, y, name=f"{number}.rows", **options)
        for rows in store.segments():
            counts = np.bincount(rows.y, minlength=4)
            expected = len(rows.y) / 4
            assert np.abs(counts - expected).max() < 5 * np.sqrt(expected)
        order = store.load().X[:, 0].toarray() if store.sparse else store.load().X[:, 0]
        assert abs(np.corrcoef(order.ravel(), np.arange(n))[0, 1]) < 0.1


def test_same_seed_same_store(tmp_path):
    X, y = make_problem(n=300, d=4)
    stores = [
        make_store(tmp_path, X, y, name=f"{i}.rows", random_state=seed, **LITTLE)
        for i, seed in enumerate([1, 1, 2])
    ]
    first, second, third = (store.load().X.tolist() for store in stores)
    assert first == second != third


@pytest.mark.parametrize(
    ("text", "zero_based", "expected"),
    [
        (b"1 1:2\n" * 40 + b"2 3:4\n", False, [3.0]),
        (b"1 1:2\n" * 40 + b"2 0:1 3:4\n", True, [4.0]),
    ],
)
def test_first_index_is_known_at_the_end(tmp_path, text, zero_based, expected):
    store = convert(text, tmp_path / "a.rows", memory_limit=100, segment_size=1000)
    assert store.header.zero_based is zero_based
    assert [store.n_features] == expected
    data = load_data(text)
    assert_same(store, data.X, data.y)


def test_labels_of_text_may_become_words_late(tmp_path):
    text = b"1 1:1\n2 1:2\n" * 20000 + b"other 1:3\n"
    store = convert(text, tmp_path / "a.rows", memory_limit="600kB")
    assert store.classes.tolist() == ["1", "2", "other"]
    assert store.class_counts.tolist() == [20000, 20000, 1]


def test_errors_tell_the_line_of_the_file(tmp_path):
    lines = [b"1 1:1"] * 30000 + [b"1 1:x"] + [b"1 1:1"] * 1000
    with pytest.raises(ValueError, match="line 30001, column 5: expected"):
        convert(b"\n".join(lines), tmp_path / "a.rows", memory_limit="600kB")
    lines = [b"a,label"] + [b"1,2"] * 60000 + [b"x,2"] + [b"1,2"]
    with pytest.raises(ValueError, match=r"line 60002.* in column 'a'"):
        convert(b"\n".join(lines), tmp_path / "a.rows", memory_limit="600kB")
    assert list(tmp_path.iterdir()) == []


def failing(X, y):
    yield X, y
    yield X, y
    raise OSError("the connection is lost")


@pytest.mark.parametrize("options", [{}, LITTLE], ids=["at once", "in parts"])
def test_a_generator_that_raises_leaves_nothing(tmp_path, options):
    X, y = make_problem()
    with pytest.raises(OSError, match="connection"):
        convert(failing(X, y), tmp_path / "a.rows", **options)
    assert list(tmp_path.iterdir()) == []


def test_what_is_there_stays_unless_asked(tmp_path):
    X, y = make_problem()
    store = make_store(tmp_path, X, y)
    with pytest.raises(FileExistsError, match="overwrite=True"):
        make_store(tmp_path, 2 * X, y)
    with pytest.raises(OSError, match="connection"):
        convert(failing(X, y), store.path, overwrite=True)
    assert_same(store, X, y)
    assert_same(make_store(tmp_path, 2 * X, y, overwrite=True), 2 * X, y)
    (tmp_path / "precious").mkdir()
    with pytest.raises(FileExistsError, match="no row store"):
        make_store(tmp_path, X, y, name="precious", overwrite=True)


X2 = np.ones((3, 2))


@pytest.mark.parametrize(
    ("chunks", "message"),
    [
        ([(X2, [1, 2])], "chunk 0.* 3 rows, but there are 2 labels"),
        ([(X2, [1, 2, 3], [1, 2])], "but there are 2 weights"),
        ([(X2, [1, 2, 3], [1, 2, -1])], "weights has -1; give finite ones"),
        ([(X2, [1, 2, 3]), (np.ones((3, 3)), [1, 2, 3])], "chunk 1.* has 3 features"),
        ([(X2, [1, 2, 3]), (X2, None)], "chunk 1.* a label or none"),
        ([(X2, [1, 2, 3]), (X2, ["a", "b", "c"])], "numbers in some .* words"),
        ([(X2.astype("f4"), [1, 2, 3]), (X2, [1, 2, 3])], "X is float64, those before"),
        ([(X2, [1, 2, 3]), (sp.csr_array(X2), [1, 2, 3])], "sparse in some chunks"),
        ([(X2 * np.nan, [1, 2, 3])], "chunk 0.*NaN"),
        ([(X2, [0.5, np.nan, 1])], "chunk 0.*missing or not finite"),
        ([X2], "chunk 0, counted from 0, is ndarray"),
        ([], "source has no rows; give one"),
        (7, "source=7 cannot be read; give a file, or an iterable"),
    ],
)
def test_wrong_chunks(tmp_path, chunks, message):
    with pytest.raises((ValueError, TypeError), match=message):
        convert(chunks, tmp_path / "a.rows")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"layout": "coo"}, "layout='coo'"),
        ({"segment_size": "many"}, "segment_size='many' is not a number of bytes"),
        ({"block_size": "many"}, "block_size='many' is not a number of bytes"),
        ({"memory_limit": -1}, "memory_limit=-1 is not a number of bytes"),
        ({"dtype": "int8"}, "dtype='int8'"),
    ],
)
def test_wrong_arguments(tmp_path, options, message):
    with pytest.raises(ValueError, match=message):
        convert(b"1 1:1\n", tmp_path / "a.rows", **options)


def test_given_features(tmp_path):
    store = convert(b"1 1:1\n2 3:1\n", tmp_path / "a.rows", n_features=7)
    assert store.n_features == 7
    with pytest.raises(ValueError, match="n_features=2, but"):
        convert(b"1 1:1\n2 9:1\n", tmp_path / "b.rows", n_features=2)
    for text in (b"1 0:1\n2 2:1\n", b"1 1:1\n2 3:1\n"):
        with pytest.raises(ValueError, match="n_features=2, but"):
            convert(text, tmp_path / "b.rows", n_features=2)
