"""Define a live source: a project in Label Studio, and the options to read it."""

from dataclasses import dataclass, field

from tasks.formats import ReadOptions

PATIENCE = 120  # seconds; a restarting Label Studio does not answer for 30 seconds or more


@dataclass(frozen=True)
class LiveSource:
    """A project of a Label Studio server.

    `name` is the value of `batches.source`. `token_env` is the name of the environment variable with the token. A
    request that fails with a temporary error is retried for `patience` seconds.
    """

    name: str
    url: str
    project: int
    token_env: str = "LABEL_STUDIO_API_KEY"
    page_size: int = 200
    options: ReadOptions = field(default_factory=ReadOptions)
    patience: float = PATIENCE

    @property
    def file_name(self) -> str:
        """The address of the project, used as the file name in `batches` and in messages."""
        return f"{self.url.partition('://')[2].rstrip('/')}/projects/{self.project}"

    @property
    def stream(self) -> str:
        """The key of the cursor. It includes the prefix: with a new one the questions change and all is read again."""
        return f"{self.url.rstrip('/')}/projects/{self.project} as {self.options.prefix or ''}"
