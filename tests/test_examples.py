"""The examples run: those with plots as they are, that of a stream on files too."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def example(name):
    """The module of an example."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def stream():
    return example("stream")


def run(name, folder, capsys):
    """What an example prints; its plot must be where it was asked for."""
    picture = folder / "plot.png"
    example(name).main(["--output", str(picture)])
    assert picture.read_bytes().startswith(b"\x89PNG")
    return capsys.readouterr().out


def numbers_of(output, name):
    """The numbers of the line that begins with a name."""
    (line,) = [line for line in output.splitlines() if line.startswith(name)]
    return [float(word) for word in line[len(name) :].split()]


def test_costs(tmp_path, capsys):
    output = run("costs", tmp_path, capsys)
    for machine in ("Crammer-Singer", "Weston-Watkins", "Lee-Lin-Wahba"):
        lines = [line for line in output.splitlines() if line.startswith(machine)]
        plain, aware = (float(line.split()[-3]) for line in lines)
        assert aware < plain


def test_small_models(tmp_path, capsys):
    output = run("small_models", tmp_path, capsys)
    rows = {
        penalty: np.array(
            [
                line.split()[1:]
                for line in output.splitlines()
                if line.startswith(penalty)
            ]
        ).astype(float)
        for penalty in ("l2", "l1", "group")
    }
    for penalty in ("l1", "group"):
        weights, features, accuracy = rows[penalty][:, 1:].T
        assert np.all(np.diff(weights) > 0)  # with C
        assert accuracy.max() > rows["l2"][:, 3].max() - 0.01
        assert features[0] < 20
    assert np.all(rows["group"][:, 1] == 10 * rows["group"][:, 2])


def test_several_labels(tmp_path, capsys):
    output = run("several_labels", tmp_path, capsys)
    assert numbers_of(output, "f1")[1] > numbers_of(output, "zero")[1] + 0.1


def test_intercepts(tmp_path, capsys):
    output = run("intercepts", tmp_path, capsys)
    free = numbers_of(output, "free")
    assert max(free) - min(free) < 0.02
    assert numbers_of(output, "True")[-1] < min(free) - 0.1


def test_new_classes(tmp_path, capsys):
    output = run("new_classes", tmp_path, capsys)
    for name, least in (("LinearSVM", 0.75), ("OnlineSVM", 0.93)):
        classes, accuracy = numbers_of(output, name)
        assert classes == 10
        assert accuracy > least


def test_text(tmp_path, capsys):
    output = run("text", tmp_path, capsys)
    for name in ("Crammer-Singer", "Weston-Watkins", "one-vs-rest", "maximum entropy"):
        _, C, accuracy, gap = numbers_of(output, name)
        assert 0.01 < C < 100
        assert accuracy > 0.75
        assert gap <= 1e-3
    assert "linkage" in output  # a word that tells cluster.hierarchy


def test_kernels(tmp_path, capsys):
    output = run("kernels", tmp_path, capsys)
    support, accuracy = numbers_of(output, "Gaussian  ")
    assert support < 450
    assert accuracy > 0.99
    budget, bounded = numbers_of(output, "Gaussian, online, budget 60")
    assert budget <= 60
    assert bounded > 0.95


def test_convergence(tmp_path, capsys):
    output = run("convergence", tmp_path, capsys)
    ways = ("default (acf)", "permuted, shrinking", "exponentiated gradient")
    for name in (*ways, "cutting plane"):
        _, objective, bound, _ = numbers_of(output, name)
        # Every bound holds for every model.
        assert bound <= numbers_of(output, "default (acf)")[1]
        assert objective >= numbers_of(output, "default (acf)")[2]
    assert numbers_of(output, "default (acf)")[-1] <= 1e-5


def test_cluster(tmp_path, capsys):
    pytest.importorskip("distributed")
    output = run("cluster", tmp_path, capsys)
    for name in ("Crammer-Singer", "maximum entropy", "rbf, rank 100"):
        _, sent, gap, accuracy = numbers_of(output, name)
        assert sent > 0
        assert gap <= 1e-2
        assert accuracy > 0.9


def lines_of(output):
    """The numbers of every line of progress."""
    rows = [line.replace(",", "").split() for line in output.splitlines()]
    return [
        [float(word) for word in row]
        for row in rows
        if len(row) == 5 and row[0].isdigit()
    ]


def test_made_data_progress_and_plot(stream, tmp_path, capsys):
    picture = tmp_path / "plot.png"
    sizes = ["--rows", "1300", "--chunk", "100", "--held-out", "200", "--budget", "150"]
    stream.main([*sizes, "--every", "4", "--output", str(picture)])
    lines = lines_of(capsys.readouterr().out)
    assert [line[0] for line in lines] == [400, 800, 1100]
    assert lines[-1][2] == max(line[2] for line in lines) == 150  # the budget is full
    assert lines[-1][3] > 0.7
    assert lines[-1][4] > 0.85
    assert picture.read_bytes().startswith(b"\x89PNG")


def write_both(folder, rows=330):
    """The same rows as svmlight text and as CSV with a header, label last."""
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=rows)
    X = np.round(rng.normal(size=(rows, 4)) + 2 * y[:, None], 3)
    X[:, 1] *= rng.random(rows) < 0.5
    names = ["ash", "birch", "cedar"]
    svm, text = folder / "rows.svm", folder / "rows.csv"
    with svm.open("w") as first, text.open("w") as second:
        second.write("a,b,c,d,tree\n")
        for label, row in zip(y, X, strict=True):
            pairs = [f"{at}:{value}" for at, value in enumerate(row) if value]
            first.write(f"{names[label]} {' '.join(pairs)} # a row\n\n")
            second.write(",".join([*map(str, row), names[label]]) + "\n")
    return svm, text


def test_formats_give_the_same_model(stream, tmp_path, capsys):
    common = ["--held-out", "30", "--chunk", "50", "--every", "1", "--gamma", "0.2"]
    common += ["--output", str(tmp_path / "plot.png")]
    outputs = []
    for path in write_both(tmp_path):
        more = ["--label-column", "-1"] if path.suffix == ".csv" else []
        stream.main([str(path), *common, *more])
        text = capsys.readouterr().out
        assert "3 classes, 30 examples held out" in text
        outputs.append([line[:1] + line[2:] for line in lines_of(text)])
    assert outputs[0][-1][0] == 300  # held-out rows are not learned from
    np.testing.assert_array_equal(*outputs)
    assert outputs[0][-1][-1] > 0.8


def test_without_matplotlib_and_without_a_file(stream, monkeypatch, tmp_path, capsys):
    svm, _ = write_both(tmp_path, rows=60)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    stream.main([str(svm), "--output", str(tmp_path / "plot.png")])
    assert "matplotlib is not installed" in capsys.readouterr().out
    assert not (tmp_path / "plot.png").exists()
    with pytest.raises(SystemExit):
        stream.main([str(tmp_path / "nowhere.svm")])
    assert "there is no file" in capsys.readouterr().err


def test_held_out_rows_are_a_sample_of_bounded_size(stream, tmp_path):
    svm, _ = write_both(tmp_path)
    form = stream.Svmlight()
    classes, held_out = stream.survey(svm, form, 40)
    assert classes == ["ash", "birch", "cedar"]
    assert form.largest == 3
    assert len(held_out) == 40
    lines = list(stream.examples_of(svm, form))
    assert all(lines[number] == line for number, line in held_out.items())
    assert max(held_out) > 250  # from all of the file
    assert len(stream.survey(svm, form, 1000)[1]) == 330 // 5
