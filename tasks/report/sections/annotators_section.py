"""List the annotators of one question with their accuracy."""

from tasks.report.folded_rows import fold_annotators
from tasks.report.formatting import count, foreign, interval, number
from tasks.report.html_table import HtmlTable, graphic_column, number_column, range_column, text_column
from tasks.report.sections.systems_section import accuracy_graphic
from tasks.summary.system_standing import HumanRaters

_MAX_LISTED = 100


def annotators_table(raters: HumanRaters, limit: int = _MAX_LISTED) -> HtmlTable | None:
    """List up to `limit` annotators, best first. If there are many, those who need a look come first."""
    columns = (
        text_column("Annotator", lambda row: foreign(row["rater"], 80)),
        number_column("Ratings", lambda row: count(row["n_ratings"])),
        number_column("Accuracy", lambda row: number(row["accuracy"])),
        graphic_column(accuracy_graphic),
        range_column("Interval", lambda row: interval(row["low"], row["high"])),
        number_column("Agreement with others", lambda row: number(row["agreement_with_others"])),
        *((number_column("Gold", lambda row: count(row["n_gold"])),) if raters.audited else ()),
    )
    return fold_annotators(raters.rows, "accuracy", "high", raters.mean, limit=limit).table(columns)
