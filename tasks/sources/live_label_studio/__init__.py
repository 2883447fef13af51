"""Poll Label Studio for changes, instead of reading its export files."""
