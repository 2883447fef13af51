-- One row per forgotten name: its hash, its pseudonym and its number of words.
select name_hash, pseudonym, n_words
from internal.forgotten_raters
order by name_hash;
