"""Serve the live pages of a project: `kappaflow dashboard`."""
