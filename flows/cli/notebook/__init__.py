"""The command that writes a notebook."""
