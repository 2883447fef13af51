"""The audit: draw items at random, have them labelled, and take the answers as gold."""
