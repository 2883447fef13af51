"""Before there are ratings: how many are needed, and what the methods give on simulated ones."""
