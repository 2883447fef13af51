"""Sources that are polled instead of read from files."""
