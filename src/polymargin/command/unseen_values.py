"""Notes on rows of a table that have what training has not seen."""

from .standard_streams import note

_MOST_NOTES = 5


def note_unseen(model, data, source: str) -> None:
    """Say what rows of a table have that training has not seen."""
    from sklearn.pipeline import Pipeline

    from ..tables.unseen import unseen
    from ..tables.written_frames import with_types

    if not isinstance(model, Pipeline) or not data.is_table:
        return
    recipe, X = model[0], data.X
    if hasattr(recipe, "recipe_"):
        X, recipe = with_types(X, recipe.written_), recipe.recipe_
    if not hasattr(recipe, "transformers_"):
        return
    found = unseen(recipe, X)
    titles = data.feature_names
    for column, what in found[:_MOST_NOTES]:
        title = column if isinstance(column, str) or titles is None else titles[column]
        note(f"{source}, column {title!r}: {what}.")
    if len(found) > _MOST_NOTES:
        note(f"{source}: the same of {len(found) - _MOST_NOTES:,} more columns.")
