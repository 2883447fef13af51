"""Find deleted tasks by listing the tasks that remain: a deleted task does not appear among the changes."""

from collections.abc import Collection

from tasks.sources.live_label_studio.client import LabelStudioClient

LIST_PAGE = 1_000


def deleted_tasks(api: LabelStudioClient, project: int, stored: Collection[str]) -> list[str]:
    """Return the known tasks that a project no longer has, sorted.

    Empty if the number of listed tasks differs from the task count of the project. Then the project is changing, or the
    user of the token may not see all tasks, and a task that is not listed might still exist. Raises SourceError.
    """
    present: set[str] = set()
    page = 1
    while True:
        result_page = api.task_ids(project, page, LIST_PAGE)
        n_before = len(present)
        present.update(str(task["id"]) for task in result_page.tasks)
        if result_page.ended or len(present) == n_before or (page == 1 and len(present) == result_page.total):
            break
        page += 1
    return sorted(set(stored) - present) if len(present) == api.n_tasks(project) else []
