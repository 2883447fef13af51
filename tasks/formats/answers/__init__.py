"""Readers of answers that are no labels: rankings of options, and texts."""
