"""The bytes of model files: the safetensors format, against its own library."""

import errno
import json
import os
import stat

import numpy as np
import pytest
import safetensors
from numpy.testing import assert_array_equal
from safetensors.numpy import load_file, save_file

from polymargin.files.models import ModelFileError
from polymargin.files.models.safetensors_file import DTYPES, read, read_text, write

TENSORS = {
    name.lower(): np.arange(6).reshape(2, 3).astype(dtype)
    for name, dtype in DTYPES.items()
} | {"empty": np.empty((0, 4)), "number": np.array(2.5), "ümlaut": np.ones(3, "f4")}
TEXTS = {"format": "test", "model": 'with "quotes" and ünïcode'}


def assert_same(found, expected):
    assert found.keys() == expected.keys()
    for name, tensor in expected.items():
        assert_array_equal(found[name], tensor)
        assert found[name].dtype == tensor.dtype
        assert found[name].shape == tensor.shape


def raw(header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def entry(dtype="F64", shape=(1,), offsets=(0, 8)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


def test_the_library_reads_what_is_written(tmp_path):
    write(tmp_path / "file", TENSORS, TEXTS)
    assert_same(load_file(tmp_path / "file"), TENSORS)
    with safetensors.safe_open(tmp_path / "file", "numpy") as file:
        assert file.metadata() == TEXTS


@pytest.mark.parametrize("mapped", [True, False])
def test_reads_what_the_library_writes(tmp_path, mapped):
    save_file(TENSORS, tmp_path / "file", metadata=TEXTS)
    tensors, texts = read(tmp_path / "file", mapped)
    assert_same(tensors, TENSORS)
    assert texts == TEXTS == read_text(tmp_path / "file")


def test_big_endian_arrays_are_turned(tmp_path):
    write(tmp_path / "file", {"a": np.arange(3, dtype=">i4")}, {})
    assert load_file(tmp_path / "file")["a"].tolist() == [0, 1, 2]


def test_arrays_are_aligned_views_that_can_be_changed(tmp_path):
    path = tmp_path / "file"
    write(path, TENSORS, TEXTS)
    before = path.read_bytes()
    tensors, _ = read(path)
    bases = set()
    for name, tensor in tensors.items():
        assert tensor.flags.aligned and tensor.flags.writeable
        if tensor.size:
            base = tensor
            while isinstance(base, np.ndarray):
                base = base.base
            bases.add(type(getattr(base, "obj", base)).__name__)
            tensor[...] = 0 if name != "number" else 1
    assert bases == {"mmap"}
    assert path.read_bytes() == before


WRONG = {
    "empty": b"",
    "short": b"\x02\0\0\0",
    "a text": b"solver_type MCSVM_CS\nnr_class 3\n",
    "a pickle": b"\x80\x04\x95\x1d\x00\x00\x00\x00\x00\x00\x00\x8c\x08builtins",
    "a zip": b"PK\x03\x04" + bytes(60),
    "a huge header": (2**63).to_bytes(8, "little") + b"{}",
    "a header beyond the end": (3).to_bytes(8, "little") + b"{}",
    "no JSON": raw(b"{]"),
    "not UTF-8": raw(b'{"\xff": 1}'),
    "a list": raw(b"[]"),
    "deep": raw(b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
    "twice": raw(b'{"a":1,"a":1}'),
    "NaN": raw(b'{"a":NaN}'),
    "beyond floats": raw(b'{"a":1e999}'),
    "many digits": raw(b'{"a":' + b"9" * 5000 + b"}"),
    "metadata of numbers": raw({"__metadata__": {"a": 1}}),
    "no metadata": raw({"__metadata__": None}),
    "no entry": raw({"a": 3}),
    "a field more": raw({"a": entry() | {"b": 1}}, bytes(8)),
    "a dtype": raw({"a": entry("F8_E4M3")}, bytes(8)),
    "a dtype of another kind": raw({"a": entry(["F64"])}, bytes(8)),
    "a negative shape": raw({"a": entry(shape=(-1, -1))}, bytes(8)),
    "a truth value as shape": raw({"a": entry(shape=(True,))}, bytes(8)),
    "a fraction as shape": raw({"a": entry(shape=(1.0,))}, bytes(8)),
    "a shape that overflows": raw({"a": entry(shape=(2**61, 2**61))}, bytes(8)),
    "a huge empty shape": raw({"a": entry(shape=(0, 2**61), offsets=(0, 0))}),
    "dimensions": raw({"a": entry(shape=(1,) * 70)}, bytes(8)),
    "offsets": raw({"a": entry(offsets=(0, 8, 16))}, bytes(8)),
    "offsets backwards": raw({"a": entry(offsets=(8, 0))}, bytes(8)),
    "offsets beyond the end": raw({"a": entry(offsets=(8, 16))}, bytes(8)),
    "a gap": raw({"a": entry(offsets=(8, 16))}, bytes(16)),
    "bytes left": raw({"a": entry()}, bytes(9)),
    "overlap": raw({"a": entry(), "b": entry(offsets=(4, 12))}, bytes(12)),
    "the same bytes": raw({"a": entry(), "b": entry()}, bytes(8)),
    "truth": raw({"a": entry("BOOL", (1,), (0, 1))}, b"\x02"),
}


@pytest.mark.parametrize("mapped", [True, False])
@pytest.mark.parametrize("what", WRONG)
def test_wrong_files(tmp_path, what, mapped):
    (tmp_path / "file").write_bytes(WRONG[what])
    with pytest.raises(ModelFileError) as caught:
        read(tmp_path / "file", mapped)
    assert len(str(caught.value)) < 200


def test_the_library_refuses_no_more(tmp_path):
    """What it refuses is in `WRONG`; these it accepts, and so do we."""
    accepted = [raw({}), raw({"a": entry(shape=(0,), offsets=(0, 0))})]
    for content in accepted:
        (tmp_path / "file").write_bytes(content)
        theirs, (ours, _) = load_file(tmp_path / "file"), read(tmp_path / "file")
        assert {name: array.shape for name, array in ours.items()} == {
            name: array.shape for name, array in theirs.items()
        }


def test_misaligned_arrays_are_copied(tmp_path):
    header = {"a": entry("U8", (1,), (0, 1)), "b": entry("F64", (1,), (1, 9))}
    (tmp_path / "file").write_bytes(raw(header, b"\x07" + np.float64(2.5).tobytes()))
    tensors, _ = read(tmp_path / "file")
    assert tensors["b"].flags.aligned and tensors["b"][0] == 2.5


def test_a_header_that_no_one_could_read_is_not_written(tmp_path):
    with pytest.raises(ValueError, match="give less metadata"):
        write(tmp_path / "file", {}, {"a": "x" * 20_000_000})
    assert os.listdir(tmp_path) == []


FULL = """
import os, resource, sys
import numpy as np
from polymargin.files.models.safetensors_file import write
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    write(sys.argv[1], {"a": np.zeros(100_000)}, {})
except OSError as problem:
    print(problem.errno)
"""


@pytest.mark.parametrize("old", [None, b"what was there"])
def test_a_full_disk_leaves_what_was_there(tmp_path, run_python, old):
    pytest.importorskip("resource")
    if old is not None:
        (tmp_path / "file").write_bytes(old)
    assert int(run_python(FULL, tmp_path / "file")) == errno.EFBIG
    assert os.listdir(tmp_path) == ([] if old is None else ["file"])
    if old is not None:
        assert (tmp_path / "file").read_bytes() == old


def test_interrupted_in_the_middle(tmp_path, monkeypatch):
    def interrupt(descriptor):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "file", TENSORS, TEXTS)
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(os.name != "posix", reason="devices and permissions as on POSIX")
def test_where_it_is_written(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "folder" / "file")
    write(tmp_path / "link", TENSORS, TEXTS)
    assert (tmp_path / "link").is_symlink()
    path = tmp_path / "folder" / "file"
    assert_same(read(path)[0], TENSORS)
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask
    with pytest.raises(FileNotFoundError, match="missing/file"):
        write(tmp_path / "missing" / "file", TENSORS, TEXTS)
    with pytest.raises(IsADirectoryError):
        write(tmp_path / "folder", TENSORS, TEXTS)
    with pytest.raises(OSError, match="No space"):
        write("/dev/full", TENSORS, TEXTS)
    with pytest.raises(ModelFileError, match="regular"):
        read("/dev/null")
