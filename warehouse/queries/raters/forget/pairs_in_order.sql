-- Put the raters of each pair in the order of their names again, after one of them has a pseudonym.
-- Writes: item_distances, pairwise_agreement, region_agreement
update pairwise_agreement
set rater_a = rater_b, rater_b = rater_a
where rater_a > rater_b;

update region_agreement
set rater_a = rater_b, rater_b = rater_a
where rater_a > rater_b;

update item_distances
set rater_a = rater_b, rater_b = rater_a
where rater_a > rater_b;
