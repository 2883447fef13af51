-- What makes an update of the charts independent of the number of ratings: items by day, ratings by label, and what the
-- detector knew of each chart. Filled here from the counts that are there; the next update fills the last one.
create table internal.day_item_counts (question_id integer not null, day date not null, n_items bigint not null);
comment on table internal.day_item_counts is 'Private. One row per question and day: items with a human rating.';
comment on column internal.day_item_counts.question_id is 'The question.';
comment on column internal.day_item_counts.day is 'Day of the latest human rating of the items.';
comment on column internal.day_item_counts.n_items is 'Items, 1 or more.';

insert into internal.day_item_counts
select question_id, day, sum(n_items)::bigint
from internal.pattern_counts
where day is not null
group by question_id, day
order by question_id, day;

create table internal.label_counts (question_id integer not null, label_id integer not null, n_ratings bigint not null);
comment on table internal.label_counts is 'Private. One row per question and label: ratings in force, of all kinds.';
comment on column internal.label_counts.question_id is 'The question.';
comment on column internal.label_counts.label_id is 'The label.';
comment on column internal.label_counts.n_ratings is 'Ratings, 1 or more.';

insert into internal.label_counts
select question_id, label_id, count(*)
from internal.ratings
where superseded_at is null and deleted_at is null
group by question_id, label_id
order by question_id, label_id;

alter table internal.chart_states add column detector json;
comment on column internal.chart_states.detector is
    'One entry per reference: its charts, each with the looks that were capped and its alarms. Null before version 35.';
