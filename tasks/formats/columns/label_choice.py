"""Choose the label column if the headers are not enough.

The label differs between the raters of an item and repeats across items. Long text is never a label. If two columns
qualify, the user must choose.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from tasks.errors import ColumnsHint, ReadError
from tasks.formats.columns.column_roles import USUAL_NAMES, ColumnRoles, listed, plain
from tasks.formats.columns.column_values import (
    MAX_LABELS,
    differs_within,
    has_several_raters,
    is_share,
    is_text,
    is_text_of_item,
    judged,
    label_like,
    same_answers,
)
from tasks.formats.columns.header_words import may_be_label
from tasks.formats.columns.mapping_proposal import column_lines
from tasks.formats.parsing.file_look import SAMPLE
from tasks.formats.parsing.text_table import TextTable

EXACT = {
    *("label", "labels", "labelid", "annotation", "judgment", "judgement", "verdict", "vote", "choice", "rating"),
    "classification",
}
"""Headers that mean what a rater said. Others (category, response, value, ...) may as well describe the item."""


def checked_label(table: TextTable, roles: ColumnRoles, path: Path) -> ColumnRoles:
    """Return the roles with the label that the values confirm.

    Errors: ReadError if another column is as likely the label, or if the only candidate is a text.
    """
    if "label" in roles.mapped:
        return roles
    chosen, others = roles.index["label"], _other_usual(table.headers, roles)
    exact, item = plain(table.headers[chosen]) in EXACT, roles.index["item"]
    same = _same_labels(table, roles) if exact else []
    if exact and not others and not same and not is_text(judged(table.frame.head(1_000), item), item, chosen):
        return roles
    frame = judged(table.frame, item)
    several = has_several_raters(frame, item, roles.index["rater"])
    if same and several and not differs_within(frame, item, chosen):
        rivals = [i for i in same if label_like(frame, item, i, several=True)]
        if rivals:
            raise _ask(table, chosen, rivals, _fault(frame, item, chosen, fits=False, several=True), path)
    fits = label_like(frame, item, chosen, several=several)
    rivals = [i for i in others if _is_rival(frame, table.headers, roles, i, fits=fits, several=several)]
    if not fits and not rivals and not exact and several:
        rivals = [i for i in _unnamed(table.headers, roles) if label_like(frame, item, i, several=True)]
    text = is_text(frame, item, chosen)
    if text and len(rivals) == 1 and rivals[0] in others:
        return _with_label(table.headers, roles, rivals[0])
    if rivals:
        raise _ask(table, chosen, rivals, _fault(frame, item, chosen, fits=fits, several=several), path)
    if text or (not exact and several and not fits and is_text_of_item(frame, item, chosen)):
        raise _no_label(table, table.headers[chosen], path)
    return roles


def _other_usual(headers: Sequence[str], roles: ColumnRoles) -> list[int]:
    """Return the columns with a usual name of a label and no other role. The score may be either."""
    used = {i for role, i in roles.index.items() if role != "score" or role in roles.mapped}
    return [i for i, header in enumerate(headers) if plain(header) in USUAL_NAMES["label"] and i not in used]


def _unnamed(headers: Sequence[str], roles: ColumnRoles) -> list[int]:
    return [i for i, header in enumerate(headers) if i not in roles.index.values() and may_be_label(header)]


def _is_rival(
    frame: pl.DataFrame, headers: Sequence[str], roles: ColumnRoles, i: int, *, fits: bool, several: bool
) -> bool:
    """Check whether column i is as likely the label as the chosen one, which `fits` if its values look like labels."""
    chosen, item = roles.index["label"], roles.index["item"]
    if not label_like(frame, item, i, several=several) or is_share(frame, i):
        return False
    if not fits:
        return several or plain(headers[chosen]) not in EXACT or is_text(frame, item, chosen)
    exact = plain(headers[chosen]) in EXACT
    if exact and (not several or plain(headers[i]) == "score"):  # a label has a score beside it, as a rule
        return False
    return not same_answers(frame, chosen, i)


def _same_labels(table: TextTable, roles: ColumnRoles) -> list[int]:
    """Return the columns whose first labels are among the first ones of the chosen column.

    If they differ within items, and the chosen one never does, it is the right answer, as a rule, and they are what the
    raters said.
    """
    begin = table.frame.head(10_000)
    labels = set(begin[f"c{roles.index['label']}"].unique()) - {None, ""}
    if not 1 < len(labels) <= MAX_LABELS:
        return []
    return [
        i
        for i in _unnamed(table.headers, roles)
        if (values := set(begin[f"c{i}"].unique()) - {None, ""}) and values <= labels and len(values) > 1
    ]


def _with_label(headers: Sequence[str], roles: ColumnRoles, label: int) -> ColumnRoles:
    """Return the roles with another label, because the column with the usual name holds texts."""
    index = {role: i for role, i in roles.index.items() if i != label} | {"label": label}
    usual = headers[roles.index["label"]]
    warning = (
        f"The label is column {headers[label]!r}, not {usual!r}, which holds texts; --columns label={usual} insists."
    )
    others = (text for text in roles.warnings if not text.startswith("The label is"))
    return replace(roles, index=index, warnings=(*others, warning))


def _fault(frame: pl.DataFrame, item: int, chosen: int, *, fits: bool, several: bool) -> str | None:
    """Return what speaks against the chosen label, or None if it only has rivals."""
    if fits:
        return None
    if several and not differs_within(frame, item, chosen):
        return "it never differs between raters of an item"
    return "its values are not those of a label: they do not repeat from item to item, are too many or too long"


def _ask(table: TextTable, chosen: int, rivals: Sequence[int], fault: str | None, path: Path) -> ReadError:
    first, others = table.headers[chosen], [table.headers[i] for i in rivals]
    if fault is None:
        what = f"{path.name} has several columns that could be the label: {listed([first, *others], 20)}."
    else:
        rival_names = listed(others, 20)
        what = f"Column {first!r} of {path.name} is probably not the label: {fault}. {rival_names} could be the label."
    hint = ColumnsHint("Name one: ", {"label": others[0]}, ", or ", {"label": first}, ".")
    questions = others if fault else [first, *others]
    if len(questions) > 1 and not any("|" in header for header in questions):
        hint = ColumnsHint(*hint.phrases, " If each is a question: ", {"label": "|".join(questions[:20])}, ".")
    return ReadError(
        what,
        hint,
        file=str(path),
        column=first,
        lines=column_lines(table.headers, table.frame.head(SAMPLE)),
    )


def _no_label(table: TextTable, header: str, path: Path) -> ReadError:
    return ReadError(
        f"Column {header!r} of {path.name} holds texts, not labels, and no other column is known as the label.",
        ColumnsHint("Name the column of the answers: ", {"label": "NAME"}, "; ", {"label": header}, " insists."),
        file=str(path),
        column=header,
        lines=column_lines(table.headers, table.frame.head(SAMPLE)),
    )
