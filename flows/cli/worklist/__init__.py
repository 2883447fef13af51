"""The command on worklists."""
