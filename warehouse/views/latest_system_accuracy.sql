-- One row per question, scope, system, version and method: what the last run estimated. All items come first.
create or replace view latest_system_accuracy as
select
    a.question, a.scope, a.system, a.system_version, a.method, a.accuracy, a.se, a.low, a.high, a.confidence,
    a.spread_low, a.spread_high, a.n_items, a.n_gold, a.reason, a.detail, a.warnings, a.run_id, r.started_at as evaluated_at,
    a.outer_low, a.outer_high, a.gold_origin
from system_accuracy as a
inner join latest_runs as r on a.run_id = r.run_id and a.question = r.question and r.results = 'system_accuracy'
qualify row_number() over (
    partition by a.question, a.scope, a.system, a.system_version, a.method order by r.started_at desc, r.run_id desc
) = 1
order by a.scope <> 'all', a.question, a.scope, a.method, a.accuracy desc nulls last, a.system;

comment on view latest_system_accuracy is
    'One row per question, scope, system, version and method: accuracy as the last run estimated it.';
comment on column latest_system_accuracy.scope is
    'Which items: all, or slice:key=value for those with a value in their metadata (the setting slices).';
comment on column latest_system_accuracy.accuracy is 'Estimated share of right answers; null where undefined.';
comment on column latest_system_accuracy.spread_low is 'Lowest estimate of all methods, and of the models that average does not rule out.';
comment on column latest_system_accuracy.spread_high is 'Highest estimate of them.';
comment on column latest_system_accuracy.n_gold is 'Gold items among them.';
comment on column latest_system_accuracy.outer_low is
    'Lower end of the outer interval, which allows for errors as large as those of estimates by average on real data. Null for methods other than average. With gold: of the audited interval.';
