"""A picture of the rounds of a fit; needs matplotlib."""

import numpy as np
from sklearn.utils.validation import check_is_fitted


def plot_rounds(models, *, figure=None):
    """Draw the duality gap by rounds and by seconds, and the bytes of every round.

    Parameters
    ----------
    models : Dask estimator or dict
        Fitted; several of them with their names.

    figure : matplotlib Figure or SubFigure, or None, default=None
        Where to draw; a new one of 10 by 3.2 inches if None.

    Returns
    -------
    figure : matplotlib Figure or SubFigure

    Examples
    --------
    >>> import dask.array as da
    >>> from polymargin.dask import DaskLinearSVM, plot_rounds
    >>> from sklearn.datasets import load_iris
    >>> X, y = (da.from_array(part, chunks=75) for part in load_iris(return_X_y=True))
    >>> model = DaskLinearSVM(C=0.01, tol=0.1, random_state=0).fit(X, y)
    >>> len(plot_rounds(model).axes)
    3
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as missing:
        raise ImportError(
            "plot_rounds needs matplotlib; run pip install 'polymargin[report]'."
        ) from missing
    if not isinstance(models, dict):
        models = {type(models).__name__: models}
    if figure is None:
        figure = Figure(figsize=(10, 3.2), layout="constrained")
    by_round, by_time, traffic = figure.subplots(1, 3)
    by_time.sharey(by_round)
    for name, model in models.items():
        check_is_fitted(model, "history_")
        history = model.history_
        # A logarithm has no zero, which is a gap that rounding hides.
        gap = np.where(history["gap"] > 0, history["gap"], np.nan)
        style = {"label": name, "marker": "." if len(gap) < 3 else None}
        [line] = by_round.semilogy(history["round"], gap, **style)
        by_time.semilogy(history["seconds"], gap, **style)
        traffic.plot(history["round"], history["bytes"] / 1e6, **style)
        by_round.axhline(model.tol, color=line.get_color(), linestyle=":", linewidth=1)
        by_time.axhline(model.tol, color=line.get_color(), linestyle=":", linewidth=1)
    by_round.set(xlabel="rounds", ylabel="relative duality gap")
    by_time.set(xlabel="seconds", xlim=(0, None))
    by_time.tick_params(labelleft=False)
    traffic.set(xlabel="rounds", ylabel="MB sent in a round")
    traffic.set_ylim(0, 1.1 * traffic.dataLim.ymax)
    for axes in (by_round, by_time, traffic):
        axes.grid(alpha=0.25)
    if len(models) > 1:
        by_round.legend()
    return figure
