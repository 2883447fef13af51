"""How large a study must be: items for a half-width, raters for a budget, gold items, and what is still missing."""

from stats.accuracy.planner.budget import Budget, Share, cheapest, raters_for_budget
from stats.accuracy.planner.gold import GoldPlan, gold_half_width, gold_items
from stats.accuracy.planner.items import Plan, plan
from stats.accuracy.planner.more import More, more_items
from stats.accuracy.planner.one_coin import item_patterns, partitions, score_correlation, sd_per_item

__all__ = [
    "Budget",
    "GoldPlan",
    "More",
    "Plan",
    "Share",
    "cheapest",
    "gold_half_width",
    "gold_items",
    "item_patterns",
    "more_items",
    "partitions",
    "plan",
    "raters_for_budget",
    "score_correlation",
    "sd_per_item",
]
