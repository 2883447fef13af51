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
comment on column latest_label_rates.system_version is 'Its version, where the export tells it.';
comment on column latest_label_rates.method is
    'With gold: ppi, rogan_gladen and gold_only. Without gold: model. raw is the share of the label among the system''s answers, right or wrong.';
comment on column latest_label_rates.estimate is 'Share of the items that have the label.';
comment on column latest_label_rates.low is 'Lower end of the interval. For the method model: of the inner interval.';
comment on column latest_label_rates.high is 'Upper end of the interval. For the method model: of the inner interval.';
comment on column latest_label_rates.outer_low is
    'Lower end of the outer interval of the method model, which allows for errors as large as those of accuracies on real data. Null for other methods.';
comment on column latest_label_rates.outer_high is 'Upper end of the outer interval of the method model. Null for other methods.';
comment on column latest_label_rates.n_items is 'Items that the system answered.';
comment on column latest_label_rates.n_gold is 'Gold items behind the estimate.';
comment on column latest_label_rates.reason is 'Code of the reason where the estimate is null.';
