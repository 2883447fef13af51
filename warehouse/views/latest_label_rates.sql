-- One row per question, scope, system, label and method: the share of the items that has the label.
create or replace view latest_label_rates as
select
    a.question, a.scope, a.system, a.system_version, a.label, a.method, a.estimate, a.low, a.high, a.outer_low,
    a.outer_high, a.confidence, a.n_items, a.n_gold, a.reason, a.detail, a.run_id, r.started_at as evaluated_at
from label_rates as a
inner join latest_runs as r on a.run_id = r.run_id and a.question = r.question and r.results = 'label_rates'
where r.kind = 'evaluate'
order by a.scope <> 'all', a.question, a.scope, a.system, a.label, a.method;

comment on view latest_label_rates is
    'One row per question, scope, system, label and method: the share of the items that has the label.';
comment on column latest_label_rates.scope is
    'Which items: all that the system answered; slice:key=value, those of a slice; version:NAME, those of a version.';
comment on column latest_label_rates.low is 'Lower end of the interval. For the method model: of the inner interval.';
