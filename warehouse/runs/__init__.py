"""Runs in the warehouse: their results, and which are under way."""
