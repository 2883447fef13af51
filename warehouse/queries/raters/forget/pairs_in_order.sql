-- Put the raters of each pair in the order of their names again, after one of them has a pseudonym. A difference is that of
-- the first system less the second.
-- Writes: assumption_checks, item_distances, pairwise_agreement, region_agreement, system_differences
update pairwise_agreement
set rater_a = rater_b, rater_b = rater_a
where rater_a > rater_b;

update region_agreement
set rater_a = rater_b, rater_b = rater_a
where rater_a > rater_b;

update item_distances
set rater_a = rater_b, rater_b = rater_a
where rater_a > rater_b;

update assumption_checks
set rater = other, other = rater
where system is null and rater > other;

update system_differences
set
    system_a = system_b, system_b = system_a, version_a = version_b, version_b = version_a,
    accuracy_a = accuracy_b, accuracy_b = accuracy_a, difference = -difference, low = -high, high = -low,
    p_a_better = 1 - p_a_better
where system_a > system_b;
