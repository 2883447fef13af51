"""Fetch the tasks that changed since a moment, without missing one when others change meanwhile.

Tasks are sorted by the time of their last change. Each request starts at the time of the last task of the page before.
Page numbers alone would skip tasks: a task that changes moves to the end, and all tasks behind it move forward. If a
server does not sort the tasks, page numbers are used, and the cursor advances only after the last page.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from tasks.errors import SourceError
from tasks.sources.live_label_studio.client import ADDRESS_HINT, Json, TaskPage

OVERLAP = timedelta(seconds=10)
"""A poll starts this long before the last change that was seen. So it finds changes that the server stored late, or
while it assembled a page. Tasks that did not change are not ingested again."""

MOST_SAME = 5  # equal pages in a row; a correct server sends at most two
START = datetime(1970, 1, 1, tzinfo=UTC)
TICK = timedelta(microseconds=1)  # the smallest difference of two times
GAP = timedelta(seconds=0.5)  # separates the changes of one import from other changes
Fetch = Callable[[datetime, int], TaskPage]
Count = Callable[[datetime], int | None]


@dataclass(frozen=True)
class ChangedTasks:
    """Tasks of one page. All changes up to `cursor` are in this page or earlier ones; None if that is unknown."""

    tasks: Sequence[Json]
    cursor: datetime | None


def changes(fetch: Fetch, cursor: datetime | None) -> Iterator[ChangedTasks]:
    """Yield all tasks that changed since `cursor`, page by page. Each state of a task comes once.

    `fetch` returns a page, by its number, of the tasks that changed at a time or later. Raises the errors of `fetch`,
    and SourceError if the server sends the same tasks repeatedly.
    """
    return _walk(fetch, overlap_start(cursor), cursor or START)


def changes_after(
    fetch: Fetch, count: Count, cursor: datetime, recent: Mapping[str, datetime]
) -> Iterator[ChangedTasks]:
    """Yield changed tasks as `changes` does, but skip the overlap if the number of tasks in it is as expected.

    This is for an import that wrote thousands of tasks at once: all of them are in the overlap. `recent` maps the known
    tasks that changed in the overlap to their times. `count` returns the number of tasks that changed at a time or
    later, or None.

    A task that changed again has a later time, so the number of tasks in the overlap becomes smaller. The tasks are
    counted from several moments, so that two changes cannot cancel each other out. If a count differs, or the server
    does not count, the whole overlap is fetched.
    """
    after = cursor + TICK
    n_after = count(after)
    counts = {moment: count(moment) for moment in _moments(overlap_start(cursor), recent.values())}
    counts_match = _counts_match(counts, recent.values(), n_after)
    if counts_match and n_after == 0:
        return
    seen: set[str] = set()
    last_cursor: datetime | None = None
    for changed in _walk(fetch, after, cursor):
        seen.update(str(task["id"]) for task in changed.tasks)
        last_cursor = changed.cursor
        yield changed if counts_match else replace(changed, cursor=None)
    if not counts_match and _counts_match(counts, [at for task, at in recent.items() if task not in seen], n_after):
        yield ChangedTasks((), last_cursor)
    elif not counts_match:
        yield from changes(fetch, cursor)


def overlap_start(cursor: datetime | None) -> datetime:
    """Return the time at which a poll starts that continues from `cursor`."""
    return max(cursor - OVERLAP, START) if cursor else START


def _moments(start: datetime, times: Iterable[datetime]) -> list[datetime]:
    """Return the start, and each time at which changes begin after a gap without changes."""
    ordered = sorted(times)
    return [start, *(at for before, at in pairwise(ordered) if at - before > GAP)]


def _counts_match(counts: Mapping[datetime, int | None], times: Collection[datetime], n_after: int | None) -> bool:
    """Check for each moment that the number of changed tasks since then equals the number of known times.

    The tasks that changed after the cursor, `n_after`, are not counted.
    """
    return n_after is not None and all(
        n_changed is not None and n_changed - n_after == sum(at >= moment for at in times)
        for moment, n_changed in counts.items()
    )


def _walk(fetch: Fetch, start: datetime, latest: datetime) -> Iterator[ChangedTasks]:
    """Yield the tasks that changed at `start` or later, page by page. `latest` is the last change known so far."""
    since, page, is_sorted, n_same = start, 1, True, 0
    seen: set[tuple[object, datetime]] = set()
    total: int | None = None
    previous_ids: list[object] = []
    while True:
        result_page = fetch(since, page)
        total = result_page.total if total is None else total
        ids, times = [task["id"] for task in result_page.tasks], [changed_at(task) for task in result_page.tasks]
        is_sorted = is_sorted and times == sorted(times)
        new = [i for i, state in enumerate(zip(ids, times, strict=True)) if state not in seen]
        seen.update((ids[i], times[i]) for i in new)
        latest = max([latest, *times])
        # A short page does not mean the end: the server may limit the page size.
        ended = (
            result_page.ended or not result_page.tasks or (page == 1 and len(result_page.tasks) == result_page.total)
        )
        if ended and is_sorted and len({task for task, _ in seen}) < (total or 0):
            # Tasks are missing: the pages were sorted by chance, or tasks were deleted. Start again by page numbers.
            ended, is_sorted, since, page = False, False, start, 0
        yield ChangedTasks(
            [result_page.tasks[i] for i in new], latest if (is_sorted or ended) and latest > START else None
        )
        if ended:
            return
        n_same = n_same + 1 if ids == previous_ids else 0
        if n_same == MOST_SAME:
            raise SourceError("The server sends the same tasks again and again.", ADDRESS_HINT)
        previous_ids = ids
        since, page = (times[-1], 1) if is_sorted and times[-1] > since else (since, page + 1)


def changed_at(task: Json) -> datetime:
    """Return the time of the last change of a task. Raises SourceError if the task has no valid time."""
    text = task.get("updated_at")
    try:
        return datetime.fromisoformat(str(text)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise SourceError(f"Task {task['id']} has {text!r} where a time should be.", ADDRESS_HINT) from None


def as_filter(moment: datetime) -> str:
    """Format a time for the filters of Label Studio.

    >>> as_filter(datetime(2026, 1, 5, 9, 30, tzinfo=UTC))
    '2026-01-05T09:30:00.000000Z'
    """
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
