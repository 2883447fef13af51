"""Agreement of raters: every coefficient with its standard error, interval and p-value, for any missing ratings."""

from stats.agreement.against_group import against_group
from stats.agreement.between_groups import between_groups
from stats.agreement.by_item import by_item
from stats.agreement.by_label import by_label
from stats.agreement.by_rater import by_rater
from stats.agreement.comparison import compare
from stats.agreement.errors import METHODS
from stats.agreement.group_comparison import compare_groups
from stats.agreement.group_registry import GROUP_COEFFICIENTS
from stats.agreement.homogeneity import homogeneity
from stats.agreement.overall import agreement
from stats.agreement.pairs import pairwise
from stats.agreement.paradox import paradox
from stats.agreement.reading import BENCHMARKS, Benchmark, benchmark
from stats.agreement.registry import COEFFICIENTS
from stats.agreement.weights import SCALES, WEIGHTS
from stats.agreement.windows import agreement_by_window

__all__ = [
    "BENCHMARKS",
    "COEFFICIENTS",
    "GROUP_COEFFICIENTS",
    "METHODS",
    "SCALES",
    "WEIGHTS",
    "Benchmark",
    "against_group",
    "agreement",
    "agreement_by_window",
    "benchmark",
    "between_groups",
    "by_item",
    "by_label",
    "by_rater",
    "compare",
    "compare_groups",
    "homogeneity",
    "pairwise",
    "paradox",
]
