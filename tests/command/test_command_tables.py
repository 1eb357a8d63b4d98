"""``polymargin train`` on tables as they come, and what reads its models."""

import json

import numpy as np
import pandas as pd
import pytest
from command_files import run_json, write_iris
from sklearn.datasets import load_wine

import polymargin
from polymargin.command import main

N = 90
ENDLESS = ["--budget", "1e9"]  # the clock has no say


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def write_mixed(path, rows=range(N), order=None, label=True, extra=False):
    """Numbers, words, dates, text, missing cells; what tells is the color."""
    lines = []
    names = ["id", "width", "color", "day", "note"]
    names += ["kind"] * label + ["more"] * extra
    order = names if order is None else order
    for i in rows:
        cells = {
            "id": i + 1000,
            "width": "" if i % 10 == 3 else round(3 + np.sin(i), 3),
            "color": ["red", "green", "dark blue"][i % 3],
            "day": f"2024-0{1 + i % 9}-11",
            "note": f'"the {["cat", "dog"][i % 2]}, number {i}, has a toy"',
            "kind": ["r", "g", "b"][i % 3],
            "more": i,
        }
        lines.append(",".join(str(cells[name]) for name in order))
    path.write_text(",".join(order) + "\n" + "\n".join(lines) + "\n")


def test_from_a_table_to_labels(tmp_path, capsys):
    write_mixed(tmp_path / "t.csv")
    found = run_json(capsys, "train", "t.csv", "--label", "kind", *ENDLESS)
    kinds = {column["name"]: column["kind"] for column in found["columns"]}
    assert kinds == {
        "id": "identifier",
        "width": "number",
        "color": "category",
        "day": "date",
        "note": "text",
    }
    measured = found["cross_validation"]["evaluation"]
    assert measured["accuracy"] > 0.95 and measured["baseline"] == pytest.approx(1 / 3)
    assert found["comparison"]["trials"] and found["comparison"]["complete"]
    [taken] = [one for one in found["comparison"]["trials"] if one["taken"]]
    assert taken["C"] == found["machine"]["C"]
    # New rows: other order, no label, a column more.
    order = ["note", "day", "more", "color", "id", "width"]
    write_mixed(tmp_path / "new.csv", range(9), order, label=False, extra=True)
    assert main(["predict", "new.csv", "t.polymargin"]) == 0
    shown = capsys.readouterr()
    assert shown.out.split() == ["r", "g", "b"] * 3
    assert "columns that the model does not know: 'more'" in shown.err
    evaluated = run_json(capsys, "evaluate", "t.polymargin", "t.csv")
    assert evaluated["accuracy"] > 0.95
    assert main(["inspect", "t.polymargin", "t.csv"]) == 0
    assert "color=red" in capsys.readouterr().out
    # In Python, a data frame will do.
    import pandas as pd

    frame = pd.read_csv("t.csv", parse_dates=["day"])
    model = polymargin.load("t.polymargin")
    assert model.score(frame, frame["kind"]) == evaluated["accuracy"]


def test_a_missing_column_is_named(tmp_path, capsys):
    write_mixed(tmp_path / "t.csv")
    words = ["train", "t.csv", "--label", "kind", "--quick", "-v", "0", "-q"]
    assert main(words) == 0
    write_mixed(tmp_path / "new.csv", range(9), ["note", "day", "width"], label=False)
    assert main(["predict", "new.csv", "t.polymargin"]) == 1
    told = capsys.readouterr().err
    assert "column 'color' is missing in new.csv, whose columns" in told
    # What nothing was made of need not be there.
    titles = ["note", "day", "width", "color"]
    write_mixed(tmp_path / "new.csv", range(9), titles, label=False)
    assert main(["predict", "new.csv", "t.polymargin"]) == 0
    assert capsys.readouterr().out.count("\n") == 9


