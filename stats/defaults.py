"""Names and defaults that settings share with functions of stats, in a module that loads nothing."""

from typing import Final

SCALES = ("nominal", "ordinal", "interval", "ratio")
OUTER_ERROR = 0.3  # tau: standard deviation of the errors on real data that no model can see, on the logit scale
DEFAULT_CONSENSUS = "mixture"  # see stats.accuracy.items.consensus
REPLICATES = 1000  # samples of a bootstrap
CHECK_LEVEL = 0.05  # probability that any check of a question's assumptions says `violated` by chance

# The control charts; see stats.monitoring.
CHARTED_COEFFICIENT: Final = "fleiss_kappa"  # what the agreement chart follows
FALSE_ALARMS_PER_YEAR = 1.0  # of all charts of a question together
LOOKS_PER_YEAR = 250.0  # days with ratings
REFERENCE_ITEMS = 300
REFERENCE_DAYS = 20
CLOSING_LAG_DAYS = 2  # a day is charted so many days later
