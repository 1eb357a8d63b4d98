"""Tell from a paragraph of SciPy's documentation which package it is about.

The texts come with SciPy itself: paragraphs of the docstrings of twelve packages. Every
third docstring is held out, and paragraphs of it that others repeat are left out of the
test. ``python examples/text.py --output text.png`` prints a table and the telling words
of each package, and draws the search for C and who is taken for whom.
"""

import argparse
import importlib
import inspect
from time import perf_counter

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import confusion_matrix

import polymargin

PACKAGES = [
    *("cluster.hierarchy", "fft", "integrate", "interpolate", "linalg", "ndimage"),
    *("optimize", "signal", "sparse", "spatial.distance", "special", "stats"),
]
MACHINES = {
    "cs": "Crammer-Singer",
    "ww": "Weston-Watkins",
    "ovr": "one-vs-rest",
    "maxent": "maximum entropy",
}


def paragraphs(docstrings: list[str]) -> list[str]:
    """Return what is to be classified, each text once."""
    parts = (text.split("\nExamples\n")[0].split("\n\n") for text in docstrings)
    found = dict.fromkeys(paragraph for part in parts for paragraph in part)
    return [paragraph for paragraph in found if len(paragraph) >= 80]


def read() -> tuple[list[str], list[str], list[str], list[str]]:
    """Return texts and packages to train with, and those to test with."""
    texts, labels, texts_test, labels_test = [], [], [], []
    for package in PACKAGES:
        module = importlib.import_module(f"scipy.{package}")
        found = sorted({inspect.getdoc(vars(module)[n]) or "" for n in module.__all__})
        known = paragraphs([text for at, text in enumerate(found) if at % 3])
        new = [text for text in paragraphs(found[::3]) if text not in known]
        texts += known
        labels += len(known) * [package]
        texts_test += new
        labels_test += len(new) * [package]
    return texts, labels, texts_test, labels_test


def telling_words(model, words: np.ndarray, top: int = 5) -> dict[str, list[str]]:
    """Return the words with the largest weights of every class."""
    heaviest = np.argsort(-model.coef_, axis=1)[:, :top]
    return dict(zip(model.classes_, words[heaviest].tolist(), strict=True))


def plot(found, confusion, path: str) -> None:
    """Draw scores against C, and what share of a package is taken for which."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
    for machine, tuning in found.items():
        Cs = [point.parameters["C"] for point in tuning.points]
        means = [point.mean for point in tuning.points]
        left.semilogx(Cs, means, marker="o", markersize=3, label=MACHINES[machine])
    left.set(xlabel="C", ylabel="accuracy in cross-validation", title="Which C?")
    left.grid(alpha=0.25)
    left.legend()
    right.imshow(confusion, cmap="Blues", vmin=0, vmax=1)
    ticks, names = range(len(PACKAGES)), [name.split(".")[-1] for name in PACKAGES]
    right.set_xticks(ticks, names, rotation=60, fontsize=8)
    right.set_yticks(ticks, names, fontsize=8)
    right.set(xlabel="predicted", ylabel="true", title="Who is taken for whom")
    figure.savefig(path, dpi=150)
    plt.close(figure)


def main(arguments: list[str] | None = None) -> None:
    """Train, print and plot."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", default="text.png", help="(text.png)")
    output = parser.parse_args(arguments).output

    texts, y, texts_test, y_test = read()
    vectorizer = TfidfVectorizer(sublinear_tf=True, dtype=np.float32)
    X, X_test = vectorizer.fit_transform(texts), vectorizer.transform(texts_test)
    print(
        f"{X.shape[0]:,} paragraphs, {X.shape[1]:,} words, {len(PACKAGES)} packages\n"
    )

    print(f"{'machine':<18}{'seconds':>9}{'best C':>9}{'accuracy':>10}{'gap':>10}")
    found = {}
    for machine, name in MACHINES.items():
        start = perf_counter()
        found[machine] = polymargin.tune(X, y, machine, cv=3, random_state=0)
        seconds, model = perf_counter() - start, found[machine].model
        print(
            f"{name:<18}{seconds:>9.3f}{model.C:>9g}"
            f"{model.score(X_test, y_test):>10.4f}{model.dual_gap_:>10.1e}"
        )
    print()
    model, words = found["cs"].model, vectorizer.get_feature_names_out()
    for package, telling in telling_words(model, words).items():
        print(f"{package:<18}{' '.join(telling)}")
    shares = confusion_matrix(
        y_test, model.predict(X_test), labels=PACKAGES, normalize="true"
    )
    plot(found, shares, output)
    print(f"\nSeconds are those of the search for C. The plot is in {output}.")


if __name__ == "__main__":
    main()
