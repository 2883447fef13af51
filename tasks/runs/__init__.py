"""Runs: the record of each one, and its results shown or computed again later."""
