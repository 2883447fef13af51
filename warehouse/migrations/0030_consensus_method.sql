-- The consensus says which method chose the label. Until now that was Lehner's, or the majority where it is undefined.
alter table internal.pattern_consensus add column method varchar;
update internal.pattern_consensus set method = if(probability is null, 'majority', 'lehner');
comment on column internal.pattern_consensus.method is
    'How the label was chosen: mixture, dawid_skene, lehner, or majority where the raters'' accuracy is undefined.';
