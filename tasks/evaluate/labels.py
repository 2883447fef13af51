"""Determine the labels of a question: declared, or inferred from the ratings with a note that says so."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from schemas.rating_columns import IS_GOLD, IS_HUMAN
from stats.agreement.weights import SCORE_WEIGHTS
from stats.numeric_labels import are_many_numbers
from tasks.counted_words import counted, short_name
from tasks.errors import InputError
from tasks.evaluate.label_order import known_order, order_differs
from tasks.evaluate.misspelt_labels import misspelt_note
from tasks.evaluate.written_answers import failures, orders_note, same_answers
from tasks.formats.answers.written_rankings import n_ranked_options
from tasks.formats.parsing.cells import labels_of_set, nfc, tidy_label
from tasks.formats.parsing.joined_labels import likely_sets
from tasks.look_alikes import label_look_alikes, note, plain_name, shown_name
from tasks.question_result import LEFT_OUT

# These may be real labels, as in "none of these", but tools also write them for a missing value.
NO_ANSWER = {
    *("null", "none", "na", "n/a", "n.a.", "n.a", "<na>", "#n/a", "undefined", "nil", "k.a.", "-", "--", "---"),
    *("\u2013", "\u2014", "?", "??", ".", "skip", "skipped", "missing", "blank", "(blank)", "empty", "tbd", "todo"),
    *("to do", "no answer", "not applicable", "not annotated", "unlabeled", "unlabelled"),
}
MISSING_CODES = {"-9", "-99", "-999", "-9999", "99", "999", "9999"}
MAX_LISTED, MAX_QUOTED = 12, 6  # labels in a sentence
MAX_MISSPELT = 0.05  # of a rater's answers: fewer are slips, and hardly change its accuracy
POINTS_ON_A_SCALE = (
    "These are many numbers. As labels, two numbers are equal or not, however near they are: for points on a scale say"
    ' --scale interval, or scale = "interval" in kappaflow.toml.'
)
RANKINGS = (
    "They look like rankings of {n} options. As labels, two orders are equal or not, however near they are: for "
    'rankings say --answers ranking, or answers = "ranking" in kappaflow.toml.'
)
TEXTS = (
    "They look like texts that the raters wrote. As labels, two texts are equal or not, however similar they are: for "
    'texts say --answers text, or answers = "text" in kappaflow.toml. If a verdict stands in each, write it alone.'
)
LEAST_TEXTS, WORDS_OF_A_TEXT = 20, 4  # different labels, and the words that most of them have
MAX_READ = 1000  # labels, to tell whether they look like texts
SIGNS = str.maketrans(
    {"\u2212": "-", "\u2013": "-", ",": "."}
)  # a minus sign and a dash, which no program reads as a minus
WEIGHTS_BY_ORDER = SCORE_WEIGHTS.keys() - {"identity"}


@dataclass(frozen=True)
class QuestionLabels:
    """The labels in their order. `note` says that they were inferred, or that their declared order is odd.

    `misspelling` are systems and gold that do not count, because they write the labels in another way than the people;
    `their_labels` are the labels of each that the others do not give.
    """

    names: tuple[str, ...]
    note: str | None = None
    misspelling: tuple[str, ...] = ()
    their_labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    are_declared: bool = True

    def keep_known(self, ratings: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
        """Keep the ratings with one of these labels. Return them with notes on what was inferred or left out.

        A row counts for `n_items` items if there is such a column, else for one. Ratings are left out if their label
        was removed from the declared labels after they were stored.
        """
        misspelt = ratings.filter(pl.col("rater").is_in(self.misspelling)) if self.misspelling else ratings.clear()
        rest = ratings.filter(~pl.col("rater").is_in(self.misspelling)) if self.misspelling else ratings
        kept = rest.filter(pl.col("label").is_in(self.names))
        notes = [self.note] if self.note else []
        if not misspelt.is_empty():
            raters, used = sorted(misspelt["rater"].unique()), set(misspelt["label"].unique())
            labels = sorted(used - {*self.names}) or sorted(used)
            notes.append(
                f"{LEFT_OUT} {counted(_n_ratings(misspelt), 'answer')} of {shown_labels(raters)}. Their labels "
                f"({shown_labels(labels)}) are not those of the other raters ({shown_labels(self.names)}) and would "
                "count as errors. Write them in the same way; if they are further labels, declare all: labels = [...]."
            )
        if kept.height < rest.height:
            unknown = sorted(set(rest["label"].unique()) - set(self.names))
            notes.append(
                f"{LEFT_OUT} {counted(_n_ratings(rest) - _n_ratings(kept), 'stored rating')} with a label that is not "
                f"declared ({shown_labels(unknown)}). To count them, declare it."
            )
        return kept, notes


def labels_of_question(
    ratings: pl.DataFrame,
    declared_labels: Sequence[str] | None,
    scale: str,
    question: str,
    weights: str | None = None,
) -> QuestionLabels:
    """Return the declared labels, or infer them from ratings (rater, rater_kind, label) without misspelt ones.

    On an interval or ratio scale nothing is misspelt: a system may give 3.7 where people give 3 and 4. Raises
    InputError as `declared_or_inferred`.
    """
    are_names = declared_labels is None and scale in ("nominal", "ordinal")
    misspelling = misspelling_raters(ratings) if are_names else []
    used = ratings.filter(~pl.col("rater").is_in(misspelling))["label"]
    labels = declared_or_inferred(used, declared_labels, scale, question, weights)
    misspelt = misspelt_note(ratings) if are_names else None
    sentences = " ".join(filter(None, (labels.note, misspelt))) or None
    their_labels = {
        rater: tuple(sorted(set(ratings.filter(rater=rater)["label"].drop_nulls()) - {*labels.names}))
        for rater in misspelling
    }
    return replace(labels, note=sentences, misspelling=tuple(misspelling), their_labels=their_labels)


def misspelling_raters(ratings: pl.DataFrame) -> list[str]:
    """Return the systems and gold that write the labels in another way than the people do: `Yes` for `yes`.

    There are two cases. A rater has no label in common with the people, and these use two labels or more. Or more than
    MAX_MISSPELT of a rater's answers only look like a label of the people. A system that adds a new label is neither.
    Without people, gold is compared with the systems.
    """
    people, others = ratings.filter(IS_HUMAN), ratings.filter(~IS_HUMAN)
    if people.is_empty():
        people, others = others.filter(~IS_GOLD), others.filter(IS_GOLD)
    human_labels = set(people["label"].drop_nulls().unique())
    if not human_labels or others.is_empty():
        return []
    count = pl.col("n_items").sum() if "n_items" in ratings.columns else pl.len()
    misspelling = []
    for (rater,), of_rater in others.group_by("rater"):
        counts = dict(of_rater.drop_nulls("label").group_by("label").agg(count.alias("n")).iter_rows())
        written = human_labels | counts.keys()
        groups = [*label_look_alikes(written), *same_answers(sorted(written))]
        alike = {label for group in groups if human_labels & set(group) for label in group} - human_labels
        n_misspelt = sum(n for label, n in counts.items() if label in alike)
        is_other = bool(counts) and not _single_labels(counts) & _single_labels(human_labels)
        if (is_other and len(human_labels) > 1) or n_misspelt > MAX_MISSPELT * sum(counts.values()):
            misspelling.append(str(rater))
    return sorted(misspelling)


def declared_or_inferred(
    labels: pl.Series,
    declared_labels: Sequence[str] | None,
    scale: str,
    question: str,
    weights: str | None = None,
) -> QuestionLabels:
    """Return the declared labels, or else the distinct labels used, ordered by value if all are numbers, else by name.

    A set of labels that a rater chose together is a separate label, after the declared ones. Raises InputError if the
    labels are neither declared nor all numbers, and the scale is not nominal or the weights go by the order of three
    labels or more: the order of such labels is unknown.
    """
    used = labels.drop_nulls().unique().to_list()
    if declared_labels is not None:
        names = [name for name in map(tidy_label, map(nfc, declared_labels)) if name]
        sets = sorted(label for label in used if label not in names and len(labels_of_set(label)) != 1)
        return QuestionLabels((*names, *sets), _order_note(names, scale, weights))
    numbers = {label: _number(label) for label in used}
    if all(number is not None for number in numbers.values()):
        ordered = sorted(used, key=lambda label: (numbers[label], label))
    elif scale == "nominal" and not (len(used) > 2 and weights in WEIGHTS_BY_ORDER):
        ordered = sorted(used)
    else:
        raise _no_order(used, scale, question, weights)
    shown = _first(list(map(short_name, ordered)), MAX_LISTED)
    were = "one found was" if len(ordered) == 1 else f"{len(ordered)} found were"
    sentences = [f"Its labels were not declared; the {were} used: {shown}.", *doubtful_labels(ordered)]
    if scale == "nominal" and are_many_numbers(ordered):
        sentences.append(POINTS_ON_A_SCALE)
    return QuestionLabels(tuple(ordered), " ".join(sentences), are_declared=False)


def doubtful_labels(labels: Sequence[str]) -> list[str]:
    """Return a sentence on labels that may stand for no answer, one on labels that look like rankings or texts, and one
    on those that look alike, if there are any."""
    doubtful = no_answers(labels)
    sentences = []
    if doubtful:
        stand = "stands" if len(doubtful) == 1 else "stand"
        sentences.append(
            f"If {', '.join(map(repr, doubtful))} {stand} for no answer, declare the labels without: others are "
            "rejected, and count in no figure."
        )
    real_labels = [label for label in labels if label not in doubtful]
    if n_options := n_ranked_options(real_labels):
        sentences.append(RANKINGS.format(n=n_options))
    elif orders := orders_note(real_labels):
        sentences.append(orders)
    elif _look_like_texts(real_labels):
        sentences.append(TEXTS)
    groups = label_look_alikes(real_labels)
    groups += [group for group in same_answers(real_labels) if not any({*group} <= {*other} for other in groups)]
    alike = note(groups, "labels")
    return [*sentences, *([alike] if alike else [])]


def _look_like_texts(labels: Sequence[str]) -> bool:
    """Check whether there are many labels, most of the first ones with several words, that are no sets of labels.

    >>> [_look_like_texts([f"{words} {i}" for i in range(20)]) for words in ("the bill of month", "bill")]
    [True, False]
    """
    labels = labels[:MAX_READ]
    n_long = sum(len(label.split()) >= WORDS_OF_A_TEXT and len(labels_of_set(label)) == 1 for label in labels)
    return len(labels) >= LEAST_TEXTS and 2 * n_long > len(labels) and not likely_sets(pl.Series(labels))[1]


def no_answers(labels: Sequence[str]) -> list[str]:
    """Return the labels that may stand for no answer: words, and codes such as 99 beside numbers far nearer to 0.

    >>> no_answers(["1", "2", "99"]), no_answers(["98", "99"]), no_answers(["yes", "N/A"])
    (['99'], [], ['N/A'])
    """
    numbers = [abs(number) for label in labels if label not in MISSING_CODES and (number := _number(label)) is not None]
    are_codes = len(numbers) > 1 and all(label in MISSING_CODES or _number(label) is not None for label in labels)
    codes = {label for label in MISSING_CODES if are_codes and abs(float(label)) >= 2 * max(numbers)}
    codes |= {*failures(labels)}
    return [label for label in labels if label in codes or plain_name(label) in NO_ANSWER]


def _no_order(used: Sequence[str], scale: str, question: str, weights: str | None) -> InputError:
    """Return the error for labels whose order is needed and not declared."""
    what = f"is declared {scale}" if scale != "nominal" else f"has the weights {weights!r}, which go by the order"
    if all(_number(label.replace(",", ".")) is not None for label in used):
        shown = "; ".join(sorted(used)[:3])
        return InputError(
            f"Question '{question}' {what}, but its labels are numbers with a decimal comma ({shown}).",
            "Write them with a point, as in 2.5: in the file, or in the settings of the tool that wrote it.",
        )
    if scale in ("interval", "ratio"):
        return _no_numbers(used, scale, question)
    example = ",".join(known_order(used) or ("low", "mid", "high"))
    return InputError(
        f"Question '{question}' {what}, but its labels have no declared order (found: {', '.join(sorted(used)[:6])}).",
        f"List them from lowest to highest: --labels {example}, or labels = [...] in kappaflow.toml.",
    )


def _no_numbers(used: Sequence[str], scale: str, question: str) -> InputError:
    """Return the error for an interval or ratio scale with labels that are not numbers."""
    what = f"Question '{question}' is declared {scale}, but"
    others = sorted(label for label in used if _number(label) is None)
    shown = "; ".join(map(short_name, others[:3])) + (" ..." if len(others) > 3 else "")
    if all(_number(label.translate(SIGNS).rstrip("% ")) is not None for label in others):
        return InputError(
            f"{what} some of its labels have a sign that numbers do not have ({shown}).",
            "Write them as numbers, such as -1 with a hyphen or 50 without %: in the file, or in the settings of the "
            "tool that wrote it.",
        )
    numbers = sorted((label for label in used if label not in others), key=float)
    if not numbers:
        return InputError(
            f"{what} its labels are no numbers ({shown}).",
            "If they only have an order, say scale ordinal, and list them from lowest to highest: labels = [...] in "
            "kappaflow.toml, or --labels.",
        )
    are_none = "is no number" if len(others) == 1 else "are no numbers"
    return InputError(
        f"{what} {len(others)} of its {len(used)} labels {are_none} ({shown}).",
        "If these stand for no answer, declare the numbers alone: labels = [...] in kappaflow.toml, or --labels "
        f"{','.join(numbers[:12])}{',...' if len(numbers) > 12 else ''}. Other labels then count in no figure.",
    )


def _order_note(names: Sequence[str], scale: str, weights: str | None) -> str | None:
    """Say that labels are declared in an order that is not theirs, where scale or weights go by the declared order."""
    by_order = scale == "ordinal" or (scale == "nominal" and weights in WEIGHTS_BY_ORDER)
    if not by_order or not order_differs(names):
        return None
    what = "Its labels are numbers, but they" if None not in map(_number, names) else "Its labels"
    return (
        f"{what} are declared in the order {_first(names, MAX_LISTED)}. What is near on this "
        "scale goes by that order: list the lowest first."
    )


def _single_labels(labels: Iterable[str]) -> set[str]:
    return {part for label in labels for part in labels_of_set(label)}


def shown_labels(labels: Sequence[str]) -> str:
    """Quote the first labels for a sentence."""
    return _first(list(map(shown_name, labels)), MAX_QUOTED)


def _first(names: Sequence[str], n: int) -> str:
    """Join the first names, and say how many more there are."""
    return ", ".join(names[:n]) + (f" and {len(names) - n} more" if len(names) > n else "")


def _n_ratings(ratings: pl.DataFrame) -> int:
    return int(ratings["n_items"].sum()) if "n_items" in ratings.columns else ratings.height


def _number(label: str) -> float | None:
    try:
        value = float(label)
    except ValueError:
        return None
    return value if value == value and abs(value) != float("inf") else None
