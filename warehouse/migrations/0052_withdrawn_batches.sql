-- A batch may be withdrawn by a person (`kappaflow withdraw`). Comments only.
comment on column batches.detail is
    'The reason in a sentence. Of a batch that somebody withdrew, who did it and why: its rows no longer count, and all its numbers are 0.';
