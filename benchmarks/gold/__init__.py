"""What gold is worth, and how often the intervals hold with it."""
