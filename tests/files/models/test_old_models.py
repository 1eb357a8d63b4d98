"""Models that earlier versions have written: they load, answer as before, and go on."""

import json
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from old_models import FOLDER, N_ANSWERS, make_models

from polymargin import OnlineSVM, load, save

VERSIONS = sorted(folder.name for folder in FOLDER.iterdir() if folder.is_dir())
MODELS = make_models()
SAVED = [(version, name) for version in VERSIONS for name in MODELS]


def answers_of(version: str, name: str) -> dict:
    return json.loads((FOLDER / version / "answers.json").read_text())[name]


def load_old(version: str, name: str, **options):
    return load(FOLDER / version / f"{name}.polymargin", **options)


def test_every_file_is_known():
    """A model that is taken from the list would no longer be tested."""
    for version in VERSIONS:
        files = {file.stem for file in (FOLDER / version).glob("*.polymargin")}
        assert files <= set(MODELS)


@pytest.mark.parametrize("mmap", [True, False])
@pytest.mark.parametrize(("version", "name"), SAVED)
def test_answers(version, name, mmap):
    model, (made, X, _) = load_old(version, name, mmap=mmap), MODELS[name]
    answers, rows = answers_of(version, name), X[:N_ANSWERS]
    assert type(model) is type(made)
    assert model.metadata_ == {"name": name}
    single = X.dtype == np.float32
    close = {"rtol": 1e-4, "atol": 1e-5} if single else {"rtol": 1e-8, "atol": 1e-10}
    assert model.predict(rows).tolist() == answers["labels"]
    np.testing.assert_allclose(
        model.decision_function(rows), answers["scores"], **close
    )
    if "probabilities" in answers:
        found = model.predict_proba(rows)
        np.testing.assert_allclose(found, answers["probabilities"], **close)


@pytest.mark.parametrize(("version", "name"), SAVED)
def test_parameters_are_those_it_was_made_with(version, name):
    parameters = load_old(version, name).get_params()
    given = MODELS[name][0].get_params()
    assert {key: parameters[key] for key in given} == given


@pytest.mark.parametrize(("version", "name"), SAVED)
def test_goes_on(version, name):
    """A warm start from the solution stays there."""
    model, (_, X, y) = load_old(version, name), MODELS[name]
    if isinstance(model, OnlineSVM):
        known = model.dual_objective_
        model.partial_fit(X, y)
        assert model.dual_objective_ >= known * (1 - 1e-9)
        return
    cold = model.n_iter_
    model.set_params(warm_start=True).fit(X, y)
    assert model.status_ == "converged"
    if name.startswith(("linear", "maxent")):
        assert model.n_iter_ <= cold
    objective = answers_of(version, name)["objective"]
    assert model.objective_ == pytest.approx(objective, rel=2 * model.tol)


@pytest.mark.parametrize(("version", "name"), SAVED)
def test_can_be_written_again(version, name, tmp_path):
    model, X = load_old(version, name), MODELS[name][1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        save(model, tmp_path / "again.polymargin")
        again = load(tmp_path / "again.polymargin")
    rows = X.toarray() if sp.issparse(X) and name.startswith("linear") else X
    np.testing.assert_array_equal(again.predict(rows), model.predict(rows))
