-- Gold of a worklist is known to be no random sample.
comment on column system_accuracy.gold_origin is
    'drawn: each gold item was drawn with a known probability; worklist: some came from a worklist, which lists the items in doubt; unknown: it is not known how they were chosen. Null without gold.';
comment on column rater_quality.gold_origin is
    'drawn: each gold item was drawn with a known probability; worklist: some came from a worklist, which lists the items in doubt; unknown: it is not known how they were chosen. Null without gold.';
