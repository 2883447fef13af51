-- Accuracy by slice: of which items a row speaks. What was there speaks of all.
alter table system_accuracy add column scope varchar default 'all';
comment on column system_accuracy.scope is
    'Which items: all, or slice:key=value for those with a value in their metadata.';
comment on table system_accuracy is 'One row per run, question, scope, system, version and method.';
