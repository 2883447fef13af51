"""What is printed of regions, rankings and texts."""
