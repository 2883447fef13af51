"""Benchmarks of accuracy: speed, how often the intervals hold, what the checks find."""
