"""Find the questions that are due: their ratings, settings or slices changed since they were last evaluated."""

from collections.abc import Mapping
from pathlib import Path

import duckdb
import polars as pl

from tasks.evaluate.evaluation_options import EvaluationOptions, QuestionConfigs
from tasks.evaluate.question_config import QuestionConfig
from tasks.fingerprint import fingerprint
from warehouse.connect import connect
from warehouse.patterns import slices_state
from warehouse.questions import StoredQuestion, changed_questions, read_table, stored_questions
from warehouse.raters.rater_kinds import KINDS, set_rater_kinds
from warehouse.runs.run_results import last_evaluations

OUTDATED = "The ratings changed after this evaluation; `kappaflow run` makes a new one."
OTHER_SETTINGS = "The settings of the question changed after this evaluation; `kappaflow run` makes a new one."


def pending_questions(
    db: Path, kind: str, configs: QuestionConfigs, options: EvaluationOptions, *, everything: bool
) -> list[StoredQuestion]:
    """Return the questions whose ratings, settings or slices changed since their last successful run of this kind.

    With `everything`, return all questions. First write to the warehouse which raters the settings declare as systems
    or gold, because SQL queries use it too.
    """
    with connect(db) as con:
        set_rater_kinds(con, kinds_of_raters(configs))
        all_questions = stored_questions(con)
        if everything:
            return all_questions
        evaluations = last_evaluations(con) if kind == "monitor" else {}
        settings = {
            stored.question: settings_hash_of(
                con, kind, stored.question, configs.of(stored.question), options, evaluations.get(stored.question)
            )
            for stored in all_questions
        }
        return changed_questions(con, kind=kind, settings_hash=settings)


def outdated_questions(
    con: duckdb.DuckDBPyConnection, settings: tuple[QuestionConfigs, EvaluationOptions] | None
) -> dict[str, str]:
    """Return the questions whose ratings or settings changed after their last successful evaluation: name -> sentence.

    The settings of an evaluation by another version of kappaflow cannot be compared.
    """
    hashes = {}
    runs = read_table(con, "runs").filter(kind="evaluate", status="succeeded").sort("started_at", "run_id")
    evaluations = runs.group_by("question", maintain_order=True).last()
    if settings is not None:
        configs, options = settings
        hashes = {
            question: settings_hash_of(con, "evaluate", question, configs.of(question), options, None)
            for question in evaluations.filter(code_version=options.code_version)["question"]
        }
    changed = dict.fromkeys(_changed(con, hashes), OTHER_SETTINGS) | dict.fromkeys(_changed(con, {}), OUTDATED)
    return {question: changed[question] for question in evaluations["question"] if question in changed}


def _changed(con: duckdb.DuckDBPyConnection, settings_hash: Mapping[str, str]) -> list[str]:
    return [stored.question for stored in changed_questions(con, kind="evaluate", settings_hash=settings_hash)]


def settings_hash_of(
    con: duckdb.DuckDBPyConnection,
    kind: str,
    question: str,
    config: QuestionConfig,
    options: EvaluationOptions,
    evaluation: str | None,
) -> str:
    """Hash the settings and the metadata of the slices. The last run is out of date when this hash changes.

    A run of kind monitor also depends on the last evaluation of the question, whose id is `evaluation`: its windows
    take accuracies from it.
    """
    keys = slice_keys(kind, config)
    slices = [slices_state(con, question, keys)] if keys else []
    return fingerprint(config, options, *slices, *([evaluation] if kind == "monitor" else []))


def slice_keys(kind: str, config: QuestionConfig) -> tuple[str, ...]:
    """Return the metadata keys that this kind of run slices by."""
    return config.slices if kind == "evaluate" else ()


def kinds_of_raters(configs: QuestionConfigs) -> pl.DataFrame:
    """Return the raters that the settings declare as systems or gold: question, rater, rater_kind."""
    rows = [
        (question, rater, kind)
        for question, config in configs.questions.items()
        for kind, raters in (("gold", config.gold), ("system", config.systems - config.gold))
        for rater in sorted(raters)
    ]
    return pl.DataFrame(rows, schema=KINDS, orient="row")
