"""Read the answers of Amazon's forms (crowd-form, crowd-classifier): a JSON object by question."""

from collections.abc import Iterator
from typing import Any

from tasks.formats.parsing.cells import label_set, tidy_label
from tasks.formats.parsing.json_fields import is_nested, mapping

UNREADABLE = "An answer of this form is not a label of the whole item."


def answers_of(content: dict[str, Any]) -> Iterator[tuple[str, str | None, str | None]]:
    """Iterate over (question, label, fault) of each answer. Without a choice, label and fault are None.

    >>> list(answers_of({"tone": {"label": "good"}, "topic": {"b": True, "a": True, "c": False}, "n": 4.0}))
    [('tone', 'good', None), ('topic', '["a", "b"]', None), ('n', '4', None)]
    """
    for question, value in content.items():
        label, readable = _label(value)
        yield question, label, None if readable else UNREADABLE


def _label(value: object) -> tuple[str | None, bool]:
    if isinstance(value, str) and mapping(value):
        value = mapping(value)
    if isinstance(value, dict):
        if value and all(isinstance(chosen, bool) for chosen in value.values()):
            return label_set([name for name, chosen in value.items() if chosen]), True
        for key in ("label", "labels"):
            if key in value and not isinstance(value[key], dict):
                return _label(value[key])
        return None, not value
    if isinstance(value, list):
        return (None, False) if is_nested(value) else (label_set(value), True)
    return tidy_label(value), True
