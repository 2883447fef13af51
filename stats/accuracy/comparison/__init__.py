"""Comparison of systems with each other and with the human raters, on the same items."""
