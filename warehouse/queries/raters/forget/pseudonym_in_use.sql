-- One row: whether a rater has this name already.
select exists (from internal.raters where rater = $pseudonym);
