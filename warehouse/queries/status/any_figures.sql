-- One row: whether there is agreement on labels, spans or boxes, or a strength of a model by votes on pairs.
select
    exists (from latest_agreement)
    or exists (from latest_region_agreement)
    or exists (from latest_model_strengths);
