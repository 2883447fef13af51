"""The notebook: its cells run on a published snapshot, and names in it are never code."""

import json
from pathlib import Path
from typing import Any

import pytest

from tasks.errors import InputError
from tasks.notebook.write_notebook import notebook_cells, write_notebook

HOSTILE = '"; raise SystemExit  # ```\n```python\nraise SystemExit\n```\n{{snapshot}}'


def cells_of(path: Path) -> list[dict[str, Any]]:
    notebook = json.loads(path.read_text())
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    return list(notebook["cells"])


def names_after_running(project: Path, question: str, notebook: Path) -> dict[str, Any]:
    """Write the notebook of a question, run its cells, and return what they defined."""
    write_notebook(notebook, title="Demo", snapshot=project / "published" / "snapshot.duckdb", question=question)
    names: dict[str, Any] = {}
    for cell in cells_of(notebook):
        if cell["cell_type"] == "code":
            assert (cell["execution_count"], cell["outputs"]) == (None, [])
            exec(compile("".join(cell["source"]), "cell", "exec"), names)
    return names


def test_all_cells_run_on_the_demo(demo_project: Path, tmp_path: Path) -> None:
    names = names_after_running(demo_project, "helpfulness", tmp_path / "a.ipynb")
    assert names["coefficients"].height > 5
    assert names["raters"].height > 1
    assert names["systems"]["accuracy"].null_count() == 0
    assert "outer_low" in json.dumps((names["outer"] + names["inner"]).to_dict())
    names["warehouse"].close()


def test_gold_audits_the_annotators_as_in_the_report(demo_project: Path, tmp_path: Path) -> None:
    names = names_after_running(demo_project, "urgency", tmp_path / "a.ipynb")
    columns = ["rater", "accuracy", "accuracy_low", "accuracy_high", "n_gold"]
    query = "select rater, accuracy, low, high, n_gold from rater_leaderboard where question = 'urgency'"
    audited = {row[0]: row for row in names["warehouse"].sql(query).fetchall()}
    rows = names["raters"].select(columns).rows()
    assert all(row == audited[row[0]] and row[-1] > 0 for row in rows)
    assert len(rows) > 1
    names["warehouse"].close()


def test_names_are_texts_and_no_code() -> None:
    cells = notebook_cells(HOSTILE, Path("/data/it's \\ here"), HOSTILE)
    usual = notebook_cells("Demo", Path("a"), "b")
    assert [kind for kind, _ in cells] == [kind for kind, _ in usual]
    first = next(text for kind, text in cells if kind == "code")
    names: dict[str, Any] = {}
    exec("\n".join(line for line in first.splitlines() if line.startswith(("SNAPSHOT", "QUESTION"))), names)
    assert (names["SNAPSHOT"], names["QUESTION"]) == ("/data/it's \\ here", HOSTILE)
    assert not set("`\n{}<>[]") & set(cells[0][1].splitlines()[0])


def test_a_notebook_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text("mine")
    with pytest.raises(InputError, match="is there already, and may have been edited"):
        write_notebook(tmp_path / "a.ipynb", title="t", snapshot=Path("s"), question="q")
    with pytest.raises(InputError, match="There is no folder"):
        write_notebook(tmp_path / "no" / "a.ipynb", title="t", snapshot=Path("s"), question="q")
    assert (tmp_path / "a.ipynb").read_text() == "mine"
