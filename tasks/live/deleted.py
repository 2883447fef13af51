"""Tasks that were deleted with all they held: they never change again, so only what is left tells of them."""

from collections.abc import Collection

from tasks.live.client import LabelStudio

LIST_PAGE = 1_000


def vanished(api: LabelStudio, project: int, known: Collection[str]) -> list[str]:
    """Of the known tasks of a project those that it has no longer, in order.

    Empty where the list of what is left is not as long as the project says it is: then it changes just now, or somebody
    may not see all of it, and a task that is not seen must not count as deleted. Raises SourceError.
    """
    left: set[str] = set()
    page = 1
    while True:
        found = api.task_ids(project, page, LIST_PAGE)
        n_before = len(left)
        left.update(str(task["id"]) for task in found.tasks)
        if found.ended or len(left) == n_before or (page == 1 and len(left) == found.total):
            break
        page += 1
    return sorted(set(known) - left) if len(left) == api.n_tasks(project) else []
