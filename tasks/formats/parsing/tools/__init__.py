"""Helpers of the readers of one tool."""
