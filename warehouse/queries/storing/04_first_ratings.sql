-- The questions of the batch have no ratings yet, and no item and rater appears twice: every row is new and in force.
-- Steps 05 and 06 are left out, so their tables are empty.
-- Writes: refused, settled, verdicts
create or replace temp table settled (arrival bigint);

create or replace temp table verdicts (
    is_new boolean, arrival bigint, is_unchanged boolean, is_current boolean, is_refused boolean
);

create or replace temp table refused (arrival bigint);
