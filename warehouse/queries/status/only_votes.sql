-- One row: whether there are strengths of models by votes on pairs, and no agreement on labels, spans or boxes.
select
    exists (from latest_model_strengths)
    and not exists (from latest_agreement)
    and not exists (from latest_region_agreement);
