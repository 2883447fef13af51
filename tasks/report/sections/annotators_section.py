"""List the annotators of one question with their accuracy."""

from tasks.report.folded_rows import fold_annotators
from tasks.report.formatting import count, foreign, interval, number
from tasks.report.html_table import GRAPHIC, Cell, HtmlTable, numbers, ranges, texts
from tasks.report.report_data import Row
from tasks.report.sections.systems_section import accuracy_graphic
from tasks.summary.system_standing import HumanRaters

_MAX_LISTED = 100


def annotators_table(raters: HumanRaters, limit: int = _MAX_LISTED) -> HtmlTable | None:
    """List up to `limit` annotators, best first. If there are many, those who need a look come first."""
    columns = (
        *texts("Annotator"),
        *numbers("Ratings"),
        *numbers("Accuracy"),
        GRAPHIC,
        *ranges("Interval"),
        *numbers("Agreement with others", *(("Gold",) if raters.audited else ())),
    )
    annotators = fold_annotators(raters.rows, "accuracy", "high", raters.mean, limit=limit)

    def cells(row: Row) -> tuple[Cell, ...]:
        return (
            foreign(row["rater"], 80),
            count(row["n_ratings"]),
            number(row["accuracy"]),
            accuracy_graphic(row),
            interval(row["low"], row["high"]),
            number(row["agreement_with_others"]),
            *((count(row["n_gold"]),) if raters.audited else ()),
        )

    shown, folded = ([cells(row) for row in part] for part in (annotators.shown, annotators.folded))
    return HtmlTable(columns, shown, annotators.note, folded, annotators.title) if shown else None
