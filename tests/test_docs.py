"""The examples in the docstrings and on the pages do what they say."""

import doctest
import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

import polymargin

# Compiled modules have no examples; finding them must not load one this processor
# cannot run.
MODULES = ["polymargin"] + [
    module.name
    for module in pkgutil.walk_packages(polymargin.__path__, "polymargin.")
    if not module.name.startswith(
        ("polymargin._core_", "polymargin._cpu", "polymargin._reading")
    )
    and not module.name.endswith("__main__")
]


ROOT = Path(__file__).resolve().parents[1]
PAGES = [
    page
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if "```python" in page.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
@pytest.mark.filterwarnings("error::sklearn.exceptions.ConvergenceWarning")
def test_snippets_of_pages(page, tmp_path, monkeypatch):
    """One after the other, as a reader would run them, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    text, names = page.read_text(encoding="utf-8"), {}
    for found in re.finditer(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        # Errors tell the line of the page.
        lines_before = "\n" * text[: found.start(1)].count("\n")
        exec(compile(lines_before + found[1], page, "exec"), names)


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_links_of_files(name):
    """The pages of the site are checked when it is built, these are not part of it."""
    links = re.findall(r"\]\(([^)#]+)", (ROOT / name).read_text(encoding="utf-8"))
    here = [link for link in links if "://" not in link]
    assert [link for link in here if not (ROOT / link).exists()] == []
    assert here or name == "CHANGELOG.md"


def test_readme_is_short():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 100


def test_doctests():
    """Of all modules: most have none, and some must have theirs."""
    attempted = {}
    for name in MODULES:
        results = doctest.testmod(
            importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE
        )
        assert results.failed == 0, name
        attempted[name] = results.attempted
    assert sum(count > 0 for count in attempted.values()) >= 20


@pytest.mark.parametrize("estimator", [polymargin.LinearSVM, polymargin.MaxEnt])
def test_every_parameter_and_attribute_is_documented(estimator):
    text = estimator.__doc__
    model = estimator()
    for name in model.get_params():
        assert f"\n    {name} : " in text, name
    model.fit([[0.0], [1.0]], [0, 1])
    for name in vars(model):
        if name.endswith("_") and not name.startswith("_"):
            assert name in text, name


NO_EXAMPLE = {  # they are returned or raised, never made by a reader
    "comparison.Report",
    "models.ModelFileError",
    "protocols.Protocol",
    "significance.Comparison",
    "significance.Friedman",
}


def test_public_docstrings_have_an_example_and_fit_a_screen():
    """A screen is 60 lines; estimators have groups of parameters instead."""
    public = {name: getattr(polymargin, name) for name in polymargin.__all__}
    for module in polymargin._MODULES:
        found = getattr(polymargin, module)
        public |= {f"{module}.{name}": getattr(found, name) for name in found.__all__}
    texts = {name: inspect.getdoc(one) for name, one in public.items() if callable(one)}
    assert {name for name, text in texts.items() if ">>> " not in text} == NO_EXAMPLE
    for name, text in texts.items():
        assert inspect.isclass(public[name]) or len(text.splitlines()) <= 60, name
