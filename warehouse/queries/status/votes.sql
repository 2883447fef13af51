-- One row: how many votes on pairs of models are in force.
select count(*)::bigint as n_votes
from current_preferences;
