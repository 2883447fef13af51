"""What messages say of their project."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class MessageContext:
    """What messages say of their project.

    - name, folder: of the project. report, snapshot: where to look.
    - timezone: of the days. coefficient: name of what the agreement chart follows.
    - false_alarms_per_year: of all charts of a question together
    """

    name: str
    folder: Path
    report: Path
    snapshot: Path
    timezone: str = "UTC"
    coefficient: str = "Fleiss' kappa"
    false_alarms_per_year: float = 1.0
