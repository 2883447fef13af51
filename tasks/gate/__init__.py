"""The gate: hold the figures of a project or a file to limits, and judge each limit."""
