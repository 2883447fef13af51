"""Projects and datasets of many ratings, on one machine and on a cluster."""
