"""What became of a file."""

from dataclasses import dataclass

from warehouse.batches import BatchCounts


@dataclass(frozen=True)
class FileResult:
    """The outcome of one file: its batch, its counts, and the messages for the user."""

    file_name: str
    # 'stored'; 'rejected'; 'missing': should be read again, but is gone; 'failed': could not be read this time
    status: str
    reader: str | None
    counts: BatchCounts
    reason: str | None
    detail: str | None
    warnings: tuple[str, ...]
