-- The comment on a column of a view: that of the same column of what the view reads.
comment on column a_view.a_column is 'a comment';
