-- An accuracy has a second interval: where it may lie if its estimate errs as such estimates did on real data.
alter table system_accuracy add column outer_low double;
alter table system_accuracy add column outer_high double;
comment on column system_accuracy.outer_low is
    'Lower end of the outer interval: if this estimate errs as such estimates did on real data. Null for methods other than average, and in runs made before this column.';
comment on column system_accuracy.outer_high is 'Upper end of the outer interval.';
comment on column system_accuracy.low is 'Lower end of the inner interval: if people err independently. With gold, of the audited one.';
comment on column system_accuracy.high is 'Upper end of the inner interval.';
