-- The batch meets no rating of its questions, and says nothing twice: each row is new, and in force. What the steps
-- that this one stands for (settle, decide) would have found is empty.
create or replace temp table settled (arrival bigint);

create or replace temp table verdicts (
    is_new boolean, arrival bigint, is_unchanged boolean, is_current boolean, is_refused boolean
);

create or replace temp table refused (arrival bigint);
