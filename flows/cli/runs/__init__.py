"""What `kappaflow run` prints besides its tables."""
