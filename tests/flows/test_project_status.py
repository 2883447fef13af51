"""What the status of a project says of figures that are not those of now."""

from pathlib import Path

import pytest

from flows.project_folder import Project, find_project
from flows.project_status import read_project_status
from flows.settings import task_inputs
from tasks.ingest.ingest_files import ingest
from tasks.sources.folder import FolderSource, find_files
from tasks.summary.run_figures import read_brief_figures
from tests.gate_project import rating_rows, write_table
from tests.tasks.inbox import InboxProject
from warehouse.connect import connect

SETTINGS = '[questions.tone]\nsystems = ["gpt"]\n'


@pytest.fixture
def project(tmp_path: Path) -> InboxProject:
    """A project that is evaluated with its settings, and a question that is not evaluated."""
    (tmp_path / "kappaflow.toml").write_text(SETTINGS, encoding="utf-8")
    made = InboxProject(tmp_path)
    write_table(made.inbox / "tone.csv", rating_rows(30))
    made.ingest()
    loaded = find_project(tmp_path)
    made.work("evaluate", task_inputs.question_configs(loaded), task_inputs.evaluation_options(loaded))
    write_table(made.inbox / "new.csv", rating_rows(5))
    made.ingest()
    return made


def outdated(project: InboxProject) -> object:
    return read_project_status(find_project(project.folder))["outdated"]


def test_figures_of_the_present_ratings_and_settings_are_not_outdated(project: InboxProject) -> None:
    assert outdated(project) == []  # and a question without figures has no outdated ones


def test_other_settings_and_later_ratings_are_told(project: InboxProject) -> None:
    (project.folder / "kappaflow.toml").write_text(SETTINGS + 'labels = ["kind", "rude"]\n', encoding="utf-8")
    assert outdated(project) == [
        "tone: The settings of the question changed after this evaluation; `kappaflow run` makes a new one."
    ]
    (project.inbox / "tone.csv").write_text(
        (project.inbox / "tone.csv").read_text(encoding="utf-8") + "99,ann,kind\n", encoding="utf-8"
    )
    project.ingest()
    assert outdated(project) == ["tone: The ratings changed after this evaluation; `kappaflow run` makes a new one."]


def evaluated(folder: Path, table: list[str]) -> Project:
    """Take in a table and evaluate it, with the settings in the folder."""
    made = InboxProject(folder)
    (made.inbox / "table.csv").write_text("\n".join(table) + "\n", encoding="utf-8")
    loaded = find_project(folder)
    files = find_files([FolderSource("inbox", made.inbox)]).readable
    assert len(list(ingest(made.db, files, task_inputs.ingest_rules(loaded)))) == 1
    made.work("evaluate", task_inputs.question_configs(loaded), task_inputs.evaluation_options(loaded))
    return loaded


def test_who_puts_options_in_the_opposite_order_is_told_by_status_and_by_a_brief_run(tmp_path: Path) -> None:
    (tmp_path / "kappaflow.toml").write_text('[questions.table]\nanswers = "ranking"\n', encoding="utf-8")
    orders = ["a > b > c > d", "b > a > d > c", "c > d > a > b"]
    table = ["item,rater,label"]
    for item in range(30):
        order = orders[item % 3]
        table += [f"{item},{rater},{order}" for rater in ("ann", "ben", "cid")]
        table.append(f"{item},dia,{' > '.join(reversed(order.split(' > ')))}")
    project = evaluated(tmp_path, table)
    sentence = (
        "table: dia contradicts the others (Spearman's rho -1.00 [-1.00, -1.00]; that of the others among themselves is"
        " 1.00). Perhaps the order was taken upside down."
    )
    assert read_project_status(project)["contradictions"] == [sentence]
    assert read_brief_figures(project.warehouse).contradictions == [sentence]


def test_a_voter_who_contradicts_the_others_is_told_by_status_and_by_a_brief_run(tmp_path: Path) -> None:
    (tmp_path / "kappaflow.toml").write_text("", encoding="utf-8")
    table = ["item,rater,model_a,model_b,winner"]
    for item in range(40):
        worse, better = ("model_a", "model_b") if item % 2 else ("model_b", "model_a")
        models = "old,new" if item % 2 else "new,old"
        table += [f"{item},{rater},{models},{better}" for rater in ("ann", "ben", "cid")]
        table.append(f"{item},dia,{models},{worse}")
    project = evaluated(tmp_path, table)
    (sentence,) = read_project_status(project)["contradictions"]
    assert sentence.startswith(
        "table, dia: This voter contradicts the others: they choose the same model in 0 % [0, 0]"
    )
    assert read_brief_figures(project.warehouse).contradictions == [sentence]


def test_who_has_a_scale_upside_down_is_named_although_most_answers_lie_in_its_middle(tmp_path: Path) -> None:
    (tmp_path / "kappaflow.toml").write_text(
        '[questions.table]\nlabels = ["bad", "fair", "good"]\nscale = "ordinal"\n', encoding="utf-8"
    )
    other_end = {"bad": "good", "fair": "fair", "good": "bad"}
    table = ["item,rater,label"]
    for item in range(60):
        label = ("bad", "good", "fair", "fair", "fair", "fair", "fair")[item % 7]
        table += [f"{item},ann,{label}", f"{item},bob,{label}", f"{item},dia,{other_end[label]}"]
    project = evaluated(tmp_path, table)
    with connect(project.warehouse, read_only=True) as con:
        ((high,),) = con.execute(
            "select min(high) from latest_pairwise_agreement where coefficient = 'cohen_kappa'"
        ).fetchall()
    assert high > 0.4  # kappa without weights shows nothing
    (sentence,) = read_project_status(project)["contradictions"]
    assert sentence.startswith("table: dia contradicts the others (weighted kappa -1.00")
    assert read_brief_figures(project.warehouse).contradictions == [sentence]
