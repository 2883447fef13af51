"""The command on pairwise preferences."""
