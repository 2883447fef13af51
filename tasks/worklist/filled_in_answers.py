"""Read a file of answers: a table that kappaflow wrote, with `label` filled in, or an export of Label Studio."""

import shlex
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from tasks.errors import ReadError
from tasks.export.table_files import spreadsheet_table
from tasks.formats import CANONICAL, Export, ReadOptions
from tasks.formats.parsing.cells import nfc, tidy, tidy_label, tidy_labels
from tasks.formats.parsing.file_look import look_at_file
from tasks.formats.parsing.reject_rows import rejects_frame
from tasks.formats.parsing.text_table import read_table
from tasks.ingest.read_export import read_export


@dataclass(frozen=True)
class AnswerSource:
    """Whose answers a file has: `name` of the source and its reader, and the `rater` and `rater_kind` of the answers.

    An export of Label Studio names its raters; with `renames` they are all `rater`. `command` wrote the file.
    """

    name: str
    rater: str
    rater_kind: str
    command: str
    renames: bool = False

    @property
    def batch_key(self) -> str:
        """The part of a batch's identity that the file does not have. Gold of one source has one identity."""
        return self.name if self.rater_kind == "gold" else f"{self.name} {self.rater_kind} {self.rater}"


@dataclass(frozen=True)
class FilledInAnswers:
    """The answers to a question in a file, and how many of its rows are no answers to it.

    n_unlabelled: rows whose label is still missing. n_other_questions: answers to other questions. `export.n_skipped`
    counts both, and what systems said.
    """

    export: Export
    n_unlabelled: int
    n_other_questions: int = 0


def filled_in_answers(path: Path, question: str, source: AnswerSource) -> FilledInAnswers:
    """Read the answers to the question, and count the rows without one.

    Raises ReadError for a file that cannot be read, or whose questions are all others.
    """
    if names_its_question(path):
        return _read_label_studio(path, question, source)
    return _read_table(path, question, source)


def names_its_question(path: Path) -> bool:
    """Tell whether the file is an export of Label Studio: its controls or its tasks name the question."""
    return look_at_file(path).kind in ("json", "jsonl")


def label_text(text: str) -> str | None:
    """Return the text of a cell, tidied as a label; None if nothing is left."""
    return tidy_label(nfc(text))


def _read_label_studio(path: Path, question: str, source: AnswerSource) -> FilledInAnswers:
    """Read an export of Label Studio. What systems said in it is skipped, and so are the answers to other questions."""
    try:
        export = read_export(path, ReadOptions(columns={"item": "item"}))
    except ReadError as error:
        raise _not_an_export(path, source, error) from error
    human = export.rows["rater_kind"].fill_null("human") != "system"
    answers = export.rows.filter(human)
    controls = answers["question"].drop_nulls().unique(maintain_order=True).to_list()
    own = [control for control in controls if question == control or question.endswith(f"/{control}")]
    if not own and len(controls) > 1:
        raise ReadError.of(
            path,
            f"has answers to several questions, and none is {question!r}: {', '.join(map(repr, controls))[:300]}.",
            "In Label Studio give the control that asks this question its name, or export the others elsewhere.",
        )
    if not own:
        _check_tasks(path, export, question)
    of_question = answers.filter(pl.col("question").is_in(own)) if own else answers
    gold = of_question.with_columns(question=pl.lit(question), rater_kind=pl.lit(source.rater_kind))
    if source.renames:
        gold = gold.with_columns(rater=pl.lit(source.rater))
    n_skipped = export.n_skipped + export.rows.height - of_question.height
    return FilledInAnswers(
        replace(export, rows=gold, n_skipped=n_skipped),
        n_unlabelled=export.n_skipped,
        n_other_questions=answers.height - of_question.height,
    )


def _not_an_export(path: Path, source: AnswerSource, error: ReadError) -> ReadError:
    """Return what to do about a file that is no export. The commands have no --columns, which a reader would advise."""
    if "--" not in error.hint:
        return error
    return ReadError.of(
        path, "has no annotations of Label Studio: tasks alone are not answers.",
        f"Have the items that `kappaflow {source.command} --out` wrote labelled there. Give the JSON export.",
    )  # fmt: skip


def _check_tasks(path: Path, export: Export, question: str) -> None:
    """Raise ReadError for tasks that kappaflow wrote for another question: their labels must not become answers to this
    one."""
    written_for = export.metadata.filter(pl.col("key") == "question")["value"].drop_nulls().unique().sort().to_list()
    if others := [name for name in written_for if name != question]:
        raise _of_other_question(path, "tasks", others[0], question)


def _of_other_question(path: Path, what: str, other: str, question: str) -> ReadError:
    return ReadError.of(
        path, f"has {what} that were written for the question {other!r}, not for {question!r}.",
        f"Take them with --question {shlex.quote(other)}.",
    )  # fmt: skip


def _read_table(path: Path, question: str, source: AnswerSource) -> FilledInAnswers:
    """Read a table. If it has a column `question`, rows of other questions are skipped."""
    table = read_table(path)
    place = {header.lower(): f"c{i}" for i, header in reversed(list(enumerate(table.headers)))}
    for name in ("item", "label"):
        if name not in place:
            raise ReadError.of(
                path,
                f"has no column {name!r}; it has {', '.join(map(repr, table.headers))[:300]}.",
                f"Answers are the file that `kappaflow {source.command} --out` wrote, with its column label filled in,"
                " or a JSON export of Label Studio.",
                column=name,
            )
    cells = table.frame.select(
        item=tidy(pl.col(place["item"]).map_elements(nfc, pl.String)),
        label=pl.col(place["label"]).map_elements(label_text, pl.String),
        row_number=pl.col("row_number"),
        other=_other_question(table.frame, place.get("question"), question),
    )
    others = cells["other"].drop_nulls()
    if len(others) and len(others) == cells.height:
        raise _of_other_question(path, "items", others[0], question)
    own = cells.filter(pl.col("other").is_null())
    answered = own.filter(pl.col("label").is_not_null())
    rows = answered.select(
        *(
            {
                "question": pl.lit(question), "item": pl.col("item"), "rater": pl.lit(source.rater),
                "rater_kind": pl.lit(source.rater_kind), "label": pl.col("label"), "row_number": pl.col("row_number"),
            }.get(name, pl.lit(None)).cast(kind).alias(name)
            for name, kind in CANONICAL.items()
        )
    )  # fmt: skip
    export = Export(
        format=source.name, rows=rows, rejects=rejects_frame(table.rejects), n_skipped=cells.height - answered.height
    )
    n_other_questions = cells.filter(pl.col("other").is_not_null(), pl.col("label").is_not_null()).height
    return FilledInAnswers(export, own.height - answered.height, n_other_questions)


def _other_question(rows: pl.DataFrame, column: str | None, question: str) -> pl.Expr:
    """Return the question of each row where it is another one; null where the row does not name one."""
    if column is None:
        return pl.lit(None, pl.String)
    names = [question, *spreadsheet_table(pl.DataFrame({"question": [question]}))["question"]]
    name = tidy_labels(pl.col(column).map_elements(nfc, pl.String))
    other = name.str.replace(r"^'([=+\-@])", "$1")  # as the apostrophe stands before what looks like a formula
    return pl.when(~name.is_in([tidy_label(each) for each in names])).then(other)
