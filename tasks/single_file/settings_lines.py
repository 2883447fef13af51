"""The lines for kappaflow.toml that `inspect` prints: the source that reads the same, and the questions' labels."""

from collections.abc import Collection, Mapping, Sequence

from tasks.evaluate.label_order import known_order
from tasks.evaluate.labels import no_answers
from tasks.formats.parsing.cells import labels_of_set

INSTEAD = "# In place of a [[source]] that reads the same files."
LIKELY_SETS = (
    '# The answers look like sets of labels. If they are not: label_separator = "none", and whole answers as labels.'
)
MANY_LABELS = "# {n:,} different labels: too many to list here. Without `labels` all labels of the files count."
LIKELY_NUMBERS = "# The answers are many numbers. If they are names of classes, write labels = [...] instead."
MOST_LABELS = 200  # listed; a question with more has free text or numbers for answers


def source_lines(source: Mapping[str, object], comments: Sequence[str] = ()) -> list[str]:
    """Return the lines of a [[source]]. Keys without a value are left out; `comments` come before the others."""
    keys = [f"{key} = {_toml_value(value)}" for key, value in source.items() if value or value is False]
    return [INSTEAD, "[[source]]", *comments, *keys]


def question_lines(
    question: str, labels: Collection[str], separator: str = "", *, comment: str | None = None
) -> list[str]:
    """Return the lines of a question's table with its single labels. `separator` stands between those of a set.

    With a `comment` the labels are commented out, and it says why.
    """
    singles = _single_labels(labels, separator)
    missing = no_answers(singles)
    listing = ", ".join(map(toml_text, missing))
    lines = ["", f"[questions.{toml_text(question)}]"]
    if missing:
        lines.append(f"# without {listing}, if it stands for no answer")
    if len(singles) > MOST_LABELS:
        return [*lines, MANY_LABELS.format(n=len(singles))]
    line = f"labels = {_toml_value(singles)}"
    return [*lines, line] if comment is None else [*lines, f"# {comment}", f"# {line}"]


def number_lines(question: str) -> list[str]:
    """Return the lines of a question whose labels are many numbers, which very likely are points on a scale."""
    return ["", f"[questions.{toml_text(question)}]", LIKELY_NUMBERS, 'scale = "interval"']


def ordered_labels(labels: Collection[str]) -> list[str]:
    """Order the labels from lowest to highest if that is known, else numbers by value and then words."""
    return list(known_order(sorted(labels)) or sorted(labels, key=_by_value))


def _by_value(label: str) -> tuple[float, str]:
    """Numbers in their order, then words."""
    try:
        return float(label), label
    except ValueError:
        return float("inf"), label


def _single_labels(sets: Collection[str], separator: str = "") -> list[str]:
    """Return the single labels, also those within sets, in their order. `separator` stands between those of a text."""
    texts = {element for label in sets for element in labels_of_set(label)}
    singles = {label.strip() for text in texts for label in (text.split(separator) if separator else [text])}
    return ordered_labels(singles - {""})


def _toml_value(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{toml_text(str(k))} = {_toml_value(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(_toml_value(v) for v in value) + "]"
    return toml_text(str(value))


def toml_text(text: str) -> str:
    """Write a basic string of TOML: escape quotes, backslashes and control characters."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08X}" for c in escaped) + '"'
