"""Estimates held against the gold of real data sets."""
