-- A question has many checks: p corrected for their number.
alter table assumption_checks add column p_adjusted double;
comment on column assumption_checks.p_value is
    'Probability of so large a statistic if the assumption held: of this test alone.';
comment on column assumption_checks.p_adjusted is
    'The same, corrected for all tests of the question. Null in old runs, which corrected p_value of copying and alike.';
comment on column assumption_checks.violated is
    'Whether p_adjusted is below .05 and the effect matters. Null where something else explains it as well.';
