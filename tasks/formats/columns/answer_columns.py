"""Read answers that stand side by side: a column for each question, or a column for each label of a set.

`label = "fluency|tone"` are questions: each column is one, and a blank cell is no answer. `labels = "joy|anger"` are
the labels of one question, ticked in their columns: the answer is the set of ticked labels. `skipped = "unclear"` is a
column whose ticks mark rows as skipped.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from tasks.errors import ReadError
from tasks.formats.columns.column_roles import LABELS, SKIPPED, ColumnRoles, find_header, listed
from tasks.formats.columns.joined_columns import bar_parts
from tasks.formats.parsing.cells import label_set, tidy
from tasks.formats.parsing.export import canonical
from tasks.formats.parsing.reject_rows import Reject
from tasks.formats.parsing.set_cells import with_sets
from tasks.formats.parsing.text_table import TextTable

TICKED = ("1", "1.0", "true", "yes", "x", "✓", "✔")
NOT_TICKED = ("0", "0.0", "false", "no")
UNCLEAR = "example_very_unclear"


def known_sheet(headers: Sequence[str], columns: Mapping[str, str]) -> Mapping[str, str]:
    """Return the mapping of a data set whose columns are well known (GoEmotions), else the user's.

    >>> dict(known_sheet(["text", "id", "rater_id", "example_very_unclear", "anger", "joy"], {}))
    {'item': 'id', 'rater': 'rater_id', 'skipped': 'example_very_unclear', 'labels': 'anger|joy'}
    """
    if columns or not {"id", "rater_id", UNCLEAR} <= set(headers):
        return columns
    labels = [header for header in headers[headers.index(UNCLEAR) + 1 :] if header and "|" not in header]
    if len(labels) < 2:
        return columns
    return {"item": "id", "rater": "rater_id", SKIPPED: UNCLEAR, LABELS: "|".join(labels)}


def answer_places(headers: Sequence[str], columns: Mapping[str, str], file: str) -> tuple[int, ...]:
    """Return the places of the columns of `labels`, or of `label` if it names several; of one label none.

    Errors: ReadError where one is not there.
    """
    role = LABELS if columns.get(LABELS) else "label"
    names = bar_parts(headers, columns.get(role, ""))
    if len(names) < 2 and role == "label":
        return ()
    return tuple(dict.fromkeys(find_header(headers, part, file, role) for part in names))


def without_several(columns: Mapping[str, str], headers: Sequence[str], places: Sequence[int]) -> dict[str, str]:
    """Return the mapping with one label: the first of several columns."""
    rest = {role: header for role, header in columns.items() if role not in (LABELS, SKIPPED)}
    return rest | {"label": headers[places[0]]} if places else rest


def without_skipped(table: TextTable, columns: Mapping[str, str], path: Path) -> tuple[TextTable, int]:
    """Return the table without the rows that the column `skipped` ticks, and their number.

    A row with another word than a tick or none is a reject.
    """
    if not columns.get(SKIPPED, "").strip():
        return table, 0
    i = find_header(table.headers, columns[SKIPPED], path.name, SKIPPED)
    mark = tidy(pl.col(f"c{i}")).str.to_lowercase()
    marks = table.frame.select("row_number", pl.col(f"c{i}").alias("cell"), mark.alias("mark"))
    is_skipped = marks["mark"].is_in(TICKED).fill_null(False)
    odd = ~is_skipped & marks["mark"].is_not_null() & ~marks["mark"].is_in(NOT_TICKED).fill_null(False)
    rejects = [
        Reject(row, table.headers[i], cell, "bad_record", "The mark of a skipped row is neither true nor false.")
        for row, cell in marks.filter(odd).select("row_number", "cell").rows()
    ]
    kept = table.frame.filter(~is_skipped & ~odd)
    return replace(table, frame=kept, rejects=(*table.rejects, *rejects)), int(is_skipped.sum())


def answer_rows(
    table: TextTable, roles: ColumnRoles, places: Sequence[int], names: Mapping[str, str], path: Path, *, as_set: bool
) -> tuple[pl.DataFrame, list[Reject]]:
    """Return a row for each answer in these columns, by row and then by column, and rejects for rows without one.

    `names` are the columns of the other roles. Errors: ReadError where a question column is mapped beside several.
    """
    others = {column: role for column, role in names.items() if role != "label"}
    base = table.frame.select(*others, "row_number").rename(others)
    if as_set:
        labels, rejects = _ticked(table, places, path)
        rows = canonical(base.with_columns(labels))
        return rows.filter(rows["label"].is_not_null()), rejects
    if "question" in roles.mapped:
        raise ReadError(
            f"{path.name}: a column of questions and {len(places)} columns of labels are mapped; each says what the "
            "question is.",
            "Map the question, or several labels: not both.",
            file=str(path),
        )
    frames = []
    for i in places:
        answers = canonical(base.with_columns(table.frame[f"c{i}"].alias("label"), question=pl.lit(table.headers[i])))
        frames.append(with_sets(answers, table.headers[i], path, roles.label_separator))
    rows = pl.concat(frames).filter(pl.col("label").is_not_null())
    headers = listed([table.headers[i] for i in places], 5)
    blank = table.frame.filter(~pl.col("row_number").is_in(rows["row_number"].implode()))["row_number"]
    rejects = [Reject(row, None, None, "missing_label", f"No answer in columns {headers}.") for row in blank]
    return rows.sort("row_number", maintain_order=True), rejects


def _ticked(table: TextTable, places: Sequence[int], path: Path) -> tuple[pl.Series, list[Reject]]:
    """Return the set of ticked labels of each row, null for none and for a row with another word, and their rejects."""
    names = [table.headers[i] for i in places]
    cells = table.frame.select(tidy(pl.col(f"c{i}")).str.to_lowercase().fill_null("").alias(f"c{i}") for i in places)
    odd_cells = [f"c{i}" for i in places if not cells[f"c{i}"].is_in([*TICKED, *NOT_TICKED, ""]).all()]
    if len(odd_cells) == len(places):
        raise ReadError(
            f"{path.name}: columns {listed(names, 5)} are no ticks for labels: they hold other words than 0 and 1.",
            "If each is a question, map --columns 'label=A|B'.",
            file=str(path),
            column=names[0],
        )
    patterns = cells.unique(maintain_order=True)
    results = [_of_pattern(row, names) for row in patterns.rows()]
    labels = cells.join(
        patterns.with_columns(
            pl.Series("label", [label for label, _ in results], dtype=pl.String),
            pl.Series("fault", [fault for _, fault in results], dtype=pl.String),
        ),
        on=cells.columns,
        how="left",
        maintain_order="left",
    )
    rejects = [
        Reject(row, None, None, "bad_record" if fault else "empty_answer", fault or NONE_TICKED)
        for row, label, fault in zip(table.frame["row_number"], labels["label"], labels["fault"], strict=True)
        if label is None
    ]
    return labels["label"], rejects


NONE_TICKED = "None of the labels is ticked. If that is an answer, read each as a question: label=A|B."


def _of_pattern(row: Sequence[str], names: Sequence[str]) -> tuple[str | None, str | None]:
    odd = [name for name, cell in zip(names, row, strict=True) if cell not in (*TICKED, *NOT_TICKED, "")]
    if odd:
        return None, f"Column {odd[0][:100]!r} is neither ticked (1, true, x) nor not."
    return label_set([name for name, cell in zip(names, row, strict=True) if cell in TICKED]), None
