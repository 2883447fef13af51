"""Readers of pairwise preferences: which of two models gave the better answer."""
