"""What the settings say of questions that matters on the way in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tasks.duplicates import Duplicates


@dataclass(frozen=True)
class Rules:
    """`labels`: those that a question declares, by its name; a rating with another is rejected. `duplicates`: which of
    several ratings by one rater counts, by the question's name; of questions that are not in it the latest does."""

    labels: Mapping[str, Sequence[str]] = field(default_factory=dict)
    duplicates: Mapping[str, Duplicates] = field(default_factory=dict)


USUAL = Rules()  # of a project that declares nothing
