"""Find the files of datasets: in folders, in object stores, in the log of a Delta table."""
