"""Labels as people write them: 3, 3.0 and "3" are the same one."""


def label_text(label) -> str:
    """Return a label as a word; whole numbers without a point.

    Examples
    --------
    >>> label_text(3.0), label_text(0.5), label_text("rose")
    ('3', '0.5', 'rose')
    """
    if isinstance(label, float) and label.is_integer():
        return str(int(label))
    return str(label)


def label_texts(labels) -> list[str]:
    """Return many labels, in an array, as words."""
    return [label_text(label) for label in labels.tolist()]
