"""Every machine does what its row says, and says so in a sentence if it does not."""

import re
import warnings

import numpy as np
import pytest
from problems import make_model, make_problem, make_sparse_problem
from sklearn.exceptions import ConvergenceWarning

from polymargin import (
    KernelSVM,
    LinearSVM,
    OnlineSVM,
    convert,
    export_liblinear,
    import_liblinear,
)
from polymargin.access.kernel_registry import KERNELS, KERNELS_OF_ROWS
from polymargin.estimators.kernel_svm import KERNEL_SOLVERS
from polymargin.machine.registry import (
    FORMULATIONS,
    LOSSES,
    MACHINE_NAMES,
    MACHINES,
    RESTRICTED,
    find_machine,
    names_of,
)

X, y = make_problem(n=40, d=4, k=3)
PAIRS = list(MACHINES)


def assert_does(model, *data):
    """It trains without a word, but that it could go on."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(*data)
    assert 0 <= model.dual_gap_ <= 1


def assert_refuses(run, *words):
    """It says in one sentence what does not work, and what does."""
    with pytest.raises((ValueError, AttributeError)) as caught:
        run()
    message = str(caught.value.__cause__ or caught.value)
    assert message.endswith(".") and ". " not in message, message
    for word in words:
        assert str(word) in message, message


@pytest.mark.parametrize(("machine", "loss"), PAIRS)
def test_restricted_solvers(machine, loss):
    able = MACHINES[machine, loss].restricted
    for restricted in able:
        assert_does(make_model(machine, loss, restricted=restricted, max_iter=3), X, y)
    for restricted in set(RESTRICTED) - set(able):
        if FORMULATIONS[machine].estimator == "LinearSVM":
            assert_refuses(
                lambda name=restricted: find_machine(machine, loss, name),
                f"restricted={restricted!r}",
                *able,
            )


@pytest.mark.parametrize("name", MACHINE_NAMES)
def test_losses(name):
    row = FORMULATIONS[name]
    for loss in set(LOSSES) - set(row.losses):
        assert_refuses(
            lambda loss=loss: LinearSVM(name, loss=loss).fit(X, y),
            f"loss={loss!r}",
            *row.losses,
        )
    for loss in row.losses:
        model = LinearSVM(name, loss=loss, max_iter=2, tol=1).fit(X, y)
        if loss in row.probabilities:
            np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
        else:
            assert_refuses(lambda m=model: m.predict_proba(X), "logistic", "MaxEnt")


@pytest.mark.parametrize("name", FORMULATIONS)
def test_kernels(name):
    row = FORMULATIONS[name]
    if not row.kernels:
        with pytest.raises(ValueError, match=r"'machine' parameter of KernelSVM.*'ww'"):
            KernelSVM(name).fit(X, y)
        return
    for loss in set(row.losses) - {"logistic"}:
        for solver in KERNEL_SOLVERS:
            model = KernelSVM(name, loss=loss, solver=solver, max_iter=2, tol=1)
            able = solver in ("auto", "block", "newton") or loss in row.two_variable
            if solver == "binary":
                able = row.separate or row.by_pairs
            if able:
                assert_does(model, X, y)
            else:
                assert_refuses(
                    lambda m=model: m.fit(X, y), f"solver={solver!r}", name, "block"
                )


@pytest.mark.parametrize(("machine", "loss"), PAIRS)
def test_online(machine, loss):
    model = OnlineSVM(machine=machine, loss=loss, random_state=0)
    if loss in FORMULATIONS[machine].online:
        model.fit(X, y)
        assert 0 <= model.gap(X, y) <= 1
    else:
        with pytest.raises(ValueError, match=r"parameter of OnlineSVM.*'(cs|hinge)'"):
            model.fit(X, y)


@pytest.mark.parametrize(("machine", "loss"), PAIRS)
def test_solvers_of_linear_machines(machine, loss):
    row = FORMULATIONS[machine]
    if row.estimator != "LinearSVM":
        return
    able = {"auto", "dual", *row.comparison.get(loss, ())}
    able |= {"tron"} if loss in row.tron else set()
    for solver in ("auto", "dual", "tron", "exponentiated_gradient", "cutting_plane"):
        model = LinearSVM(machine, loss=loss, solver=solver, max_iter=2)
        if solver in able:
            assert_does(model, X, y)
        else:
            assert_refuses(
                lambda m=model: m.fit(X, y), f"solver={solver!r}", machine, *able
            )


@pytest.mark.parametrize(("machine", "loss"), PAIRS)
def test_reduced_features(machine, loss):
    data = make_sparse_problem(40, 30, 3)
    model = make_model(machine, loss, features="reduced", max_iter=2)
    if FORMULATIONS[machine].reduced:
        assert_does(model, *data)
    else:
        able = names_of(lambda row: row.reduced)
        assert_refuses(lambda: model.fit(*data), f"machine={machine!r}", *able)


@pytest.mark.parametrize(("machine", "loss"), PAIRS)
def test_row_stores(machine, loss, tmp_path):
    store = convert([(X, y)], tmp_path / "a.rows")
    model = make_model(machine, loss, max_iter=2)
    if FORMULATIONS[machine].row_stores:
        assert_does(model, store)
    else:
        assert_refuses(lambda: model.fit(store), f"machine={machine!r}", "cs", "load")


@pytest.mark.parametrize("name", MACHINE_NAMES)
def test_partitions(name):
    """That the others train on partitions is for tests/dask to show."""
    model = pytest.importorskip("polymargin.dask").DaskLinearSVM(name)
    machine = MACHINES[name, "hinge"]
    if machine.formulation.partitions:
        model._check_possible(machine)
    else:
        assert_refuses(
            lambda: model._check_possible(machine), f"machine={name!r}", "partitions"
        )


@pytest.mark.parametrize("name", MACHINE_NAMES)
def test_files_of_liblinear(name, tmp_path):
    row, path = FORMULATIONS[name], tmp_path / "model"
    model = LinearSVM(name, max_iter=50, tol=1e-2, random_state=0).fit(X, y)
    if row.by_pairs:
        assert_refuses(lambda: export_liblinear(model, path), f"machine={name!r}")
        return
    export_liblinear(model, path)
    np.testing.assert_array_equal(import_liblinear(path).predict(X), model.predict(X))


def test_numbers_of_liblinear_are_all_there():
    types = [number for row in FORMULATIONS.values() for number in row.liblinear]
    assert sorted(types) == [0, 1, 2, 3, 4, 7]
    for row in FORMULATIONS.values():
        assert {loss for _, loss, _ in row.liblinear.values()} <= set(row.losses)


def test_docstrings_name_what_the_registries_have():
    for estimator, able in (
        (LinearSVM, MACHINE_NAMES),
        (KernelSVM, names_of(lambda row: row.kernels)),
    ):
        text = estimator.__doc__
        assert "<" not in re.sub(r"<=", "", text)
        assert f"machine : {{{', '.join(map(repr, able))}}}".replace("'", '"') in text
        for name in able:
            about = f'{FORMULATIONS[name].full_name} ("{name}")'
            assert about in " ".join(text.split())
        lines = [line for line in text.splitlines() if "machine :" not in line]
        assert max(map(len, lines)) <= 88
    for name in KERNELS_OF_ROWS:
        assert f'"{name}" is ``{KERNELS[name].formula}``' in " ".join(
            KernelSVM.__doc__.split()
        )


@pytest.mark.parametrize(("machine", "loss"), PAIRS)
def test_machines_are_found_and_told_apart(machine, loss):
    found = find_machine(machine, loss)
    assert found is MACHINES[machine, loss]
    others = [other for pair, other in MACHINES.items() if pair != (machine, loss)]
    assert found not in others
    axes = found.axes(5)
    row = found.formulation
    assert (axes.margin, axes.variables, axes.aggregation, axes.sums_to_zero) == (
        (row.margin, row.variables, row.aggregation, row.sums_to_zero)
    )
    assert axes.loss == loss


@pytest.mark.parametrize("kernel", KERNELS)
def test_kernels_of_the_registry(kernel):
    row = KERNELS[kernel]
    data = X if row.of_rows else X @ X.T
    model = KernelSVM(kernel=kernel, gamma=0.1).fit(data, y)
    assert type(model._expansion.kernel.plain) is row.kernel_class
    assert bool(model._expansion.kernel.constant) == row.of_products
    assert (model._expansion.points.norms is not None) if row.has_norms else True
    assert (model.gamma_ is not None) == ("gamma" in row.parameters)
