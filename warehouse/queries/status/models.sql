-- One row per question and model: its strength by the votes on pairs of models, and the ranks that it may have.
select question, rank, model, strength, low, high, rank_low, rank_high, n_votes, votes_of, reason
from latest_model_strengths
order by question, rank nulls last, model;
