-- What the settings took from a file: two sources may read different columns of one file.
alter table batches add column reading varchar;
comment on column batches.reading is
    'What the settings of its source said of what is taken from the file (prefix, format, question, columns), as JSON; null for a live source, and for batches from before this was kept.';
comment on column batches.batch_id is
    'Identity of what was taken in: the bytes of a file, its place, its name where that says something, and its reading.';
