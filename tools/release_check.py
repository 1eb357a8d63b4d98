"""What must hold before a release: `make release-check`.

Builds the source distribution and, from it, a wheel; installs each into a new
environment; runs the first examples of the README there; and checks that the version is
stated once, that the changelog has it, and that the documentation can be built.
"""

import argparse
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def run(*command: object, cwd: Path = ROOT) -> str:
    """Run a command; what it printed, or the end of this program."""
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, capture_output=True, text=True
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def check(what: str, right: object) -> None:
    """Say that something holds, or end."""
    if not right:
        sys.exit(f"not right: {what}")
    print(f"ok  {what}", flush=True)


def check_version(version: str) -> None:
    """One place states the version; others that must repeat it agree."""
    source = (ROOT / "src/polymargin/_version.py").read_text()
    check("the package asks its metadata for the version", version not in source)
    citation = (ROOT / "CITATION.cff").read_text()
    check("CITATION.cff has the version", f"\nversion: {version}\n" in citation)
    heading = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    check("CHANGELOG.md begins with the version", heading and heading[1] == version)


def build(folder: Path) -> tuple[Path, Path]:
    """Return the source distribution, and the wheel that is built from it."""
    run(sys.executable, "-m", "build", "--sdist", "--outdir", folder)
    (source,) = folder.glob("*.tar.gz")
    run(sys.executable, "-m", "pip", "wheel", "--no-deps", "-w", folder, source)
    (wheel,) = folder.glob("*.whl")
    with tarfile.open(source) as archive:
        names = archive.getnames()
    for name in ("LICENSE", "CMakeLists.txt", "core/src/machines.cpp", "README.md"):
        check(f"the source has {name}", any(n.endswith(f"/{name}") for n in names))
    with zipfile.ZipFile(wheel) as archive:
        inside = archive.namelist()
    stubs = ("_core_generic.pyi", "_reading.pyi", "_cpu.pyi", "py.typed")
    for name in stubs:
        check(f"the wheel has {name}", f"polymargin/{name}" in inside)
    check("the wheel has the license", any(n.endswith("/LICENSE") for n in inside))
    return source, wheel


def first_examples() -> tuple[str, str]:
    """Return the commands of the README for a table, and its first Python block."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    python = re.search(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)[1]
    train = re.search(r"^ {4}(polymargin train \S+)", text, re.MULTILINE)[1]
    return train, python


def try_install(package: Path, version: str) -> None:
    """Install into a new environment, and run the README's first examples there."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        venv.create(folder / "environment", with_pip=True)
        (python,) = [
            path
            for path in (folder / "environment").glob("*/python*")
            if path.stem == "python"
        ]
        run(python, "-m", "pip", "install", "--quiet", f"{package}[files]")
        found = run(python, "-c", "import polymargin as p; print(p.__version__)")
        check(f"{package.name} installs as version {version}", found.strip() == version)
        (folder / "make_data.py").write_text(
            "from sklearn.datasets import load_iris\n"
            "from polymargin import save_data\n"
            "iris = load_iris()\n"
            "names = ['sepal length', 'sepal width', 'petal length', 'petal width']\n"
            "labels = iris.target_names[iris.target]\n"
            "save_data(iris.data, labels, 'data.csv', feature_names=names)\n"
        )
        run(python, "make_data.py", cwd=folder)
        train, code = first_examples()
        program, *arguments = train.split()
        run(python.with_name(program), *arguments, cwd=folder)
        check(f"{train} writes a model", (folder / "data.polymargin").exists())
        (folder / "readme.py").write_text(code)
        printed = run(python, "readme.py", cwd=folder).split()
        check("the README's first Python example runs", float(printed[0]) > 0.9)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--dist", type=Path, default=ROOT / "dist")
    parser.add_argument("--no-docs", action="store_true", help="do not build the site")
    options = parser.parse_args()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    check_version(project["version"])
    if not options.no_docs:
        run(sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet")
        check("the documentation is built", (ROOT / "build/site/index.html").exists())
    for old in [*options.dist.glob("*.tar.gz"), *options.dist.glob("*.whl")]:
        old.unlink()
    for package in build(options.dist):
        try_install(package, project["version"])
    print(f"ready for a release: {options.dist}")
