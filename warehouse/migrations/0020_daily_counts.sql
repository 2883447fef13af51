-- Counts by day for the charts: versions of systems, durations and ratings of raters, and the days that changed. Days
-- are those of the project's time zone. Filled here from the ratings that are there.
create table internal.project_time (timezone varchar not null);
comment on table internal.project_time is 'Private. One row.';
comment on column internal.project_time.timezone is 'The time zone of the days in all counts by day.';
insert into internal.project_time
values ('UTC');

comment on column internal.pattern_counts.day is
    'Day (in the project''s time zone) of the latest human rating of the items; null without one.';

create table internal.version_day_counts (
    question_id integer not null,
    day date not null,
    pattern_id bigint not null,
    rater_id integer not null,
    system_version varchar not null,
    n_items bigint not null
);
comment on table internal.version_day_counts is
    'Private. One row per question, day, pattern, rater and version: items with a human rating, by the version that
answered them.';
comment on column internal.version_day_counts.question_id is 'The question.';
comment on column internal.version_day_counts.day is 'Day of the latest human rating of the items.';
comment on column internal.version_day_counts.pattern_id is 'The pattern of the items.';
comment on column internal.version_day_counts.rater_id is 'The rater, a system as a rule.';
comment on column internal.version_day_counts.system_version is 'The version of its ratings in force.';
comment on column internal.version_day_counts.n_items is 'Items, 1 or more.';

create table internal.duration_counts (
    question_id integer not null,
    day date not null,
    rater_id integer not null,
    duration_s double not null,
    n_ratings bigint not null
);
comment on table internal.duration_counts is
    'Private. One row per question, day, annotator and duration: ratings in force that took so long.';
comment on column internal.duration_counts.question_id is 'The question.';
comment on column internal.duration_counts.day is 'Day of the latest human rating of the items.';
comment on column internal.duration_counts.rater_id is 'The annotator.';
comment on column internal.duration_counts.duration_s is 'Seconds, to three significant digits.';
comment on column internal.duration_counts.n_ratings is 'Ratings in force, 1 or more.';

create table internal.rater_day_counts (
    question_id integer not null,
    day date not null,
    rater_id integer not null,
    rater_kind internal.rater_kind not null,
    n_ratings bigint not null
);
comment on table internal.rater_day_counts is
    'Private. One row per question, day, rater and kind: ratings in force of items with a human rating.';
comment on column internal.rater_day_counts.question_id is 'The question.';
comment on column internal.rater_day_counts.day is 'Day of the latest human rating of the items.';
comment on column internal.rater_day_counts.rater_id is 'The rater.';
comment on column internal.rater_day_counts.rater_kind is 'The kind as declared, else as read.';
comment on column internal.rater_day_counts.n_ratings is 'Ratings in force, 1 or more.';

create table internal.changed_days (question_id integer not null, day date not null, revision bigint not null);
comment on table internal.changed_days is
    'Private. One row per question and day whose counts a batch changed. The charts compute these days again.';
comment on column internal.changed_days.question_id is 'The question.';
comment on column internal.changed_days.day is 'The day.';
comment on column internal.changed_days.revision is 'Revision of the question with which its counts last changed.';

create temp table dated as
select
    r.question_id, (i.latest at time zone 'UTC')::date as day, i.pattern_id, r.rater_id, r.system_version,
    coalesce(d.rater_kind, r.rater_kind) as kind,
    case
        when r.duration_s > 0 then round(r.duration_s, 2 - floor(log10(r.duration_s))::integer)
        else r.duration_s
    end as duration_s
from internal.ratings as r
inner join internal.item_patterns as i using (item_id)
left join internal.declared_kinds as d on r.question_id = d.question_id and r.rater_id = d.rater_id
where r.superseded_at is null and r.deleted_at is null and i.latest is not null;

insert into internal.version_day_counts
select question_id, day, pattern_id, rater_id, system_version, count(*)
from dated
where system_version is not null
group by question_id, day, pattern_id, rater_id, system_version;

insert into internal.duration_counts
select question_id, day, rater_id, duration_s, count(*)
from dated
where kind = 'human' and duration_s is not null
group by question_id, day, rater_id, duration_s;

insert into internal.rater_day_counts
select question_id, day, rater_id, kind, count(*)
from dated
group by question_id, day, rater_id, kind;

insert into internal.changed_days
select distinct d.question_id, d.day, q.revision
from dated as d inner join internal.questions as q using (question_id);

drop table dated;
