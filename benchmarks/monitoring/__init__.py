"""How often the charts of `stats.monitoring` raise a false alarm, and how soon they find a change, by simulation."""
