"""Readers of regions: spans of text that raters marked with a label."""
