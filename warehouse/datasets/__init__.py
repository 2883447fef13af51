"""Datasets: ratings that stay in their files, while the warehouse stores their counts."""
