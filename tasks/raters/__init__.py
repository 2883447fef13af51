"""The figures of one rater, and forgetting a rater."""
