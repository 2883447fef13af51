-- One row: whether there is agreement on spans or boxes, and none on labels of items.
select
    not exists (from latest_agreement)
    and exists (from latest_region_agreement where rater_a is null and label is null);
