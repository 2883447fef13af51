"""Defaults that settings share with functions of accuracy, in a module that loads nothing."""

OUTER_ERROR = 0.3  # tau: standard deviation of the errors on real data that no model can see, on the logit scale
DEFAULT_CONSENSUS = "mixture"  # see stats.accuracy.items.consensus
