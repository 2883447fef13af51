"""Group the warnings about estimates by their cause, so that each is said once, with the systems that it concerns."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl
from markupsafe import Markup

from stats.accuracy.gold.audit_notes import INFORMATIVE
from tasks.report.formatting import MARK, foreign, joined, method_name
from tasks.report.report_data import Row
from tasks.summary.headline import headline_rows

_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?|\.\d+")
_END = re.compile(r"\.(?=\s|$)")  # of a sentence: a point in a number is followed by a digit
_MAX_NAME, _MAX_SENTENCE = 60, 2000  # characters


@dataclass
class GroupedWarning:
    """Warnings that differ in their numbers at most: the systems of each."""

    cause: str
    systems: dict[str, list[str]] = field(default_factory=dict)

    @property
    def sentence(self) -> str:
        """The warning in full, with the numbers of the first system."""
        return next(iter(self.systems))

    @property
    def first_sentence(self) -> Markup:
        """What was found. What follows from it is in the `rest`."""
        return foreign(self.sentence[: self._end], _MAX_SENTENCE)

    @property
    def rest(self) -> Markup:
        """What it does to the estimate."""
        rest = self.sentence[self._end :].strip()
        return foreign(rest, _MAX_SENTENCE) if rest else Markup()

    @property
    def in_full(self) -> Markup:
        """Both."""
        return foreign(self.sentence, _MAX_SENTENCE)

    @property
    def names(self) -> Markup:
        """The systems, those of other numbers with theirs."""
        (_, first), *others = self.systems.items()
        names_shown = [foreign(name, _MAX_NAME) for name in first]
        for sentence, names in others:
            apart = [b for a, b in zip(_numbers(self.sentence), _numbers(sentence), strict=True) if a != b]
            names_shown += [Markup("{} ({})").format(foreign(name, _MAX_NAME), ", ".join(apart)) for name in names]
        return joined(names_shown)

    @property
    def is_informative(self) -> bool:
        """Whether it only tells how a figure came about."""
        return self.sentence.startswith(INFORMATIVE)

    @property
    def _end(self) -> int:
        match = _END.search(self.sentence)
        return match.end() if match else len(self.sentence)

    def add(self, sentence: str, system: str) -> None:
        """Add a system."""
        names = self.systems.setdefault(sentence, [])
        if system not in names:
            names.append(system)


def grouped_warnings(rows: Iterable[Row], *, with_method: bool = False) -> list[GroupedWarning]:
    """Group the warnings of estimates (`system`, `system_version`, `method`, `warnings`) by cause.

    They stay in the order of the rows. Several warnings of one estimate that differ in numbers only stay apart: the
    numbers may be names of raters.
    """
    groups: dict[tuple[str, int], GroupedWarning] = {}
    for row in rows:
        name = f"{system_name(row)} by {method_name(str(row['method']))}" if with_method else system_name(row)
        before: Counter[str] = Counter()
        for sentence in dict.fromkeys(_sentences(row["warnings"])):
            cause = _NUMBER.sub("#", sentence)
            groups.setdefault((cause, before[cause]), GroupedWarning(cause)).add(sentence, name)
            before[cause] += 1
    return list(groups.values())


def warnings_of_others(systems: pl.DataFrame, shown: Sequence[GroupedWarning]) -> list[GroupedWarning]:
    """Group the warnings of the estimates that are not the main ones, without the causes that are shown there."""
    main = headline_rows(systems)
    others = systems.join(main, on=["system", "system_version", "method"], how="anti", nulls_equal=True)
    causes = {group.cause for group in shown}
    return [group for group in grouped_warnings(others.to_dicts(), with_method=True) if group.cause not in causes]


def cause_in_brief(groups: Sequence[GroupedWarning]) -> Markup:
    """Say in a few words what warnings of one cause found, over several questions.

    >>> few = GroupedWarning("", {"The estimate rests on few items: 10 (fewer than 200). Errors are large.": ["a"]})
    >>> more = GroupedWarning("", {"The estimate rests on few items: 70 (fewer than 200). Errors are large.": ["a"]})
    >>> str(cause_in_brief([few, more])).replace("<bdi>", "").replace("</bdi>", "")
    'The estimate rests on few items: 10–70'
    """
    sentences = [sentence for group in groups for sentence in group.systems]
    brief = _END.split(sentences[0], maxsplit=1)[0]
    values = list(zip(*(_numbers(sentence) for sentence in sentences), strict=True))
    columns = iter(values)

    def ranges(match: re.Match[str]) -> str:
        column = sorted(set(next(columns)), key=lambda text: float(text.replace(",", "")))
        return column[0] if len(column) == 1 else f"{column[0]}–{column[-1]}"

    return foreign(_NUMBER.sub(ranges, brief).split(" (")[0], 300)


def system_name(row: Row) -> str:
    """Return the name of a system with its version in brackets, or its versions, where all are taken together."""
    version = row["system_version"]
    return f"{row['system']} ({version})" if version and version != row["system"] else str(row["system"])


def _numbers(sentence: str) -> list[str]:
    return _NUMBER.findall(sentence)


def _sentences(value: Any) -> list[str]:
    """Return the warnings of a list, of a JSON array as text, or of lines of text.

    The warehouse may hold any of these.
    """
    if value is None or value == "":
        return []
    if isinstance(value, str):
        try:
            parsed = json.loads(value) if value.lstrip().startswith("[") else value.splitlines()
        except json.JSONDecodeError:
            parsed = value.splitlines()
        value = parsed if isinstance(parsed, list) else [parsed]
    shown = (str(sentence).strip()[:_MAX_SENTENCE] for sentence in value if sentence)
    return [sentence for sentence in shown if sentence not in ("", MARK)]


def evaluation_note(notes: pl.DataFrame, question: str) -> Markup:
    """Return all sentences that the run said of the question, without its name before each.

    None is cut: `run` does not cut them either, and each lists ten names at most.
    """
    text = " ".join(notes["detail"].drop_nulls()) if notes.height else ""
    before_sentences = rf"(^|(?<=[.!?] )){re.escape(question)}: "
    return foreign(re.sub(before_sentences, "", text), len(text)) if text else Markup()
