"""Read AlpacaEval's annotations: `preference` runs from 1 (generator_1 is better) to 2.

1.5 and 0 are ties. A preference between is a probability of the annotator: it counts as a vote for the nearer one. The
item is the instruction. A blank preference is one that the annotator did not give. AlpacaEval shows the outputs in
random order and does not keep it: what stands for the position is which of them is generator_1.
"""

import math
from pathlib import Path

from tasks.formats.columns.column_roles import ColumnChoice
from tasks.formats.parsing.cells import tidy_label
from tasks.formats.parsing.export import ReadOptions
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.tools.record_votes import read_records
from tasks.formats.preferences.preference_votes import FIRST, SECOND, TIE, PreferenceExport, PreferenceVotes, short_id

SHUFFLED = "AlpacaEval does not keep which output was shown first: `position` is about generator_1."
BETWEEN = "Preferences between 1 and 2, counted for the nearer: {n}."
COLUMN_NAMES = {
    "item": ("instruction",),
    "judge": ("annotator",),
    "model_a": ("generator_1",),
    "model_b": ("generator_2",),
    "winner": ("preference",),
}


def sniff(seen: FileLook) -> bool:
    """Check for the columns of AlpacaEval."""
    return {"generator_1", "generator_2", "preference"} <= {*seen.headers, *seen.shape}


def read(path: Path, options: ReadOptions) -> PreferenceExport:
    """Read all annotations."""
    records = read_records(path)
    votes = PreferenceVotes()
    for row, record in records.rows:
        value = tidy_label(record.get("preference"))
        outcome = _outcome(votes, value)
        votes.add(
            row,
            (tidy_label(record.get("generator_1")), tidy_label(record.get("generator_2"))),
            outcome,
            value=value,
            item=short_id(tidy_label(record.get("instruction"))),
            rater=tidy_label(record.get("annotator")),
        )
    return votes.export("alpaca_eval", records.rejects, (*records.warnings, SHUFFLED), ColumnChoice(COLUMN_NAMES))


def _outcome(votes: PreferenceVotes, value: str | None) -> str | None:
    try:
        number = float(value or "")
    except ValueError:
        return None
    if number in (0, 1.5):
        return TIE
    if not (math.isfinite(number) and 1 <= number <= 2):
        return None
    if number not in (1, 2):
        votes.notes[BETWEEN] += 1
    return FIRST if number < 1.5 else SECOND
