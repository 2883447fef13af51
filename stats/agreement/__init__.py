"""Compute the agreement of raters: coefficients with standard error, interval and p-value. Ratings may be missing."""

from stats.agreement.breakdowns.by_item import by_item
from stats.agreement.breakdowns.by_label import by_label
from stats.agreement.breakdowns.by_pair import pairwise
from stats.agreement.breakdowns.by_rater import by_rater
from stats.agreement.breakdowns.paradox import paradox
from stats.agreement.breakdowns.windows import agreement_by_window
from stats.agreement.coefficients.coefficient_registry import COEFFICIENTS
from stats.agreement.group.against_group import against_group
from stats.agreement.group.between_groups import between_groups
from stats.agreement.group.group_registry import GROUP_COEFFICIENTS
from stats.agreement.inference.benchmark_scales import BENCHMARKS, Benchmark, benchmark
from stats.agreement.inference.coefficient_comparison import compare
from stats.agreement.inference.group_comparison import compare_groups
from stats.agreement.inference.homogeneity import homogeneity
from stats.agreement.inference.interval_methods import METHODS
from stats.agreement.overall import agreement
from stats.agreement.weights import WEIGHTS
from stats.defaults import SCALES

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
