"""Planning the size of a study: items for a half-width, raters for a budget, gold items, missing items."""

from stats.accuracy.planning.budget import BudgetOption, BudgetPlan, cheapest, raters_for_budget
from stats.accuracy.planning.gold_items import GoldPlan, gold_half_width, gold_items, gold_items_alone, more_gold_items
from stats.accuracy.planning.items_needed import StudyPlan, plan
from stats.accuracy.planning.more_items import MissingItems, more_items
from stats.accuracy.planning.one_coin_information import item_patterns, partitions, score_correlation, sd_per_item
from stats.accuracy.planning.outer_width import outer_half_width

__all__ = [
    "BudgetOption",
    "BudgetPlan",
    "GoldPlan",
    "MissingItems",
    "StudyPlan",
    "cheapest",
    "gold_half_width",
    "gold_items",
    "gold_items_alone",
    "item_patterns",
    "more_gold_items",
    "more_items",
    "outer_half_width",
    "partitions",
    "plan",
    "raters_for_budget",
    "score_correlation",
    "sd_per_item",
]
