-- Rating patterns: what the ratings in force of an item look like, and how many items look so. All figures follow from
-- these counts, so that an evaluation need not read the ratings. Filled here from the ratings that are there.
create table internal.patterns (
    pattern_id bigint not null,
    question_id integer not null,
    signature uhugeint not null
);
comment on table internal.patterns is
    'Private. One row per question and set of ratings (rater, kind as read, label) that an item has in force.';
comment on column internal.patterns.pattern_id is 'The pattern; a number is never given twice.';
comment on column internal.patterns.question_id is 'The question.';
comment on column internal.patterns.signature is
    'Exclusive or of md5_number(''rater_id kind label_id'') over its ratings: the same for the same set.';

create table internal.pattern_numbers (last_number bigint not null);
comment on table internal.pattern_numbers is 'Private. One row.';
comment on column internal.pattern_numbers.last_number is 'The highest number that a pattern ever had.';

create table internal.pattern_ratings (
    pattern_id bigint not null,
    rater_id integer not null,
    rater_kind internal.rater_kind not null,
    label_id integer not null
);
comment on table internal.pattern_ratings is 'Private. One row per pattern and rating in it.';
comment on column internal.pattern_ratings.pattern_id is 'The pattern.';
comment on column internal.pattern_ratings.rater_id is 'The rater.';
comment on column internal.pattern_ratings.rater_kind is 'The kind as it was read; declared_kinds may say otherwise.';
comment on column internal.pattern_ratings.label_id is 'The label.';

create table internal.item_patterns (
    item_id integer not null,
    question_id integer not null,
    pattern_id bigint not null,
    latest timestamptz
);
comment on table internal.item_patterns is 'Private. One row per item with a rating in force.';
comment on column internal.item_patterns.item_id is 'The item.';
comment on column internal.item_patterns.question_id is 'The question.';
comment on column internal.item_patterns.pattern_id is 'Its pattern.';
comment on column internal.item_patterns.latest is
    'Time of its latest human rating in force: rated_at, else ingested_at. Null where there is none.';

create table internal.pattern_counts (
    question_id integer not null,
    day date,
    pattern_id bigint not null,
    n_items bigint not null
);
comment on table internal.pattern_counts is 'Private. One row per question, day and pattern that items show.';
comment on column internal.pattern_counts.question_id is 'The question.';
comment on column internal.pattern_counts.day is 'Day (UTC) of the latest human rating of the items; null without one.';
comment on column internal.pattern_counts.pattern_id is 'The pattern.';
comment on column internal.pattern_counts.n_items is 'Items that show it, 1 or more.';

create table internal.batch_patterns (
    batch_no integer not null,
    question_id integer not null,
    pattern_id bigint not null,
    n_items bigint not null
);
comment on table internal.batch_patterns is
    'Private. One row per batch and pattern, of items of which the batch brought a human rating that is in force.';
comment on column internal.batch_patterns.batch_no is 'The batch.';
comment on column internal.batch_patterns.question_id is 'The question.';
comment on column internal.batch_patterns.pattern_id is 'The pattern that the items show now.';
comment on column internal.batch_patterns.n_items is 'Items, 1 or more.';

create table internal.batch_windows (
    batch_no integer not null,
    question_id integer not null,
    first_at timestamptz not null,
    last_at timestamptz not null
);
comment on table internal.batch_windows is
    'Private. One row per batch and question of which it brought human ratings, in force or not.';
comment on column internal.batch_windows.batch_no is 'The batch.';
comment on column internal.batch_windows.question_id is 'The question.';
comment on column internal.batch_windows.first_at is 'Time of the first of them: rated_at, else ingested_at.';
comment on column internal.batch_windows.last_at is 'Time of the last of them.';

create table internal.version_counts (
    question_id integer not null,
    rater_id integer not null,
    system_version varchar not null,
    n_ratings bigint not null
);
comment on table internal.version_counts is 'Private. One row per question, rater and version with ratings in force.';
comment on column internal.version_counts.question_id is 'The question.';
comment on column internal.version_counts.rater_id is 'The rater, a system as a rule.';
comment on column internal.version_counts.system_version is 'The version.';
comment on column internal.version_counts.n_ratings is 'Ratings in force, 1 or more.';