def test_scales_do_not_matter(tmp_path, capsys):
    """Wine as it comes: features from 0.1 to 1,680, and a number of the row."""
    data = load_wine()
    rows = np.column_stack([np.arange(178), data.data, data.target])
    names = ",".join(["number", *data.feature_names, "class"])
    np.savetxt("wine.csv", rows, "%.7g", ",", header=names, comments="")
    found = run_json(capsys, "train", "wine.csv", *ENDLESS)
    assert found["columns"][0]["kind"] == "identifier"
    assert found["cross_validation"]["accuracy"] > 0.95
    quick = run_json(capsys, "train", "wine.csv", "-m", "cs", "-k", "linear")
    assert quick["cross_validation"]["accuracy"] > 0.95
    raw = run_json(
        capsys, "train", "wine.csv", "-m", "ww", "-k", "rbf", "--as-is", "-v", "0"
    )
    assert "columns" not in raw
    assert not hasattr(polymargin.load("wine.polymargin"), "steps")


def test_no_names_and_a_held_out_file(tmp_path, capsys):
    write_iris(tmp_path / "iris.csv")
    lines = (tmp_path / "iris.csv").read_text().splitlines()[1:]
    (tmp_path / "a.csv").write_text("\n".join(lines[::2]))
    (tmp_path / "b.csv").write_text("\n".join(lines[1::2]))
    assert main(["train", "a.csv", "b.csv", "-m", "ovr", "-k", "linear"]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""  # not that names of features are missing
    assert "confidence" in shown.out and "% of b.csv" in shown.out
    assert main(["predict", "b.csv", "a.polymargin"]) == 0
    assert len(capsys.readouterr().out.split()) == 75


def test_a_held_out_file_without_labels(tmp_path, capsys):
    write_mixed(tmp_path / "a.csv")
    write_mixed(tmp_path / "b.csv", label=False)
    assert main(["train", "a.csv", "b.csv", "--quick"]) == 1
    assert "b.csv has no column 'kind' with the labels to" in capsys.readouterr().err


def test_columns(tmp_path, capsys):
    write_mixed(tmp_path / "t.csv")
    words = ["train", "t.csv", "--label", "kind", "--columns"]
    assert main(words) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 6
    assert lines[-1].split(maxsplit=2) == ["kind", "label", "3 classes: b, g, r"]
    assert lines[1].split(maxsplit=2) == [
        "width",
        "number",
        "9 missing values imputed and flagged, centred and scaled",
    ]
    asked = ["--drop", "note,day", "--number", "id", "--text", "color"]
    assert main([*words, *asked, "--json"]) == 0
    columns = json.loads(capsys.readouterr().out)["columns"]
    assert [column["kind"] for column in columns] == [
        "number",
        "number",
        "characters",
        "dropped",
        "dropped",
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


def test_sparse_rows_are_scaled_if_they_are_large(tmp_path, capsys):
    text = "".join(f"{i % 2} 1:{100 * (i % 2) + i % 3} 99:{i % 5}\n" for i in range(40))
    (tmp_path / "a.svm").write_text(text)
    assert main(["train", "a.svm", "-m", "cs", "-k", "linear", "-v", "0"]) == 0
    assert "values up to 102: features are divided by" in capsys.readouterr().err
    model = polymargin.load("a.polymargin")
    assert model[0].max_abs_[[0, 98]].tolist() == [102, 4]
    assert main(["evaluate", "a.polymargin", "a.svm"]) == 0


def test_dense_rows_are_moved_if_they_are_large(tmp_path, capsys):
    """A year divided by the last one would be next to a constant."""
    text = "".join(f"{i % 2} 1:{2000 + i % 2} 2:{i % 5 + 1}\n" for i in range(40))
    (tmp_path / "a.svm").write_text(text)
    (tmp_path / "b.svm").write_text("1 1:2001\n" + 20 * "0\n")  # sparse
    words = ["-m", "ww", "-k", "rbf", "-v", "0"]
    assert main(["train", "a.svm", *words]) == 0
    assert "features are moved to the range from 0 to 1" in capsys.readouterr().err
    assert main(["predict", "a.svm", "a.polymargin"]) == 0
    assert "Accuracy = 100.0000%" in capsys.readouterr().err
    assert main(["predict", "b.svm", "a.polymargin"]) == 0
    assert main(["train", "a.svm", "b.svm", *words]) == 0


def test_tune_scales_too(tmp_path, capsys):
    write_mixed(tmp_path / "t.csv")
    words = ["tune", "t.csv", "--label", "kind", "-m", "cs", "-k", "linear"]
    found = run_json(capsys, *words, "--Cs", "1", "--no-growth", "-o", "m.polymargin")
    assert found["best"]["accuracy"] > 0.95
    assert hasattr(polymargin.load("m.polymargin"), "steps")


@pytest.mark.parametrize(
    ("text", "words", "status", "sentence"),
    [
        ("", [], 1, "a.csv has no rows; give"),
        ("a,b,class\n", [], 1, "a.csv has a header, but no rows; add"),
        (
            "a,name\n" + "".join(f"{i % 7},p{i}\n" for i in range(30)),
            [],
            1,
            "has another label in column 'name' in each of its 30 rows, such as p0",
        ),
        ("a,class\ninf,x\n2,y\n", [], 1, "column 'a', row 1: inf is no finite"),
        ("a,class\n1,x\n2,x\n", [], 1, "got one class only: x in column 'class'"),
        (
            "species,a,b\n" + "".join(f"{'xy'[i % 2]},1,{i / 7}\n" for i in range(60)),
            [],
            1,
            "a.csv has 60 different labels in column 'b' in 60 rows, such as 0.142857, "
            "which are no classes; name the column of the labels with --label, perhaps "
            "--label species.",
        ),
        (
            "a,price\n" + "".join(f"{i % 7},{i * i % 31}\n" for i in range(30)),
            [],
            1,
            "a.csv has 16 different numbers in column 'price' in 30 rows, such as 0, "
            "which are no classes; name the column of the labels with --label, or put",
        ),
        ("a,class\n1,0.5\n2,1\n", [], 1, "has 2 different labels in column 'class'"),
        ("a,class\n1,x\n2,y\n", ["--drop", "z"], 1, "a.csv: there is no column 'z'"),
        (
            "a,class\nw,x\nv,y\n",
            ["--number", "a"],
            1,
            "line 2, column 'a': 'w' is no num",
        ),
        ("a,class\nw,x\nv,y\n", ["--as-is"], 1, "leave out --as-is"),
        ("a,class\n1,x\n2,y\n", ["--drop", "a"], 1, "no column is left to learn from"),
        ("a,class\n1,x\n2,y\n", ["-o", "-"], 2, "-o -: this is written aside"),
        ("a,class\n1,x\n2,\n", [], 1, "a.csv, line 3: there is no label in column"),
        ("a,class\n1,x\n2,y\n", ["--label", "b"], 1, "has no column of that name"),
    ],
)
def test_bad_input(tmp_path, capsys, text, words, status, sentence):
    (tmp_path / "a.csv").write_text(text)
    assert main(["train", "a.csv", *words]) == status
    shown = capsys.readouterr()
    assert sentence in shown.err and shown.err.count("\n") == 1, shown.err
    assert shown.out == ""
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]


def test_very_many_categories(tmp_path, capsys):
    rows = [f"v{i // 2},{i % 2}" for i in range(6000)]
    (tmp_path / "a.csv").write_text("word,class\n" + "\n".join(rows) + "\n")
    assert main(["train", "a.csv", "--columns"]) == 0
    assert "3,000 values, the 1,000 most frequent" in capsys.readouterr().out


def test_columns_that_tell_nothing(tmp_path, capsys):
    rng = np.random.default_rng(0)
    rows = [f"{x:.3f},{'aab'[i % 3]}" for i, x in enumerate(rng.normal(size=30))]
    (tmp_path / "a.csv").write_text("x,class\n" + "\n".join(rows) + "\n")
    assert main(["train", "a.csv", "--budget", "1e9"]) == 0
    assert "nothing that was tried is better than" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (
            "a.xlsx",
            "a.xlsx is a workbook, which is not read here; save the sheet as CSV.",
        ),
        ("a.feather", "a.feather is a file of Arrow, which is not read here; read it"),
        (
            "a.npy",
            "is an array without labels, which is not read here; save it with nu",
        ),
        (
            "a.txt",
            "if it is a table, put a comma, tab, semicolon or bar between columns.",
        ),
    ],
)
def test_files_of_other_kinds(tmp_path, capsys, name, sentence):
    (tmp_path / name).write_text("age size kind\n1 2 x\n")
    assert main(["train", name]) == 1
    assert sentence in capsys.readouterr().err


