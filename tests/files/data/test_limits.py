"""What a few bytes may claim, and how more is allowed."""

import bz2
import gzip
import io
import lzma

import numpy as np
import pytest

from polymargin import convert, load_data
from polymargin.command import main
from polymargin.files.data.limits import MOST_FEATURES

FAR = b"1 1:1 2:3\n2 2:1 576460752303423489:1\n3 1:2 3:1\n"
PACK = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}
ROWS = b"1 1:1\n2 2:1\n" * 100_000


def far_npz() -> bytes:
    file = io.BytesIO()
    np.savez(
        file,
        data=np.ones(1),
        indices=np.array([2**59]),
        indptr=np.array([0, 1]),
        shape=np.array([1, 2**60]),
        y=np.array([1]),
    )
    return file.getvalue()


@pytest.mark.parametrize("content", [FAR, far_npz()], ids=["svmlight", "npz"])
def test_features(content, tmp_path):
    for read in (load_data, lambda what: convert(what, tmp_path / "a.rows")):
        with pytest.raises(ValueError, match=r"plausible; correct it, or give n_feat"):
            read(content)
    assert list(tmp_path.iterdir()) == []


def test_features_that_are_asked_for():
    assert load_data(FAR, n_features=2**60).X.shape == (3, 2**60)
    last = f"1 {MOST_FEATURES}:1\n2 1:1\n".encode()
    assert load_data(last).X.shape == (2, MOST_FEATURES)


def test_features_of_a_command(tmp_path, capsys):
    (tmp_path / "e.svm").write_bytes(FAR)
    assert main(["train", str(tmp_path / "e.svm"), "-o", str(tmp_path / "m")]) == 1
    assert "more than the 2147483647 that are plausible" in capsys.readouterr().err


@pytest.mark.parametrize("pack", PACK)
def test_unpacked_size(pack):
    content = PACK[pack](ROWS)
    with pytest.raises(ValueError, match=r"more than 1 MB when it is unpacked; if"):
        load_data(content, unpacked_limit="1MB")
    assert load_data(content, unpacked_limit="2MB").X.shape == (200_000, 2)
    assert load_data(content).X.shape == (200_000, 2)


def test_unpacked_size_zstandard():
    zstandard = pytest.importorskip("zstandard")
    content = zstandard.ZstdCompressor().compress(ROWS)
    with pytest.raises(ValueError, match=r"more than 1 MB when it is unpacked; if"):
        load_data(content, unpacked_limit="1MB")
    assert load_data(content).X.shape == (200_000, 2)


def test_unpacked_size_of_arrays(tmp_path):
    file = io.BytesIO()
    np.savez_compressed(file, X=np.zeros((1000, 1000)), y=np.zeros(1000))
    content = file.getvalue()
    assert len(content) < 50_000
    with pytest.raises(ValueError, match=r"more than 1 MB when it is unpacked"):
        load_data(content, unpacked_limit="1MB")
    packed = lzma.compress(b"PK\x03\x04" + bytes(10_000_000))
    with pytest.raises(ValueError, match=r"more than 1 MB when it is unpacked"):
        convert(packed, tmp_path / "a.rows", format="npz", unpacked_limit="1MB")


def test_unpacked_size_of_parquet():
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    file = io.BytesIO()
    table = pa.table({"x": np.zeros(1_000_000), "label": np.zeros(1_000_000)})
    pyarrow.parquet.write_table(table, file)
    with pytest.raises(ValueError, match=r"more than 1 MB when it is unpacked"):
        load_data(file.getvalue(), unpacked_limit="1MB")


def test_a_line_that_does_not_end(tmp_path):
    packed = gzip.compress(b"1 " + b" " * 10_000_000)
    with pytest.raises(ValueError, match=r"has a line of more than 1 MB; if that is"):
        convert(packed, tmp_path / "a.rows", memory_limit="1MB", unpacked_limit="1MB")


@pytest.mark.parametrize("form", ["npz", "parquet", "svmlight", "csv"])
@pytest.mark.parametrize("pack", PACK)
def test_broken_archives(pack, form, tmp_path, capsys):
    """Cut off, or with a wrong byte: one sentence, whatever it is read as."""
    if form == "parquet":
        pytest.importorskip("pyarrow")
    whole = PACK[pack](ROWS)
    for number, content in enumerate((whole[: len(whole) // 2], whole[:20])):
        path = tmp_path / f"broken{number}.{form}.{pack}"
        path.write_bytes(content)
        target = str(tmp_path / "a.rows")
        assert main(["convert", "--format", form, str(path), target]) == 1
        assert "is compressed, but broken or cut off" in capsys.readouterr().err
        with pytest.raises(ValueError, match="is compressed, but broken or cut off"):
            load_data(path, format=form)
