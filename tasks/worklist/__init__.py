"""Worklists: items that people should look at, written to a file, and their answers taken back."""