create table internal.pattern_consensus (
    run_id varchar not null,
    question_id integer not null,
    pattern_id bigint not null,
    label varchar,
    probability double,
    entropy double,
    expected_gain double,
    n_ratings bigint
);
comment on table internal.pattern_consensus is
    'Private. One row per pattern of a question, of the latest run only; the view item_consensus shows it by item.';
comment on column internal.pattern_consensus.run_id is 'The run that computed it.';
comment on column internal.pattern_consensus.question_id is 'The question.';
comment on column internal.pattern_consensus.pattern_id is 'The pattern.';
comment on column internal.pattern_consensus.label is 'The label that is most probably right.';
comment on column internal.pattern_consensus.probability is 'Its probability.';
comment on column internal.pattern_consensus.entropy is 'Doubt about the right label, in bits.';
comment on column internal.pattern_consensus.expected_gain is
    'Bits of doubt that one more rating by an average rater is expected to remove.';
comment on column internal.pattern_consensus.n_ratings is 'Ratings of an item that count.';

create temp table in_force as
select
    r.item_id, r.question_id, r.rater_id, r.rater_kind, r.label_id, r.system_version, r.batch_no,
    coalesce(r.rated_at, r.ingested_at) as given_at, coalesce(d.rater_kind, r.rater_kind) = 'human' as is_human
from internal.ratings as r
left join internal.declared_kinds as d on r.question_id = d.question_id and r.rater_id = d.rater_id
where r.superseded_at is null and r.deleted_at is null;

create temp table shown as
with tokens as (
    select rater_id, rater_kind, label_id, md5_number(concat_ws(' ', rater_id, rater_kind, label_id)) as token
    from in_force
    group by rater_id, rater_kind, label_id
)

select
    f.item_id, any_value(f.question_id) as question_id, bit_xor(t.token) as signature,
    max(f.given_at) filter (where f.is_human) as latest
from in_force as f
inner join tokens as t on f.rater_id = t.rater_id and f.rater_kind = t.rater_kind and f.label_id = t.label_id
group by f.item_id;

create temp table entering as
select
    row_number() over (order by question_id, min(item_id)) as pattern_id, question_id, signature,
    min(item_id) as item_id
from shown
group by question_id, signature;

insert into internal.patterns
select pattern_id, question_id, signature
from entering
order by pattern_id;

insert into internal.pattern_numbers
select count(*)
from entering;

insert into internal.pattern_ratings
select e.pattern_id, f.rater_id, f.rater_kind, f.label_id
from in_force as f inner join entering as e using (item_id);

insert into internal.item_patterns
select s.item_id, s.question_id, p.pattern_id, s.latest
from shown as s inner join internal.patterns as p using (question_id, signature)
order by s.item_id;

insert into internal.pattern_counts
select question_id, (latest at time zone 'UTC')::date as day, pattern_id, count(*)
from internal.item_patterns
group by all;

insert into internal.batch_patterns
select batch_no, question_id, pattern_id, count(*)
from (
    select distinct f.batch_no, p.question_id, p.pattern_id, p.item_id
    from in_force as f inner join internal.item_patterns as p using (item_id)
    where f.is_human
)
group by all;

insert into internal.batch_windows
select
    r.batch_no, r.question_id, min(coalesce(r.rated_at, r.ingested_at)), max(coalesce(r.rated_at, r.ingested_at))
from internal.ratings as r
left join internal.declared_kinds as d on r.question_id = d.question_id and r.rater_id = d.rater_id
where coalesce(d.rater_kind, r.rater_kind) = 'human' and r.withdrawn_at is null and r.restores is null
group by r.batch_no, r.question_id;

insert into internal.version_counts
select question_id, rater_id, system_version, count(*)
from in_force
where system_version is not null
group by all;

-- The consensus of a question whose ratings have changed since is left out: it is due for evaluation anyway.
insert into internal.pattern_consensus by name
select
    c.run_id, p.question_id, p.pattern_id, c.label, c.probability, c.entropy, c.expected_gain, c.n_ratings
from item_consensus as c
inner join runs as r using (run_id)
inner join internal.questions as q on c.question = q.question and r.input_revision = q.revision
inner join internal.items as i on q.question_id = i.question_id and c.item = i.item
inner join internal.item_patterns as p using (item_id)
qualify row_number() over (partition by p.pattern_id order by p.item_id) = 1;

drop table item_consensus;
drop table in_force;
drop table shown;
drop table entering;
