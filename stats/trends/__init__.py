"""Figures of many windows of items, such as weeks, from sums over the items of each window."""
