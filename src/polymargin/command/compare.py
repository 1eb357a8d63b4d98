"""``polymargin compare``: tables, tests and plots for your own data."""

import argparse
from dataclasses import replace

HELP = "Compare machines on data sets: tables, significance tests and a report."
INTERRUPTED = "stopped; run the same command again to go on."
EXAMPLES = """\
  polymargin compare digits                       # cs, ww and ovr
  polymargin compare news.svm digits -m cs ww ovr maxent -o results
  polymargin compare digits -m kernel-ww sklearn.svm.SVC --protocol nested
  polymargin compare grades.svm -m cs costs=cs:costs=ordinal --score cost
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what can be asked for."""
    from ..machine.registry import MACHINE_NAMES
    from ..selection.comparison.fits import PREPARATIONS
    from ..selection.comparison.scores import SCORES
    from ..selection.protocols import PROTOCOLS

    add = parser.add_argument
    add(
        "datasets",
        nargs="+",
        metavar="data",
        help="iris, wine, digits, breast_cancer, or a .npz or svmlight file",
    )
    add(
        "--machines",
        "-m",
        nargs="+",
        default=["cs", "ww", "ovr"],
        metavar="machine",
        help=f"{', '.join(MACHINE_NAMES)}, with a loss as in ovr-squared_hinge; "
        "kernel-ww, ...; maxent, larank, gala; a class such as sklearn.svm.LinearSVC; "
        "with parameters as in cs:order=permuted, a name as in SDM=cs:order=permuted",
    )
    add("--protocol", "-p", default="holdout", choices=sorted(PROTOCOLS))
    add(
        "--folder",
        "-o",
        default="comparison",
        help="where results are kept; run again with the same one to go on",
    )
    add(
        "--score",
        choices=SCORES,
        default="accuracy",
        help="what machines are judged by; cost: by how many places a class is missed",
    )
    add("--prepare", choices=PREPARATIONS, default="none", help="how to scale the rows")
    add("--repeats", type=int, help="splits, if not as many as the protocol has")
    add("--seed", type=int, default=0)
    add("--no-convergence", action="store_true", help="leave out convergence plots")
    add("--no-scaling", action="store_true", help="leave out samples of fewer classes")
    loudness = parser.add_mutually_exclusive_group()
    loudness.add_argument(
        "--quiet", "-q", action="store_true", help="show no progress, print no tables"
    )
    loudness.add_argument(
        "--progress", action="store_true", help="show progress, also if no terminal"
    )


def run(arguments: argparse.Namespace) -> int:
    """Compare, print the tables, and say where the rest is."""
    from ..selection.comparison import compare
    from ..selection.protocols import find_protocol

    protocol = find_protocol(arguments.protocol)
    if arguments.repeats is not None:
        protocol = replace(protocol, repeats=arguments.repeats)
    verbose = False if arguments.quiet else arguments.progress or None
    report = compare(
        arguments.datasets,
        arguments.machines,
        protocol,
        arguments.folder,
        prepare=arguments.prepare,
        seed=arguments.seed,
        score=arguments.score,
        convergence=not arguments.no_convergence,
        scaling=not arguments.no_scaling,
        verbose=verbose,
    )
    if not arguments.quiet:
        print(f"{report}\n\nReport: {arguments.folder}/report.html")
    return 0
