"""Names in the settings that no data have: found, with the nearest one that they do have."""

from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest

from flows.project_folder import find_project
from flows.settings.task_inputs import setting_names
from schemas.rating_columns import REJECT_KEYS
from tasks.setting_names import noted_names, unmatched_names
from warehouse.batches import METADATA, RATINGS, REJECTS, Batch, store_batch
from warehouse.connect import connect
from warehouse.migrate import migrate

NOW = datetime(2026, 3, 1, tzinfo=UTC)
ALL_RIGHT = """
[[source]]
prefix = "crowd"
systems = ["gpt_judge"]
[questions.tone]
systems = ["gpt_judge"]
gold = ["lead"]
slices = ["language"]
[questions."crowd/mood"]
[evaluate]
slices = ["language"]
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose warehouse has two questions."""
    rows = [
        {"question": question, "item": "i", "rater": rater, "rater_kind": "human", "label": "A", "row_number": n}
        for question, raters in (("tone", ("ann", "gpt_judge", "lead")), ("crowd/mood", ("bob",)))
        for n, rater in enumerate(raters)
    ]
    batch = Batch(batch_id="b", source="crowd", file_name="f", sha256="s", reader="long", status="stored",
                  n_rows=len(rows), n_skipped=0, started_at=NOW)  # fmt: skip
    metadata = pl.DataFrame([("tone", "i", "language", "de")], schema=dict(METADATA), orient="row")
    ratings = pl.DataFrame([dict.fromkeys(RATINGS) | row for row in rows], schema=dict(RATINGS))
    with connect(tmp_path / "warehouse.duckdb") as con:
        migrate(con)
        store_batch(con, batch, ratings, pl.DataFrame(schema=dict(REJECTS)), metadata, now=NOW)
    return tmp_path


def named(project: Path, toml: str) -> list[tuple[str, str, str | None]]:
    (project / "kappaflow.toml").write_text(toml, encoding="utf-8")
    here = find_project(project)
    return [
        (result.place, result.name, result.nearest) for result in unmatched_names(here.warehouse, setting_names(here))
    ]


@pytest.mark.field_trial(7)
@pytest.mark.parametrize(
    ("toml", "expected"),
    [
        ('[questions.tone]\nsystems = ["ghost"]', ("[questions.tone] systems", "ghost", None)),
        ('[questions.tone]\ngold = ["nobody"]', ("[questions.tone] gold", "nobody", None)),
        ('[questions.tone]\nsystems = ["GPT-judge"]', ("[questions.tone] systems", "GPT-judge", "gpt_judge")),
        ('[questions.tone]\nsystems = ["bob"]', ("[questions.tone] systems", "bob", None)),  # of the other question
        ('[questions.tone]\nslices = ["langage"]', ("[questions.tone] slices", "langage", "language")),
        ('[evaluate]\nslices = ["source"]', ("[evaluate] slices", "source", None)),
        ('[raters]\naliases = { anne = "ann" }', ("[raters] aliases", "anne", "ann")),
        ('[raters]\naliases = { lead = "leader" }', ("[raters] aliases", "leader", "lead")),  # until the next run
        ('[[source]]\ngold = ["leed"]', ("[[source]] inbox, gold", "leed", "lead")),
        ("[check]\nmin_accuracy = { gtp_judge = 0.8 }", ("[check] min_accuracy", "gtp_judge", "gpt_judge")),
        (
            "[questions.tone.check]\nmin_accuracy = { ghost = 0.8 }",
            ("[questions.tone] check.min_accuracy", "ghost", None),
        ),
        ("[questions.tome]", ("[questions.tome]", "tome", "tone")),
        ('[questions.mood]\nsystems = ["ghost"]', ("[questions.mood]", "mood", "crowd/mood")),  # without its prefix
        ('[questions."quite/else"]', ('[questions."quite/else"]', "quite/else", None)),
    ],
)
def test_a_name_that_no_data_have_is_found(project: Path, toml: str, expected: tuple[str, str, str | None]) -> None:
    assert named(project, toml) == [expected]


@pytest.mark.field_trial(7)
def test_names_that_data_have_are_not_named(project: Path) -> None:
    assert named(project, ALL_RIGHT) == []


@pytest.mark.field_trial(7)
def test_nothing_is_said_while_nothing_is_stored(tmp_path: Path) -> None:
    with connect(tmp_path / "warehouse.duckdb") as con:
        migrate(con)
    assert named(tmp_path, '[questions.tone]\nsystems = ["ghost"]') == []


