"""What is printed of regions."""
