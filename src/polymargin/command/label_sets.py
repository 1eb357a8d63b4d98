"""Several labels a row on the command line: which machine, folds, and words."""

from .exit_status import UsageError

LABELS = "labels"  # in the metadata of models: what columns of predictions stand for


def prepare(arguments, data) -> None:
    """Name the machine for rows of several labels; raise if another was asked for."""
    if data.label_names is None:
        if arguments.thresholds is not None:
            raise UsageError(
                f"--thresholds is for several labels a row, such as `1,5 3:0.4`, and "
                f"{arguments.data} has one; leave it out."
            )
        return
    several = f"{arguments.data} has several labels a row"
    if arguments.machine not in (None, "ovr") or arguments.kernel not in (
        "auto",
        "linear",
    ):
        raise UsageError(
            f"{several}, which one-vs-rest without a kernel takes; leave out --machine "
            f"and --kernel."
        )
    for option, given in (
        ("-c auto", arguments.C == "auto"),
        ("--weights", arguments.weights),
        ("--costs", arguments.costs),
        ("--html", arguments.html),
    ):
        if given:
            raise UsageError(f"{several}, and {option} is for one; leave it out.")
    arguments.machine, arguments.kernel = "ovr", "linear"


def names_for(model):
    """Return what columns of predictions stand for; None with one label a row."""
    import numpy as np
    from sklearn.pipeline import Pipeline

    machine = model[-1] if isinstance(model, Pipeline) else model
    if not getattr(machine, "multilabel_", False):
        return None
    names = getattr(model, "metadata_", {}).get(LABELS)
    return machine.classes_ if names is None else np.array(names)


def predicted_words(model, predicted) -> list[str]:
    """Return predictions as words: labels, or labels between commas."""
    from ..files.data.label_rule import label_texts
    from ..files.data.label_sets import words_of_sets

    names = names_for(model)
    if names is None:
        return label_texts(predicted)
    return words_of_sets(predicted, names).tolist()
