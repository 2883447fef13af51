"""Build the live pages of a project: what they show, from queries on the published snapshot."""
