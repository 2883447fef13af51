"""Find labels that programs and people write in place of the answer itself: errors, numbers in a text, orders."""

import re
from collections.abc import Sequence

FAILURES = re.compile(
    r"\$?(parse|parser|parsing|json|api)?[\s_-]?error\$?|timeout|exception|unpars(e)?able|nan", re.IGNORECASE
)
LEAST_ANSWERS = 2  # other labels: of two labels `error` and `ok` the first is an answer
LEAST_SCORES, FAR_ABOVE = 3, 4  # scores beside -1, and the largest of them if 0 is a score, too
NUMBER = re.compile(r"(?<![\w.,])(-?\d+(?:\.\d+)?)(?:\s*/\s*\d+)?(?![\w.,]*\d)(?!\w)")
MARKS = " .:;()[]\"'`"
MAX_FORMS = 1000  # labels that are read
LEAST_ORDERS, LEAST_LETTERS = 4, 3
ORDERS = (
    "They look like orders of the same {n} options. As labels, two orders are equal or not, however near they are: "
    "to compare them as rankings, write {example!r} in place of {label!r}, and say --answers ranking, or answers = "
    '"ranking" in kappaflow.toml.'
)


def failures(labels: Sequence[str]) -> list[str]:
    """Return the labels that say that a program gave no answer: words for an error, and -1 beside scores.

    >>> failures(["PARSE_ERROR", "fail", "pass"]), failures(["error", "ok"]), failures(["-1", "1", "2", "3"])
    (['PARSE_ERROR'], [], ['-1'])
    >>> failures(["-1", "0", "1"]), failures(["-2", "-1", "1", "2", "3"])
    ([], [])
    """
    words = [label for label in labels if FAILURES.fullmatch(label)]
    if words and len(labels) - len(words) >= LEAST_ANSWERS:
        return words
    scores = [float(label) for label in labels if re.fullmatch(r"\d+(\.\d+)?", label)]
    is_code = "-1" in labels and len(scores) == len(labels) - 1 >= LEAST_SCORES
    return ["-1"] if is_code and (0 not in scores or max(scores) >= FAR_ABOVE) else []


def same_answers(labels: Sequence[str]) -> list[list[str]]:
    """Group labels that are one answer with other marks or words around it.

    >>> same_answers(["A", "A.", "(A)", "[[B]]", "C", "C++", ".", "(", "A*"])
    [['A', 'A.', '(A)']]
    >>> same_answers(["7", "Score: 7/10", "7 - good", "8", "A1", "B1", "room 2", "door 2"])
    [['7', 'Score: 7/10', '7 - good']]
    """
    groups: dict[str, list[str]] = {}
    for label in labels[:MAX_FORMS]:
        groups.setdefault(label.strip(MARKS) or label, []).append(label)
    return [group for group in groups.values() if len(group) > 1] or _same_numbers(labels)


def _same_numbers(labels: Sequence[str]) -> list[list[str]]:
    """Group labels that hold one number. One of them begins with it."""
    groups: dict[float, list[str]] = {}
    for label in labels[:MAX_FORMS]:
        numbers = NUMBER.findall(label)
        if len(numbers) == 1:
            groups.setdefault(float(numbers[0]), []).append(label)
    return [group for group in groups.values() if len(group) > 1 and any(label[0] in "-0123456789" for label in group)]


def orders_note(labels: Sequence[str]) -> str | None:
    """Return a sentence if all labels put the same letters in order, as in ABCD and ACBD.

    >>> orders_note(["tea", "eat", "ate"]), (orders_note(["ABC", "ACB", "BAC", "CAB"]) or "")[:44]
    (None, 'They look like orders of the same 3 options.')
    """
    first = labels[0] if labels else ""
    letters = sorted(first)
    is_order = first.isalnum() and len(set(letters)) == len(letters) >= LEAST_LETTERS
    if len(labels) < LEAST_ORDERS or not is_order or any(sorted(label) != letters for label in labels):
        return None
    return ORDERS.format(n=len(letters), example=" > ".join(first), label=first)
