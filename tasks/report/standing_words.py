"""Say how a system compares with the annotators."""

from collections.abc import Sequence

from stats.accuracy.raters.annotators import MIN_RATINGS
from tasks.report.formatting import counted
from tasks.report.report_data import Row
from tasks.summary.finite import finite
from tasks.summary.system_standing import HumanRaters, RankAmongRaters, rank_among_raters

_ABOVE_ALL = "better than every annotator"
_WORDS = {
    RankAmongRaters.ABOVE_ALL: _ABOVE_ALL,
    RankAmongRaters.ABOVE_RANKED: f"{_ABOVE_ALL} with {MIN_RATINGS} ratings or more",
    RankAmongRaters.ABOVE_AVERAGE: "better than the average annotator",
    RankAmongRaters.NOT_APART: "not clearly apart from the average annotator",
    RankAmongRaters.BELOW_AVERAGE: "worse than the average annotator",
}


def standing_words(system: Row, raters: HumanRaters) -> str:
    """Say how a system compares with the annotators, '' if that is unknown."""
    place = rank_among_raters(system, raters)
    return "" if place is None else _WORDS[place]


def copied_raters(system: Row, copying: Sequence[Row]) -> list[str]:
    """Return the annotators whose errors a system shares, by the violated checks of copying.

    Empty with gold, because a copying system does not bias an audited accuracy.
    """
    copied = [str(check["rater"]) for check in copying if check["system"] == system["system"]]
    return [] if finite(system.get("n_gold")) else copied


def standing_counts(estimates: Sequence[tuple[Row, HumanRaters]]) -> list[str]:
    """Count the systems above every annotator and those below the average one, each on the condition that holds."""
    sentences = []
    for place in (RankAmongRaters.ABOVE_ALL, RankAmongRaters.ABOVE_RANKED, RankAmongRaters.BELOW_AVERAGE):
        rows = [row for row, raters in estimates if rank_among_raters(row, raters) is place]
        if rows:
            verb = "is" if len(rows) == 1 else "are"
            of_all = counted(len(estimates), "estimate")
            sentences.append(f"{len(rows)} of {of_all} {verb} {_WORDS[place]}{_conditions(rows)}.")
    return sentences


def _conditions(rows: Sequence[Row]) -> str:
    """Return the condition of these estimates; each of them, if they differ."""
    conditions = sorted({_condition(row) for row in rows})
    return (
        f", {conditions[0]}"
        if len(conditions) == 1 and conditions[0]
        else "".join(f", some {text}" for text in conditions if text)
    )


def _condition(row: Row) -> str:
    if not finite(row["n_gold"]):
        return "if people err independently"
    if row["gold_origin"] == "worklist":
        return "by gold that is no random sample"
    return "" if row["gold_origin"] == "drawn" else "if the gold is a random sample"


def if_independent(system: Row) -> str:
    """Return the condition of an estimate without gold, '' for an audited one."""
    return "" if finite(system["n_gold"]) else ", if people err independently"
