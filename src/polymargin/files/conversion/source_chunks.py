"""A source chunk by chunk, whatever it is: a file, a stream, or a generator."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from os import PathLike

from ..data.chunks import read_chunks


@dataclass(frozen=True)
class SourceChunk:
    """Some rows of a source.

    Attributes
    ----------
    X, y, weights
        As given; y and weights may be None.
    feature_names : list of str or None
    share : float or None
        How much of the source has been read, if that is known.
    from_file : bool
        Checked while it was read.
    zero_based : bool or None
        Of svmlight text: how features were counted.
    auto : bool
        Of svmlight text: counted from 0, but perhaps meant from 1.
    """

    X: object
    y: object
    weights: object = None
    feature_names: list[str] | None = None
    share: float | None = None
    from_file: bool = False
    zero_based: bool | None = None
    auto: bool = False


def chunks_of(source, chunk_bytes: int, **options) -> Iterator[SourceChunk]:
    """Iterate over a source.

    Parameters
    ----------
    source : as in `convert`
    chunk_bytes : int
        Bytes of a file to read at once.
    **options
        Of `load_data`; only `dtype` means something to chunks.
    """
    if _is_file(source):
        return _from_file(source, chunk_bytes, options)
    if isinstance(source, Iterable):
        return _from_chunks(source)
    raise TypeError(
        f"source={source!r} cannot be read; give a file, or an iterable of (X, y) or "
        f"(X, y, weights)."
    )


def _is_file(source) -> bool:
    kinds = (str, PathLike, bytes, bytearray, memoryview)
    return isinstance(source, kinds) or hasattr(source, "read")


def _from_file(source, chunk_bytes: int, options: dict) -> Iterator[SourceChunk]:
    auto = options["zero_based"] == "auto"
    for data, share in read_chunks(source, chunk_bytes, **options):
        yield SourceChunk(
            data.X,
            data.y,
            feature_names=data.feature_names,
            share=share,
            from_file=True,
            zero_based=data.zero_based,
            auto=auto and data.zero_based is not None,
        )


def _from_chunks(source: Iterable) -> Iterator[SourceChunk]:
    for number, chunk in enumerate(source):
        if not isinstance(chunk, (tuple, list)) or len(chunk) not in (2, 3):
            raise TypeError(
                f"chunk {number}, counted from 0, is {type(chunk).__name__}; give (X, "
                f"y) or (X, y, weights)."
            )
        yield SourceChunk(*chunk)
