"""Measure how far raters agree on regions: spans of text and boxes on images, with a label."""

from stats.regions.box_matching import BOXES, match_boxes
from stats.regions.character_alpha import LENGTHS, character_alpha
from stats.regions.region_agreement import BOX_COEFFICIENTS, COEFFICIENTS, by_label, by_pair, region_agreement
from stats.regions.span_matching import DONE, SPANS, match_spans
from stats.regions.text_lengths import known_lengths, n_left_out
from stats.regions.unitised_alpha import unitised_alpha

__all__ = [
    "BOXES",
    "BOX_COEFFICIENTS",
    "COEFFICIENTS",
    "DONE",
    "LENGTHS",
    "SPANS",
    "by_label",
    "by_pair",
    "character_alpha",
    "known_lengths",
    "match_boxes",
    "match_spans",
    "n_left_out",
    "region_agreement",
    "unitised_alpha",
]
