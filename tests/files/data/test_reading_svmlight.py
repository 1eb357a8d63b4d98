"""svmlight text: the matrices of scikit-learn's reader, on any number of threads."""

import io
import signal

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_svmlight_file

from polymargin import load_data

NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(-1e6, 1e6).map("{:.4g}".format),
    st.integers(-(10**20), 10**20).map(str),
    st.tuples(st.integers(0, 10**18), st.integers(-40, 40)).map("{0[0]}e{0[1]}".format),
    st.from_regex(
        r"[+-]?[0-9]{1,30}\.[0-9]{0,30}([eE][+-]?[0-9]{1,2})?", fullmatch=True
    ),
)
ROWS = st.tuples(
    NUMBERS,
    st.sampled_from(["", " qid:7"]),
    st.lists(st.integers(0, 200), unique=True, max_size=8).map(sorted),
    st.lists(NUMBERS, min_size=8, max_size=8),
    st.sampled_from(["", " # 1:1", "\t", " \r", "\n", "\n# only this: 3\n \n"]),
)


def text_of(rows) -> bytes:
    lines = [
        label
        + query
        + "".join(f" {j}:{v}" for j, v in zip(indices, values, strict=False))
        + end
        for label, query, indices, values, end in rows
    ]
    return "\n".join(lines).encode()


def assert_same(data, X, y):
    """Every bit, the types of X aside: scikit-learn has wider indices."""
    assert data.X.shape == X.shape
    assert data.X.dtype == X.dtype
    for name in ("indptr", "indices"):
        np.testing.assert_array_equal(getattr(data.X, name), getattr(X, name))
    assert data.X.data.tobytes() == X.data.tobytes()
    assert data.X.has_sorted_indices
    # Whole numbers of too many digits stay as they are written.
    written = data.y.dtype.kind == "U" and np.asarray(y).dtype.kind != "U"
    found = data.y.astype(float) if written else data.y
    np.testing.assert_array_equal(found, y)


@given(
    rows=st.lists(ROWS, min_size=1, max_size=6),
    zero_based=st.sampled_from(["auto", True]),
    dtype=st.sampled_from([np.float64, np.float32]),
)
@settings(deadline=None, max_examples=200)
@example(rows=[("1", "", [], [], "")], zero_based="auto", dtype=np.float64)
def test_same_as_scikit_learn(rows, zero_based, dtype):
    text = text_of(rows)
    with np.errstate(over="ignore"):
        X, y = load_svmlight_file(io.BytesIO(text), zero_based=zero_based, dtype=dtype)
    options = {"format": "svmlight", "zero_based": zero_based, "dtype": dtype}
    if np.isfinite(X.data).all():
        assert_same(load_data(text, **options), X, y)
    else:  # too large for float32
        with pytest.raises(ValueError, match="finite in this dtype"):
            load_data(text, **options)


def random_text(n_rows, seed=0, words=False) -> bytes:
    rng = np.random.default_rng(seed)
    lines = []
    for i in range(n_rows):
        indices = np.unique(rng.integers(1, 5000, size=i % 30))
        values = rng.normal(size=len(indices))
        pairs = " ".join(
            f"{j}:{v:.{1 + j % 17}g}" for j, v in zip(indices, values, strict=True)
        )
        label = f"c{i % 7}" if words else i % 7
        lines.append(f"{label} {pairs}{' # 9:9' * (i % 11 == 0)}")
    return "\n".join(lines).encode()


@pytest.fixture(scope="module")
def long_text():
    text = random_text(10_000)
    assert len(text) > 8 * 2**18  # more chunks than threads
    return text


@pytest.mark.parametrize("words", [False, True])
def test_threads_do_not_show(long_text, words):
    text = random_text(10_000, words=True) if words else long_text
    one = load_data(text)
    assert len(np.unique(one.y)) == 7
    for threads in range(2, 9):
        many = load_data(text, n_jobs=threads)
        assert_same(many, one.X, one.y)
        assert many.y.dtype == one.y.dtype