@pytest.mark.field_trial(7)
def test_the_sentence_says_where_and_what_there_is(project: Path) -> None:
    (project / "kappaflow.toml").write_text('[questions.tone]\nsystems = ["ghost", "gpt_jugde"]\n', encoding="utf-8")
    here = find_project(project)
    assert [result.sentence for result in unmatched_names(here.warehouse, setting_names(here))] == [
        "kappaflow.toml, [questions.tone] systems 'ghost': no rating of 'tone' is by this rater. "
        "The raters are: ann, gpt_judge, lead.",
        "kappaflow.toml, [questions.tone] systems 'gpt_jugde': no rating of 'tone' is by this rater. "
        "Did you mean 'gpt_judge'?",
    ]


def test_a_name_whose_rows_were_all_rejected_is_right(project: Path) -> None:
    rejects = [
        {"row_number": n, "column_name": "label", "value": "?", "reason": "unknown_label", "detail": "Unknown.",
         "question": "tones", "item": "i", "rater": "gpt"}
        for n in range(3)
    ]  # fmt: skip
    frame = pl.DataFrame(rejects, schema={**REJECTS, **REJECT_KEYS})
    batch = Batch(batch_id="c", source=None, file_name="g", sha256="t", reader="long", status="stored", n_rows=3,
                  n_skipped=0, started_at=NOW)  # fmt: skip
    with connect(project / "warehouse.duckdb") as con:
        store_batch(con, batch, pl.DataFrame(schema=dict(RATINGS)), frame, pl.DataFrame(schema=dict(METADATA)), now=NOW)
    (project / "kappaflow.toml").write_text(
        "[questions.tones]\n[check]\nmin_accuracy = { gpt = 0.8 }\n", encoding="utf-8"
    )
    here = find_project(project)
    result = unmatched_names(here.warehouse, setting_names(here))
    end = "and all were rejected. `kappaflow rejects` says why."
    assert [outcome.sentence for outcome in result] == [
        f"kappaflow.toml, [questions.tones]: 3 rows are of this question, {end}",
        f"kappaflow.toml, [check] min_accuracy 'gpt': 3 rows are by this rater, {end}",
    ]
    assert [outcome.nearest for outcome in result] == [None, None]


def test_a_question_with_settings_of_its_own_is_not_meant_by_another_name(project: Path) -> None:
    assert named(project, "[questions.tone]\n[questions.tones]") == [("[questions.tones]", "tones", None)]


def test_a_question_whose_file_could_not_be_read_is_right(project: Path) -> None:
    batch = Batch(batch_id="c", source=None, file_name="tones.csv", sha256="t", reader=None, status="rejected",
                  n_rows=0, n_skipped=0, started_at=NOW, reason="unreadable", detail="?")  # fmt: skip
    no_rows = [pl.DataFrame(schema=dict(schema)) for schema in (RATINGS, {**REJECTS, **REJECT_KEYS}, METADATA)]
    with connect(project / "warehouse.duckdb") as con:
        store_batch(con, batch, *no_rows, now=NOW)
    (project / "kappaflow.toml").write_text("[questions.tones]", encoding="utf-8")
    here = find_project(project)
    (result,) = unmatched_names(here.warehouse, setting_names(here))
    assert result.sentence == (
        "kappaflow.toml, [questions.tones]: no rating is of this question, because 'tones.csv' could not be read."
        " `kappaflow rejects` says why."
    )
    assert result.nearest is None


def test_a_rater_whose_ratings_came_before_the_setting_is_said(project: Path) -> None:
    def noted(toml: str) -> list[str]:
        (project / "kappaflow.toml").write_text(toml, encoding="utf-8")
        here = find_project(project)
        return noted_names(here.warehouse, setting_names(here))

    of_source = '[[source]]\nprefix = "crowd"\ngold = ["lead"]\n'
    assert noted(of_source) == [
        "kappaflow.toml, [[source]] crowd, gold 'lead': 1 rating by this rater from this source does not count as gold,"
        " because the files were read before. Name the rater under gold of [questions.tone]: that holds for stored"
        " ratings, too."
    ]
    assert noted(of_source.replace("crowd", "other")) == []
    live = '[[source]]\ntype = "label_studio"\nurl = "http://localhost:1"\nproject = 1\n'
    assert noted(f'{live}prefix = "crowd"\ngold = ["lead"]\n') == []
    with connect(project / "warehouse.duckdb") as con:
        con.execute(
            "insert into internal.declared_kinds by name select question_id, rater_id, 'gold' as rater_kind"
            " from internal.questions cross join internal.raters where question = 'tone' and rater = 'lead'"
        )
    assert noted(of_source) == []
