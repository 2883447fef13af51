"""The command `kappaflow check`, and what it prints and writes."""
