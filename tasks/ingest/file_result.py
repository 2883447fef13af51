"""What became of a file."""

from dataclasses import dataclass

from tasks.counted_words import counted
from warehouse.batches import BatchCounts

WITHDRAWN = "withdrawn"
"""The settings_hash of a batch that somebody withdrew: no settings, so that no run reads its file again."""
ANSWER_READERS = ("audit", "worklist")
"""The readers of answers that people give to these commands: they come from no source."""


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


def future_notes(counts: BatchCounts) -> tuple[str, ...]:
    """Return a note on the ratings of a file whose date lies in the future, or nothing."""
    if not counts.n_future or counts.last_future is None:
        return ()
    are = "is" if counts.n_future == 1 else "are"
    return (
        f"{counted(counts.n_future, 'rating')} {are} dated in the future, up to {counts.last_future:%Y-%m-%d %H:%M} "
        "UTC. They were stored, and count on those days. Look at the dates of the export: are they local times without "
        "a time zone?",
    )


def superseded_notes(counts: BatchCounts) -> tuple[str, ...]:
    """Return a note on the new ratings of a file that are not in force, or nothing."""
    n_new = counts.n_ratings if counts.n_new is None else counts.n_new
    if not counts.n_not_in_force:
        return ()
    are = "is" if counts.n_not_in_force == 1 else "are"
    return (
        f"{counts.n_not_in_force:,} of {counted(n_new, 'new rating')} {are} not in force: another rating by the same "
        "rater of the same item counts, a newer one unless `duplicates` is set. They are kept in the history.",
    )