def test_trained_on_parquet_and_used_on_text(tmp_path, capsys):
    rng = np.random.default_rng(0)
    x, color = rng.normal(size=N), np.array(["red", "blue"])[np.arange(N) % 2]
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(N), unit="D")
    frame = pd.DataFrame({"x": x, "color": color, "day": day, "flag": x > 1})
    frame["color"] = frame["color"].astype("category")
    frame["kind"] = np.where(x > 0, color, "none")
    frame.to_parquet("a.parquet")
    frame.to_csv("a.csv", index=False)
    assert main(["train", "a.parquet", "--quick", "-v", "0"]) == 0
    accuracies = []
    for file in ("a.parquet", "a.csv"):
        capsys.readouterr()
        assert main(["predict", file, "a.polymargin"]) == 0
        accuracies.append(capsys.readouterr())
    assert accuracies[0] == accuracies[1]


def test_a_model_with_damaged_metadata(tmp_path, capsys):
    write_mixed(tmp_path / "t.csv")
    assert main(["train", "t.csv", "--quick", "-v", "0", "-q"]) == 0
    model = polymargin.load("t.polymargin")
    for change in ({"more": 1}, {"types": [["width", 3]]}):
        table = model.metadata_["table"] | change
        polymargin.save(model, "bad.polymargin", metadata={"table": table})
        assert main(["predict", "t.csv", "bad.polymargin"]) == 1
        assert capsys.readouterr().err.count("\n") <= 2


