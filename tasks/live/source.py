"""What there is to say of a live source: where it is, and how it is read."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from tasks.formats import ReadOptions

PAUSES = (0.5, 1.0, 2.0, 4.0)  # seconds before each further try of a request


@dataclass(frozen=True)
class LiveSource:
    """One project of one Label Studio. `name` is what `batches.source` shows; `token_env` names the environment
    variable that holds the token."""

    name: str
    url: str
    project: int
    token_env: str = "LABEL_STUDIO_API_KEY"
    page_size: int = 200
    options: ReadOptions = field(default_factory=ReadOptions)
    pauses: Sequence[float] = PAUSES

    @property
    def file_name(self) -> str:
        """What stands for the file in `batches` and in messages: its address."""
        return f"{self.url.partition('://')[2].rstrip('/')}/projects/{self.project}"

    @property
    def stream(self) -> str:
        """What the cursor belongs to: with another prefix the questions are others, and all is read again."""
        return f"{self.url.rstrip('/')}/projects/{self.project} as {self.options.prefix or ''}"
