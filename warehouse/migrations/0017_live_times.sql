-- When a task of a live source changed last, so that a poll need not fetch again what it knows.
alter table internal.live_tasks add column changed_at timestamptz;
comment on column internal.live_tasks.changed_at is
    'When the task had changed last when it was last seen, by the clock of its tool; null for tasks seen before this was kept.';
