-- Add the hash of a forgotten name, unless it is there.
insert into internal.forgotten_raters
select $name_hash, $pseudonym, $n_words, $now
where $name_hash not in (select name_hash from internal.forgotten_raters);
