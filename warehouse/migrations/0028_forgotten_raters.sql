-- Raters who asked to be forgotten: their pseudonyms, and a keyed hash by which a later file recognizes their names.
create table internal.forgotten_raters (
    name_hash varchar not null,
    pseudonym varchar not null,
    n_words integer not null,
    forgotten_at timestamptz not null
);
comment on table internal.forgotten_raters is
    'Private. One row per name that was forgotten. The key of the hash is not in this file.';
comment on column internal.forgotten_raters.name_hash is 'HMAC-SHA256 of the name, in hexadecimal.';
comment on column internal.forgotten_raters.pseudonym is 'The name that took its place.';
comment on column internal.forgotten_raters.n_words is 'Words of the name, to find it in the text of a rejected row.';
comment on column internal.forgotten_raters.forgotten_at is 'When it was forgotten (UTC).';
