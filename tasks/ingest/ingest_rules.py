"""Define the settings of questions that ingestion needs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tasks.ingest.duplicates import DuplicateRule


@dataclass(frozen=True)
class IngestRules:
    """The rules for ratings that come in, by question.

    `labels` are the declared labels of each question; a rating with another label is rejected. `duplicates` says which
    of several ratings by one rater counts; for questions that it does not contain, the latest one does. `aliases` are
    further names of raters, in all questions: name in a file -> name of the rater. `answers` are the questions whose
    answers are not labels: question -> ranking or text. `timezone` is that of the days of the project: no
    rating depends on it, but a note on the times of a file does.
    """

    labels: Mapping[str, Sequence[str]] = field(default_factory=dict)
    duplicates: Mapping[str, DuplicateRule] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    answers: Mapping[str, str] = field(default_factory=dict)
    timezone: str = "UTC"


DEFAULT_RULES = IngestRules()  # for a project that declares nothing
