"""Judges as repeated raters: how reliable their repeats are, and how they drift between versions."""
