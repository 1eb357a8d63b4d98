"""The classes that model files can hold: a registry with a row for each."""

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from .attribute_codecs import Codec
from .errors import ModelFileError


@dataclass(frozen=True)
class Layout:
    """What an estimator is made of.

    Attributes
    ----------
    home, name : str
        Module and name of its class, which is imported when it is needed.
    codecs : dict of Codec
        Of its fitted attributes, in the order in which they are read.
    required : tuple of str
        Those without which it is not fitted.
    check : callable
        Raises `ModelFileError` if attributes of a fitted one do not agree.
    of_training : tuple of str
        Those that say something of every row of the training, and serve a warm start.
    parameters : dict of Codec
        Of those parameters that are more than numbers and words.
    before : dict
        Parameters as files have to be read that were written before there were such.
    width : callable or None
        Returns how many columns a fitted transformer gives out; None predicts.
    given : callable
        Returns the parameters to write.
    parts : callable
        Returns the fitted estimators that it consists of, by their names.
    """

    home: str
    name: str
    codecs: dict[str, Codec]
    required: tuple[str, ...]
    check: Callable
    of_training: tuple[str, ...] = ()
    parameters: dict[str, Codec] = field(default_factory=dict)
    before: dict[str, object] = field(default_factory=dict)
    width: Callable | None = None
    given: Callable = lambda model: model.get_params(deep=False)
    parts: Callable = lambda model: {}

    @property
    def estimator(self) -> type:
        """The class."""
        return getattr(import_module(self.home), self.name)

    @property
    def ours(self) -> bool:
        """Whether it is a class of this package."""
        return self.home.split(".")[0] == __name__.split(".")[0]


LAYOUTS: dict[str, Layout] = {}


def register(*layouts: Layout) -> None:
    """Add rows to the registry."""
    LAYOUTS.update((layout.name, layout) for layout in layouts)


def found_by(model: Any) -> Any:
    """Return what a search has found, and any other estimator as it is."""
    while type(model).__name__ not in LAYOUTS and hasattr(model, "best_estimator_"):
        model = model.best_estimator_
    return model


def layout_of(model) -> Layout:
    """Return the row of a class, or raise TypeError."""
    kind = type(model)
    layout = LAYOUTS.get(kind.__name__)
    if layout is None or kind is not layout.estimator:
        ours = [row.name for row in LAYOUTS.values() if row.ours and not row.width]
        raise TypeError(
            f"{kind.__name__} cannot be written to a model file; give one of "
            f"{', '.join(ours)}, or a pipeline of transformers and one of them."
        )
    return layout


def agree(right: bool, what: str) -> None:
    """Raise unless an attribute is `right`."""
    if not right:
        raise ModelFileError(f"{what} does not fit the rest of the model")


def check_shapes(layout: Layout, model) -> None:
    """Raise unless sizes that have the same letter are the same."""
    sizes = {"d": getattr(model, "n_features_in_", None)}
    for name, codec in layout.codecs.items():
        value = getattr(model, name, None)
        shape = getattr(value, "shape", ())
        if codec.shape and shape:
            agree(len(shape) == len(codec.shape), name)
            for letter, size in zip(codec.shape, shape, strict=True):
                agree(sizes.setdefault(letter, size) == size, name)


def width_of(model) -> int | None:
    """Return how many columns a fitted transformer gives out; None: it predicts."""
    width = layout_of(model).width
    columns = None if width is None else width(model)
    return None if columns is None else int(columns)
