"""Say on a page which questions could not be evaluated, and why."""

from markupsafe import Markup

from tasks.dashboard.page_filters import link
from tasks.dashboard.page_parts import PageSection
from tasks.dashboard.page_reading import PageReading
from tasks.report.formatting import counted, foreign

_MAX_NAMED = 10


def failed_questions(page: PageReading) -> list[PageSection]:
    """Return a section that names the questions whose last evaluation failed; none if all are evaluated."""
    failed = page.rows("failed_evaluations")
    if failed.is_empty():
        return []
    agreement = page.rows("agreement")
    evaluated = set(agreement["question"]) if agreement.height else set()
    sentences = [
        Markup("{} could not be evaluated{}: {}").format(
            link("/question", row["question"], question=row["question"]),
            ", and its figures are from an earlier run" if row["question"] in evaluated else "",
            foreign(row["detail"] or "the run failed.", 300),
        )
        for row in failed.head(_MAX_NAMED).to_dicts()
    ]
    if failed.height > _MAX_NAMED:
        sentences.append(Markup("{} could not be evaluated.").format(counted(failed.height - _MAX_NAMED, "question")))
    return [PageSection("Not evaluated", ("failed_evaluations",), sentences=sentences)]