def test_the_first_of_several_errors_is_shown_by_all_threads(long_text):
    lines = long_text.split(b"\n")
    for at in (4000, 6000, 9000):
        lines[at] = b"1 1:x"
    for threads in range(1, 9):
        with pytest.raises(ValueError, match="line 4001, column 5: expected a number"):
            load_data(b"\n".join(lines), n_jobs=threads)


def test_rows_and_indices_on_the_seams_of_chunks():
    """Chunks are cut at line ends, wherever these fall."""
    for extra in range(12):
        comment = b"#" + b"x" * (2**18 - 20 + extra) + b"\n"
        text = comment + b"1 1:1\n2 2:2\n" * 3 + comment + b"3 3:3"
        data = load_data(text, n_jobs=2)
        np.testing.assert_array_equal(data.y, [1, 2] * 3 + [3])
        np.testing.assert_array_equal(data.X.indices, [0, 1] * 3 + [2])


@pytest.mark.parametrize(
    ("text", "zero_based", "columns", "found"),
    [
        (b"1 1:5\n2 3:5", "auto", [0, 2], False),
        (b"1 0:5\n2 3:5", "auto", [0, 3], True),
        (b"1 1:5\n2 3:5", True, [1, 3], True),
        (b"1 1:5\n2 3:5", False, [0, 2], False),
    ],
)
def test_where_indices_begin(text, zero_based, columns, found):
    data = load_data(text, zero_based=zero_based)
    np.testing.assert_array_equal(data.X.indices, columns)
    assert data.X.shape == (2, columns[-1] + 1)
    assert data.zero_based is found


def test_number_of_features():
    assert load_data(b"1 3:1\n", n_features=10).X.shape == (1, 10)
    assert load_data(b"1\n2\n").X.shape == (2, 1)
    with pytest.raises(ValueError, match="n_features=2, but the input has features up"):
        load_data(b"1 3:1\n", n_features=2)


def test_wide_indices():
    narrow = load_data(b"1 2147483646:1\n")
    assert narrow.X.indices.dtype == narrow.X.indptr.dtype == np.int32
    wide = load_data(b"1 5:1 2147483648:2\n2 7:1", n_features=2147483648)
    assert wide.X.indices.dtype == wide.X.indptr.dtype == np.int64
    assert wide.X.shape == (2, 2147483648)
    np.testing.assert_array_equal(wide.X.indices, [4, 2147483647, 6])
    last = b"1 999999999999999999:1\n"
    largest = load_data(last, zero_based=True, n_features=10**18)
    assert largest.X.shape[1] == 10**18


@pytest.mark.parametrize(
    ("labels", "expected", "kind"),
    [
        ("+1 -1 1e2", [1, -1, 100], "i"),
        ("1.0 2.00 -0.0", [1, 2, 0], "i"),
        ("0.5 1 2", [0.5, 1, 2], "f"),
        ("1e300 1 2", [1e300, 1, 2], "f"),
        ("spam 1 +1", ["spam", "1", "+1"], "U"),
        ("Käse été 日本", ["Käse", "été", "日本"], "U"),
        ("a" * 255 + " b c", ["a" * 255, "b", "c"], "U"),
    ],
)
def test_labels(labels, expected, kind):
    text = "".join(f"{label} 1:1\n" for label in labels.split()).encode()
    y = load_data(text).y
    assert y.dtype.kind == kind
    assert y.tolist() == expected
    assert load_data(text, label=False).y is None


def test_without_labels():
    data = load_data(b"# no labels\n1:1 3:2\n\n2:5\n")
    assert data.y is None
    np.testing.assert_array_equal(data.X.toarray(), [[1, 0, 2], [0, 5, 0]])


def test_byte_order_marks():
    assert load_data(b"\xef\xbb\xbf3 1:1\n").y.tolist() == [3]
    with pytest.raises(ValueError, match="UTF-16; save it as UTF-8"):
        load_data("3 1:1\n".encode("utf-16"))


