-- What a live source has shown so far. `stream` is the identity of one project of one source, as the tasks know it.
create table internal.live_cursors (stream varchar not null, cursor_at timestamptz not null);
comment on table internal.live_cursors is 'One row per stream: up to when its changes have been taken in.';

create table internal.live_tasks (stream varchar not null, task varchar not null, state varchar not null);
comment on table internal.live_tasks is
    'One row per stream and task of the tool: a hash of the answers it had when it was last seen.';

create table internal.live_answers (
    stream varchar not null,
    task varchar not null,
    question varchar not null,
    item varchar,
    source_ref varchar not null
);
comment on table internal.live_answers is
    'One row per answer that a task had when it was last seen: what is missing the next time was deleted.';
