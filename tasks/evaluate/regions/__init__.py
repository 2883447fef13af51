"""Measure how far raters agree on the spans and boxes of a question."""
