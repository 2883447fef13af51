"""What helps at the command line: pages on topics, and what to say about a mistyped command."""
