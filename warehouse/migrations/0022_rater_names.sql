-- The name that a file gave, where the settings say that it is another name of a rater.
alter table internal.ratings add column file_rater_id integer;
comment on column internal.ratings.file_rater_id is
    'The name that the file gave, a key of internal.raters; null where it is the rater''s own.';