def test_predict_notes_what_training_could_not_know(tmp_path, capsys):
    rows = "".join(f"{i % 9},{'ab'[i % 2]},{'xy'[i % 2]}\n" for i in range(40))
    (tmp_path / "a.csv").write_text(f"n,c,class\n{rows}")
    assert main(["train", "a.csv", "--quick", "-q"]) == 0
    (tmp_path / "new.csv").write_text("n,c\n,a\n1,z\n")
    assert main(["predict", "new.csv", "a.polymargin"]) == 0
    told = capsys.readouterr().err
    assert "new.csv, column 'n': missing, which training had not, in 1 row." in told
    assert "new.csv, column 'c': 'z', which training had not, in 1 row." in told
    assert main(["evaluate", "a.polymargin", "a.csv"]) == 0
    assert capsys.readouterr().err == ""


def test_a_guessed_label_is_said(tmp_path, capsys):
    rows = "".join(f"{i % 9},{'xy'[i % 2]}\n" for i in range(40))
    for names, said in (("n,kind", True), ("n,class", False)):
        (tmp_path / "a.csv").write_text(f"{names}\n{rows}")
        assert main(["train", "a.csv", "--quick", "-v", "0"]) == 0
        told = capsys.readouterr().out
        assert ("label     in the last column; --label names another" in told) == said
    assert main(["train", "a.csv", "--quick", "-v", "0", "--label", "class"]) == 0
    assert "--label" not in capsys.readouterr().out


def test_texts_that_are_taken_for_labels(tmp_path, capsys):
    rows = "".join(f"{'xy'[i % 2]},{'long ' * 20}text {i}\n" for i in range(40))
    (tmp_path / "a.csv").write_text(f"kind,{'name ' * 9}\n{rows}")
    assert main(["train", "a.csv"]) == 1
    told = capsys.readouterr().err
    assert "perhaps --label kind." in told and len(told) < 300
