"""Options that several commands have: of data, of machines, of output."""

import argparse
import re

from ..access.kernel_registry import KERNELS, KERNELS_OF_ROWS
from ..machine.formulation import COST_RULES
from ..machine.registry import FORMULATIONS, LOSSES

FORMATS = ("auto", "svmlight", "csv", "tsv", "npz", "parquet", "json", "arff")
DATA = (
    "rows with labels: svmlight text (also .gz, .bz2, .xz, .zst), CSV, TSV, .npz or "
    "Parquet; - is standard input"
)


def add_data_options(parser: argparse.ArgumentParser) -> None:
    """Add what says how to read data."""
    add = parser.add_argument_group("data").add_argument
    add(
        "--format",
        choices=FORMATS,
        default="auto",
        help="of the data; by name and content if not given",
    )
    add(
        "--label",
        metavar="column",
        help="column of the labels in CSV, TSV and Parquet: its name, or its number "
        "from 0, negative from the end; none: there are none. If not given, the last "
        "one that is called label, class, target or y, else the last",
    )
    add(
        "--encoding",
        metavar="name",
        help="of the text of a table, such as cp1252; utf-8 if not given",
    )
    add(
        "--zero-based",
        choices=("auto", "yes", "no"),
        default="auto",
        help="whether svmlight text counts features from 0; auto: if there is a 0",
    )
    add(
        "--n-features",
        type=int,
        metavar="number",
        help="of svmlight text, which does not say; to be given if there are more than "
        "2,147,483,647",
    )
    add(
        "--unpacked-limit",
        metavar="bytes",
        help="most that compressed data may have when it is unpacked, such as 20GB; "
        "half of the free memory if not given",
    )


def add_column_options(parser: argparse.ArgumentParser) -> None:
    """Add what says which features are made of the columns of a table."""
    group = parser.add_argument_group(
        "columns", "names of columns, with commas between them or one an option"
    )
    for option, what in (
        ("--drop", "to be left out"),
        ("--number", "that are numbers, though they look like identifiers"),
        ("--category", "whose values are names, though they look like numbers or text"),
        ("--text", "that are text, though they look like categories or identifiers"),
    ):
        group.add_argument(
            option,
            action="extend",
            type=_names,
            metavar="columns",
            default=[],
            help=what,
        )
    group.add_argument(
        "--as-is",
        action="store_true",
        help="all columns are numbers, and are not scaled; for sparse rows, too",
    )


def _names(text: str) -> list[str]:
    return [name for name in text.split(",") if name]


def add_output_options(parser: argparse.ArgumentParser) -> None:
    """Add what says how results are told."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--json", action="store_true", help="print one JSON object, for programs"
    )
    group.add_argument(
        "--quiet", "-q", action="store_true", help="print nothing but errors"
    )


def add_html_option(parser: argparse.ArgumentParser) -> None:
    """Add what asks for a page."""
    parser.add_argument(
        "--html",
        metavar="file",
        help="write a page with tables and plots, for a browser, beside what is told",
    )


def add_machine_options(parser: argparse.ArgumentParser) -> None:
    """Add what says which machine to train, and how."""
    add = parser.add_argument_group("machine").add_argument
    add(
        "--machine",
        "-m",
        choices=tuple(FORMULATIONS),
        help=", ".join(row.full_name for row in FORMULATIONS.values())
        + "; cs if linear, ww with a kernel",
    )
    add("--loss", choices=LOSSES, help="hinge if not given")
    add(
        "--kernel",
        "-k",
        choices=("auto", *KERNELS_OF_ROWS),
        default="auto",
        help="linear needs no kernel; auto: rbf for at most 20,000 rows of at most "
        "1,000 features of which a tenth is not zero, linear otherwise",
    )
    add("--gamma", "-g", type=_gamma, metavar="number", help="of the kernel, or scale")
    add("--degree", type=int, metavar="number", help=_kernels_with("degree"))
    add("--coef0", type=float, metavar="number", help=_kernels_with("coef0"))
    add(
        "--weights",
        "-w",
        action="append",
        metavar="label=number",
        help="multiplies C for a class, also as -w<label> number; or balanced",
    )
    add(
        "--costs",
        choices=COST_RULES,
        help="margins grow with the distance of two classes: ordinal, by places in "
        "their order; tree, of labels that are paths, such as a/b/c",
    )
    add(
        "-B",
        "--bias",
        type=float,
        metavar="number",
        help="value of the constant feature of linear machines, 1 if not given; "
        "negative: none",
    )
    add(
        "--features",
        choices=("full", "reduced"),
        help="reduced: only weights of features and classes that occur together",
    )
    add(
        "--probability",
        action="store_true",
        help="let a kernel machine have probabilities, by training it on folds as well",
    )
    add(
        "-s",
        dest="solver_type",
        type=int,
        metavar="type",
        help="LIBLINEAR's: 0, 7 are ovr with logistic loss, 1, 2 with squared hinge, "
        "3 with hinge, 4 is cs",
    )
    add = parser.add_argument_group("training").add_argument
    add(
        "--solver",
        metavar="name",
        help="as in LinearSVM and KernelSVM: auto, dual, tron, block, s2do, smo, ...",
    )
    add(
        "--tol",
        "-e",
        type=float,
        metavar="number",
        help="relative duality gap at which to stop, 0.001 if not given",
    )
    add("--max-iter", type=int, metavar="epochs", help="most epochs of a fit")
    add("--max-time", type=float, metavar="seconds", help="most seconds of a fit")
    add("--seed", type=int, default=0, metavar="number", help="0 if not given")
    add(
        "--n-jobs",
        "-j",
        type=int,
        default=-1,
        metavar="threads",
        help="all processors if not given; the model does not depend on it",
    )


def _kernels_with(parameter: str) -> str:
    able = [name for name, row in KERNELS.items() if parameter in row.parameters]
    return f"of {' and '.join(able)}"


def weights_apart(words: list[str]) -> list[str]:
    """Turn LIBLINEAR's ``-w1 5`` into ``--weights=1=5``.

    Examples
    --------
    >>> weights_apart(["train", "-w-1", "5", "a.svm", "-w", "1=2"])
    ['train', '--weights=-1=5', 'a.svm', '-w', '1=2']
    """
    translated, rest = [], iter(words)
    for word in rest:
        label = re.fullmatch(r"-w([^=]+)", word)
        if label is None:
            translated.append(word)
        else:
            translated.append(f"--weights={label[1]}={next(rest, '')}")
    return translated


def positive(text: str) -> float:
    """Read a positive number."""
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return number


def numbers(text: str) -> list[float]:
    """Read positive numbers with commas between them."""
    return [positive(word) for word in text.split(",")]


def _gamma(text: str) -> float | str:
    return text if text in ("scale", "auto") else positive(text)
