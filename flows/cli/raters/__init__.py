"""Commands about one rater."""
