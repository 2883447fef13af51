-- Create the ledger of applied migrations. `version` is null for the entry of the views and macros.
create schema if not exists internal;

create table internal.ledger (
    kind varchar not null,
    version integer,
    name varchar not null,
    sha256 varchar not null,
    applied_at timestamptz not null
);

comment on table internal.ledger is 'One row per migration, and one for the set of views.';
