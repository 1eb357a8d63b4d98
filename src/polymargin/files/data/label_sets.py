"""Several labels a row: words such as ``1,5,9`` and indicator matrices."""

import numpy as np
import scipy.sparse as sp

from .label_rule import label_texts, labels_like, simplest_labels
from .label_writing import check_token

COMMA = ","


def sets_of_words(words: np.ndarray, name: str, labels=None):
    """Return an indicator matrix, and what its columns stand for.

    Parameters
    ----------
    words : ndarray of str
        The labels of each row between commas; a word with a colon is a pair of svmlight
        text, which begins a row without labels.
    name : str
        Of the source, for messages.
    labels : ndarray or None
        What the first columns are to stand for, those of a model; others follow them.

    Returns
    -------
    indicator : csr_array of shape (n_samples, n_labels)
    labels : ndarray
    """
    rows, single = [], []
    for row, word in enumerate(words.tolist()):
        if ":" in word:
            continue
        for one in word.split(COMMA):
            if not one:
                raise ValueError(
                    f"{name} has the labels {word!r}, of which one is empty; write "
                    f"labels with one comma between each two."
                )
            rows.append(row)
            single.append(one)
    written = np.array(single, dtype=str)
    if labels is None:
        labels, columns = np.unique(simplest_labels(written), return_inverse=True)
    else:
        found = labels_like(written, labels).tolist()
        known = labels.tolist()
        others = sorted(set(found) - set(known), key=lambda one: (str(type(one)), one))
        labels = np.array(known + others, dtype=object if others else labels.dtype)
        places = {label: place for place, label in enumerate(known + others)}
        columns = np.array([places[one] for one in found], dtype=int)
    shape = len(words), len(labels)
    indicator = sp.csr_array((np.ones(len(rows), np.int8), (rows, columns)), shape)
    indicator.data[:] = 1  # a label that is named twice is named
    return indicator, labels


def words_of_sets(indicator, labels) -> np.ndarray:
    """Return the labels of each row between commas; no word where there are none."""
    indicator = sp.csr_array(indicator)
    indicator.eliminate_zeros()
    indicator.sort_indices()
    texts = label_texts(np.asarray(labels))
    for text in texts:
        check_token(text, "svmlight text")
    ends = zip(indicator.indptr[:-1], indicator.indptr[1:], strict=True)
    return np.array(
        [COMMA.join(texts[m] for m in indicator.indices[a:b]) for a, b in ends], str
    )
