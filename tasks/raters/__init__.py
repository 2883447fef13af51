"""One rater: what is known of him, and how he is forgotten."""
