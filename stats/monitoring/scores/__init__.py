"""Scores of items: what each control chart adds up, one quantity a file."""
