"""The command that lists rejected rows."""
