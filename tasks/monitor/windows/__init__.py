"""Figures in windows of time: calendar and rolling windows of days, batches, the last items."""
