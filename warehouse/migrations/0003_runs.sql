-- Runs: every result row names the run that computed it.
create table runs (
    run_id varchar not null,
    kind varchar not null,
    question varchar,
    status varchar not null check (status in ('running', 'succeeded', 'failed', 'crashed')),
    code_version varchar,
    settings varchar,
    settings_hash varchar,
    seed bigint,
    input_revision bigint,
    n_ratings bigint,
    started_at timestamptz not null,
    ended_at timestamptz,
    detail varchar
);
comment on table runs is 'One row per run: one piece of work on one question, or on all (question is null).';
comment on column runs.run_id is 'Identity of the run; every result row names it.';
comment on column runs.kind is 'What was run: ingest, evaluate, monitor, simulate, ...';
comment on column runs.question is 'The question that was evaluated; null when the run concerns all.';
comment on column runs.status is 'running, succeeded, failed, or crashed (found still running at the next start).';
comment on column runs.code_version is 'Version of kappaflow that ran.';
comment on column runs.settings is 'The settings that applied, as JSON.';
comment on column runs.settings_hash is 'Hash of those settings: when it changes, the question is evaluated again.';
comment on column runs.seed is 'Seed of the random numbers, null where none are used.';
comment on column runs.input_revision is 'Revision of the question''s ratings that the run has seen.';
comment on column runs.n_ratings is 'Ratings that went in.';
comment on column runs.started_at is 'When the run began (UTC).';
comment on column runs.ended_at is 'When it ended (UTC).';
comment on column runs.detail is 'What went wrong, or what is worth knowing, in a sentence.';