ERRORS = [
    (b"1 1:1\n1,2 1:1", "line 2, column 1: expected one label, found '1,2'"),
    (
        b"1 1:1\n2:1",
        "line 2, column 1: expected a label, as in the first row, f.*2:1",
    ),
    (b"1:1\n2 1:1", "line 2, column 1: expected index:value, found '2'"),
    (
        b"x" * 256,
        r"column 1: expected a label of at most 255 bytes, f.*xx\.\.\.'",
    ),
    (b"nan 1:1", "expected a finite label, found 'nan'"),
    (b"-1e999 1:1", "expected a finite label, found '-1e999'"),
    (b"a\xff 1:1", r"expected a label in UTF-8, found 'a\\\\xff'"),
    (b"a\0 1:1", "expected a label in UTF-8"),
    (b"1 qid:a 1:1", "column 3: expected qid: and a whole number, found 'qid:a'"),
    (b"1 1:1  two:2", "column 8: expected index:value, found 'two:2'"),
    (b"1 -1:1", "column 3: expected index:value, found '-1:1'"),
    (b"1 1:1 7", "column 7: expected index:value, found '7'"),
    (b"1 1 :2", "column 3: expected index:value, found '1'"),
    (b"1 5:1 5:2", "column 7: expected an index above 5, as indices must ascend"),
    (b"1 5:1 4:2", "column 7: expected an index above 5.*found '4:2'"),
    (b"1 1000000000000000000:1", "column 3: expected an index of at most 18 digits"),
    ("é 1:x".encode(), "line 1, column 5: expected a number, found 'x'"),
    (b"1 1:", "column 5: expected a number, found nothing"),
    (b"1 1: 2:1", "column 5: expected a number, found nothing"),
    (b"1 1:2:3", "column 5: expected a number, found '2:3'"),
    (b"1 1:NaN", "column 5: expected a finite number, found 'NaN'"),
    (b"1 1:-inf", "column 5: expected a finite number, found '-inf'"),
    (b"1 1:1e999", "column 5: expected a number that is finite in this dtype"),
    (b"", "the input has no rows"),
    (b"# nothing\n\n", "the input has no rows"),
]


@pytest.mark.parametrize(("text", "words"), ERRORS)
def test_errors(text, words):
    with pytest.raises(ValueError, match=words) as caught:
        load_data(text, format="svmlight")
    message = str(caught.value)
    assert message.startswith("the input") and message.endswith(".")
    assert "\n" not in message and len(message) < 200


def test_index_zero_is_an_error_where_indices_begin_at_one():
    with pytest.raises(ValueError, match="an index from 1 on, as zero_based=False"):
        load_data(b"1 0:1", zero_based=False)


def test_the_file_is_named(tmp_path):
    path = tmp_path / "rows.svm"
    path.write_bytes(b"1 1:1\n2 x\n")
    with pytest.raises(ValueError, match=r"rows\.svm, line 2, column 3: expected"):
        load_data(path)


def test_label_is_for_tables():
    with pytest.raises(ValueError, match="label='y', but the input is svmlight text"):
        load_data(b"1 1:1\n", label="y")


@given(st.binary(max_size=200))
@settings(deadline=None, max_examples=300)
def test_any_bytes_give_rows_or_one_sentence(text):
    try:
        data = load_data(text, format="svmlight")
    except ValueError as error:
        assert "\n" not in str(error)
    else:
        assert isinstance(data.X, sp.csr_matrix)
        data.X.check_format(full_check=True)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="signals as on POSIX")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_signals_are_handled_while_it_parses(long_text, n_jobs):
    """Not only when it is done: twice or more in the same call of the core."""
    text = memoryview(long_text + b"\n" + (long_text + b"\n") * 40)
    places = []

    def handle(_, frame):
        places.append((frame.f_code, frame.f_lasti))
        if places[-2:] == [places[-1]] * 2:
            signal.setitimer(signal.ITIMER_REAL, 0)
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, handle)
    try:
        signal.setitimer(signal.ITIMER_REAL, 1e-3, 1e-3)
        with pytest.raises(KeyboardInterrupt):
            load_data(text, n_jobs=n_jobs)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
