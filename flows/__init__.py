"""Prefect flows and the command line."""

import os

# Read when NumPy is imported. The products of an evaluation are small: over several threads they take several times the
# processor time, and their last digit depends on how many.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
