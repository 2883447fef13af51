"""Commands that write tables to files."""
