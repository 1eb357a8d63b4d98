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


def positions(labels, names: list[str]):
    """Return where labels are in a list of names, which gets those it does not have.

    Parameters
    ----------
    labels : ndarray
    names : list of str

    Returns
    -------
    positions : ndarray of int
    """
    import numpy as np

    distinct, where = np.unique(labels, return_inverse=True)
    known = {name: position for position, name in enumerate(names)}
    found = []
    for word in label_texts(distinct):
        if word not in known:
            known[word] = len(names)
            names.append(word)
        found.append(known[word])
    return np.array(found, dtype=int)[where]
