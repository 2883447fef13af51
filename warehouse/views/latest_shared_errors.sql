-- One row per question: how strongly the raters' errors go together, by gold, as the last run found.
create or replace view latest_shared_errors as
select
    a.question, a.correlation, a.low, a.high, a.confidence, a.raters_per_item, a.n_effective, a.n_effective_low,
    a.n_effective_high, a.n_items, a.reason, a.detail, a.run_id, r.started_at as evaluated_at
from shared_errors as a
inner join latest_runs as r on a.run_id = r.run_id and a.question = r.question and r.results = 'shared_errors'
where r.kind = 'evaluate'
order by a.question;

comment on view latest_shared_errors is
    'One row per question: how strongly the raters'' errors are correlated, measured on the gold items, and how many independent raters that leaves.';
comment on column latest_shared_errors.correlation is
    'Intraclass correlation of the errors on the gold items; 0 if raters err independently. Null with a reason.';
comment on column latest_shared_errors.low is 'Lower end of its interval.';
comment on column latest_shared_errors.high is 'Upper end of its interval.';
comment on column latest_shared_errors.confidence is 'Confidence of the intervals, 0 to 1.';
comment on column latest_shared_errors.raters_per_item is 'Mean number of human ratings of a gold item.';
comment on column latest_shared_errors.n_effective is
    'Number of independent raters that would tell as much: m / (1 + (m - 1) correlation), where m is raters_per_item. A correlation below 0 counts as 0.';
comment on column latest_shared_errors.n_effective_low is 'The same number for the upper end of the correlation.';
comment on column latest_shared_errors.n_effective_high is 'The same number for the lower end of the correlation.';
comment on column latest_shared_errors.n_items is 'Gold items with two human ratings or more.';
comment on column latest_shared_errors.reason is 'Code of the reason where the correlation is null.';
