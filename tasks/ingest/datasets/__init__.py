"""Count datasets: ratings that stay in their files."""
