"""Say how a system compares with the annotators."""

from stats.accuracy.raters.annotators import MIN_RATINGS
from tasks.report.report_data import Row
from tasks.summary.finite import finite
from tasks.summary.system_standing import HumanRaters, Standing, standing

ABOVE_ALL, BELOW_AVERAGE = "better than every annotator", "worse than the average annotator"
_WORDS = {
    Standing.ABOVE_ALL: ABOVE_ALL,
    Standing.ABOVE_RANKED: f"{ABOVE_ALL} with {MIN_RATINGS} ratings or more",
    Standing.ABOVE_AVERAGE: "better than the average annotator",
    Standing.NOT_APART: "not clearly apart from the average annotator",
    Standing.BELOW_AVERAGE: BELOW_AVERAGE,
}


def standing_words(system: Row, raters: HumanRaters) -> str:
    """Say how a system compares with the annotators, '' if that is unknown."""
    place = standing(system, raters)
    return "" if place is None else _WORDS[place]


def if_independent(system: Row) -> str:
    """Return the condition of an estimate without gold, '' for an audited one."""
    return "" if finite(system["n_gold"]) else ", if people err independently"
