"""What the warehouse knows of raters besides their ratings: kinds, aliases, forgotten names."""
