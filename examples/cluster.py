"""Train on the partitions of a cluster, and draw what its rounds have cost.

``python examples/cluster.py --output cluster.png`` starts two workers that are
processes of this machine, divides the digits data into eight partitions and trains
three machines on them. Dotted lines are tolerances.
"""

import argparse

import dask.array as da
from distributed import Client, LocalCluster
from sklearn.datasets import load_digits

from polymargin.dask import DaskKernelSVM, DaskLinearSVM, DaskMaxEnt, plot_rounds

COMMON = {"random_state": 0, "tol": 1e-2}
MODELS = {
    "Crammer-Singer": DaskLinearSVM("cs", C=0.1, **COMMON),
    "maximum entropy": DaskMaxEnt(C=0.1, **COMMON),
    "rbf, rank 100": DaskKernelSVM("ww", C=1, rank=100, **COMMON),
}


def main(arguments: list[str] | None = None) -> None:
    """Train, print and plot."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", default="cluster.png", help="(cluster.png)")
    output = parser.parse_args(arguments).output

    X, y = load_digits(return_X_y=True)
    X = da.from_array(X / 16, chunks=(225, 64))
    y = da.from_array(y, chunks=225)
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,
    ):
        print(f"{'machine':<18}{'rounds':>8}{'MB sent':>9}{'gap':>10}{'accuracy':>10}")
        for name, model in MODELS.items():
            model.set_params(client=client).fit(X, y)
            sent = model.history_["bytes"].sum() / 1e6
            print(
                f"{name:<18}{model.n_iter_:>8}{sent:>9.1f}{model.dual_gap_:>10.1e}"
                f"{model.score(X, y):>10.3f}"
            )
    plot_rounds(MODELS).savefig(output, dpi=150)
    print(f"\nThe plot is in {output}.")


if __name__ == "__main__":
    main()
