"""Benchmarks of agreement: speed, and how often the intervals hold."""
