"""Where data comes from: files, pipes, streams, compressed; and which format it is."""

import bz2
import gzip
import io
import lzma
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from patience import HANGS

from polymargin import load_data

TEXT = b"1 1:0.5 3:2\n2 2:1\n"


def zstandard_compress(content):
    return pytest.importorskip("zstandard").compress(content)


PACK = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard_compress,
}


def assert_is_text(data):
    np.testing.assert_array_equal(data.X.toarray(), [[0.5, 0, 2], [0, 1, 0]])
    assert data.y.tolist() == [1, 2]


@pytest.mark.parametrize("suffix", PACK)
def test_compressed(tmp_path, suffix):
    path = tmp_path / f"rows.svm{suffix}"
    path.write_bytes(PACK[suffix](TEXT))
    assert_is_text(load_data(path))
    assert_is_text(load_data(str(path)))
    assert_is_text(load_data(PACK[suffix](TEXT)))  # the content says what it is
    half = len(TEXT) // 3
    assert_is_text(load_data(PACK[suffix](TEXT[:half]) + PACK[suffix](TEXT[half:])))


@pytest.mark.parametrize("suffix", PACK)
def test_compressed_but_broken(suffix):
    packed = PACK[suffix](TEXT * 1000)
    broken = bytearray(packed)
    broken[len(broken) // 2 :] = bytes(len(broken) - len(broken) // 2)
    for content in (packed[:-9], bytes(broken)):
        with pytest.raises(ValueError, match="is compressed, but broken or") as caught:
            load_data(content)
        assert "\n" not in str(caught.value)


def test_without_zstandard(monkeypatch):
    packed = zstandard_compress(TEXT)
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(ImportError, match="needs the package zstandard; pip install"):
        load_data(packed)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, io.BytesIO])
def test_bytes_and_streams(kind):
    assert_is_text(load_data(kind(TEXT)))


def test_open_file(tmp_path):
    path = tmp_path / "rows"
    path.write_bytes(TEXT + b"x y\n")
    with (
        path.open("rb") as file,
        pytest.raises(ValueError, match="rows, line 3, column 3: expected index"),
    ):
        load_data(file)
    with path.open() as file, pytest.raises(TypeError, match="open it as 'rb'"):
        load_data(file)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_standard_input(pack):
    script = "from polymargin import load_data; print(load_data('-').X.toarray())"
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, input=pack(TEXT), capture_output=True, timeout=HANGS)
    assert done.stdout.decode() == "[[0.5 0.  2. ]\n [0.  1.  0. ]]\n"
    done = subprocess.run(command, input=b"1 x", capture_output=True, timeout=HANGS)
    assert b"standard input, line 1, column 3: expected index:value" in done.stderr


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names")
def test_named_pipe(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: path.write_bytes(TEXT))
    writer.start()
    assert_is_text(load_data(path))
    writer.join()


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.svm", b"1 2\n", ValueError),  # svmlight, and wrong
        ("a.csv", b"1,2\n3,4\n", np.ndarray),
        ("a.CSV", b"1;2\n3;4\n", np.ndarray),
        ("a.tsv", b"1\t2\n3\t4\n", np.ndarray),
        ("a.data", b"1,2\n3,4\n", np.ndarray),
        ("a.txt", b"# rows: 2\n1 1:2\n", "csr"),
        ("a", b"1 1:2,5\n", ValueError),
        ("a", b"1\t1:2\n", "csr"),
        ("a", b"1 # 5, 6\n", np.ndarray),
    ],
)
def test_which_format(tmp_path, name, content, kind):
    path = tmp_path / name
    path.write_bytes(content)
    if kind is ValueError or content == b"1 # 5, 6\n":
        with pytest.raises(ValueError, match=r"expected|columns"):
            load_data(path)
    elif kind == "csr":
        assert load_data(path).X.format == "csr"
    else:
        assert isinstance(load_data(path).X, kind)


def test_formats_by_content(tmp_path):
    path = tmp_path / "unnamed"
    with path.open("wb") as file:
        np.savez(file, X=np.eye(2), y=[0, 1])
    np.testing.assert_array_equal(load_data(path).X, np.eye(2))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"format": "sav"},
            "format='sav' is not known; choose one of auto",
        ),
        ({"n_features": 0}, "n_features=0 must be a whole number above 0"),
        ({"n_features": 2.5}, "n_features=2.5 must be"),
        ({"dtype": int}, "dtype=<class 'int'> must be float32, float64 or None"),
        ({"zero_based": "yes"}, "zero_based='yes' must be True, False or 'auto'"),
        ({"zero_based": 1}, "zero_based=1 must be"),
    ],
)
def test_bad_arguments(options, words):
    with pytest.raises(ValueError, match=words):
        load_data(TEXT, **options)


def test_bad_sources(tmp_path):
    (tmp_path / "empty").write_bytes(b"")
    with pytest.raises(ValueError, match="empty has no rows"):
        load_data(tmp_path / "empty")
    with pytest.raises(FileNotFoundError):
        load_data(tmp_path / "nothing.svm")
    with pytest.raises(IsADirectoryError):
        load_data(tmp_path)
    with pytest.raises(TypeError, match="source=3 cannot be read; give a path, bytes"):
        load_data(3)
