"""Tell what the values of a winner column mean: words, numbers, and values that the user maps to an outcome."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from tasks.errors import ColumnsHint, InputError, ReadError
from tasks.formats.columns.column_roles import listed
from tasks.formats.columns.joined_columns import BAR
from tasks.formats.parsing.cells import tidy_label
from tasks.formats.parsing.json_fields import number
from tasks.formats.preferences.preference_votes import FIRST, NUMBERS, SECOND, TIE

OUTCOME_ROLES = {"model_a_wins": FIRST, "model_b_wins": SECOND, "tie": TIE}
"""Roles of a mapping that name values of the winner column, not columns: `model_a_wins=1|2`."""

ZERO_AND_ONE = "{column!r} of {file} holds 0 and 1, but no 2: nothing tells whether 0 is the first model or a tie."
SCALE = "{column!r} of {file} holds {values}: a scale of numbers, and nothing tells which of them mean which model."
WORDS = "Write model_a, model_b or tie, or 1, 2 and 0 for a tie."
PROBABILITIES = (
    "If they are probabilities that model_a is better, write model_a above .5, model_b below .5 and tie at .5 instead."
)
MAX_ODD = 0.05  # up to this share, numbers that are not votes are rejected one by one; above it the file is refused
MAX_STEPS = 11  # of a scale that a mapping is proposed for


def mapped_outcomes(mapping: Mapping[str, str]) -> dict[str, str]:
    """Return the outcome of each value that the user maps. Errors: InputError for a value with two outcomes.

    >>> mapped_outcomes({"winner": "better", "model_a_wins": "1.0|2", "tie": "0"})
    {'1': 'first', '2': 'first', '0': 'tie'}
    """
    values = ((part, outcome) for role, outcome in OUTCOME_ROLES.items() for part in mapping.get(role, "").split(BAR))
    outcomes: dict[str, str] = {}
    for part, outcome in values:
        if (text := tidy_label(part)) and outcomes.setdefault(text, outcome) != outcome:
            raise InputError(f"--columns gives the winner {text!r} two meanings.", "Give it one.")
    return outcomes


def check_numbers(values: Sequence[str | None], column: str, path: Path, outcomes: Mapping[str, str]) -> None:
    """Refuse numbers that may mean something else than 1, 2 and a tie. Errors: ReadError.

    `values` are those that the user did not map. Beside numbers that mean a model, all numbers must be mapped.
    """
    if any(number(value) is not None and outcome != TIE for value, outcome in outcomes.items()):
        if others := sorted({value for value in values if value is not None and number(value) is not None}):
            sentence = (
                f"{column!r} of {path.name} also holds {listed(others, MAX_STEPS)}, and no role names what it means."
            )
            hint = "Name each number under model_a_wins, model_b_wins or tie: model_a_wins=1|2."
            raise ReadError(sentence, hint, file=str(path), column=column)
        return
    numbers = [number(value) for value in values if value is not None]
    distinct = {value for value in numbers if value is not None}
    odd = distinct - NUMBERS.keys()
    is_odd = sum(value in odd for value in numbers) > MAX_ODD * len(numbers)
    if not is_odd and (({0, 1} <= distinct and 2 not in distinct) or (distinct == {0} and None not in numbers)):
        sentence = ZERO_AND_ONE.format(column=column, file=path.name)
    elif is_odd:
        shown = listed([f"{value:g}" for value in sorted(distinct)], MAX_STEPS)
        sentence = SCALE.format(column=column, file=path.name, values=shown)
    else:
        return
    raise ReadError(sentence, _both_directions(sorted(distinct)), file=str(path), column=column)


def _both_directions(scale: Sequence[float]) -> ColumnsHint:
    """Propose both mappings of a scale whose two sides mirror each other."""
    extra = [value for value in scale if value not in (1, 2)]
    tie_only = {1, 2} <= {*scale} and len(extra) == 1
    first = ("If ", f"{extra[0]:g}", " is a tie: add ", {"tie": f"{extra[0]:g}"}, ". ") if tie_only else ()
    middle = 0 if scale[0] < 0 else (scale[0] + scale[-1]) / 2
    low, high = ([f"{value:g}" for value in scale if (value - middle) * side > 0] for side in (-1, 1))
    if not low or not high or len(scale) > MAX_STEPS:
        words = PROBABILITIES if scale[0] >= 0 and scale[-1] <= 1 else WORDS
        return ColumnsHint(*first, *(() if first else (words,)))
    tie = {"tie": f"{middle:g}"} if middle in scale else {}
    small, large = BAR.join(low), BAR.join(high)
    return ColumnsHint(
        *first,
        "If the larger numbers mean that model_a is better: add ",
        {"model_a_wins": large, "model_b_wins": small} | tie,
        ". If the smaller ones do: add ",
        {"model_a_wins": small, "model_b_wins": large} | tie,
        ".",
    )
