"""Readers of answers that are not labels: rankings of options, and texts."""
