"""The commands on alerts."""
