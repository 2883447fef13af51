"""Walk through the tasks that changed since a moment, so that none is missed although others change meanwhile.

Tasks come in the order of their changes, and each page begins at the time where the one before it ended: a page counted
from the start would skip a task whenever one before it changed and moved to the end. A server that does not keep the
order is read by page numbers, and its changes count as taken in only when all of them are.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from tasks.errors import SourceError
from tasks.live.client import Json, Page

OVERLAP = timedelta(seconds=10)
"""How far before the last change that was seen a poll begins: a change that was written late, or while the page was
being put together, is still found. Tasks that are as they were are not taken in again."""

MOST_SAME = 5  # equal pages in a row; a server that counts right sends two at most
START = datetime(1970, 1, 1, tzinfo=UTC)
Fetch = Callable[[datetime, int], Page]


@dataclass(frozen=True)
class Stretch:
    """Tasks that came together. Up to `cursor` all changes have come with them or before; None: that is unknown."""

    tasks: Sequence[Json]
    cursor: datetime | None


def changes(fetch: Fetch, cursor: datetime | None) -> Iterator[Stretch]:
    """All tasks that changed since `cursor`, each state once, a page at a time. `fetch` gives the page of a number of
    those that changed at a time or later. Raises what `fetch` raises, and SourceError for answers that lead nowhere."""
    start = max(cursor - OVERLAP, START) if cursor else START
    since, latest, page, in_order, n_same = start, cursor or START, 1, True, 0
    seen: set[tuple[object, datetime]] = set()
    total: int | None = None
    before: list[object] = []
    while True:
        found = fetch(since, page)
        total = found.total if total is None else total
        ids, times = [task["id"] for task in found.tasks], [changed_at(task) for task in found.tasks]
        in_order = in_order and times == sorted(times)
        fresh = [i for i, state in enumerate(zip(ids, times, strict=True)) if state not in seen]
        seen.update((ids[i], times[i]) for i in fresh)
        latest = max([latest, *times])
        # The length of a page says nothing: the server may have its own idea of how long it is.
        ended = found.ended or not found.tasks or (page == 1 and len(found.tasks) == found.total)
        if ended and in_order and len({task for task, _ in seen}) < (total or 0):
            # Some are missing: pages that were in order by chance, or tasks deleted meanwhile. Once more, by numbers.
            ended, in_order, since, page = False, False, start, 0
        yield Stretch([found.tasks[i] for i in fresh], latest if (in_order or ended) and latest > START else None)
        if ended:
            return
        n_same = n_same + 1 if ids == before else 0
        if n_same == MOST_SAME:
            raise SourceError("The server sends the same tasks again and again.", "Is `url` Label Studio's address?")
        before = ids
        since, page = (times[-1], 1) if in_order and times[-1] > since else (since, page + 1)


def changed_at(task: Json) -> datetime:
    """When a task changed last."""
    text = task.get("updated_at")
    try:
        return datetime.fromisoformat(str(text)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise SourceError(
            f"Task {task['id']} has the time {text!r}, which is none.", "Is this the address of Label Studio itself?"
        ) from None


def as_filter(moment: datetime) -> str:
    """The time as Label Studio's filters take it.

    >>> as_filter(datetime(2026, 1, 5, 9, 30, tzinfo=UTC))
    '2026-01-05T09:30:00.000000Z'
    """
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
