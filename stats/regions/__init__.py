"""Measure how far raters agree on regions: spans of text with a label."""

from stats.regions.region_agreement import COEFFICIENTS, by_label, by_pair, region_agreement
from stats.regions.span_matching import DONE, SPANS, match_spans

__all__ = ["COEFFICIENTS", "DONE", "SPANS", "by_label", "by_pair", "match_spans", "region_agreement"]
