"""Read what crowd platforms and smaller annotation tools write."""
