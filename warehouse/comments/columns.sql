-- What columns mean in all views, where nothing that the view reads says it.
comment on column a_view.evaluated_at is 'When that run began (UTC).';
comment on column a_view.question is 'The question.';
comment on column a_view.first_day is 'First day of the window, in the project''s time zone.';
comment on column a_view.last_day is 'Last day of the window, in the project''s time zone.';
comment on column a_view.batch_id is 'The batch that brought it.';
comment on column a_view.ingested_at is 'When it entered the warehouse (UTC).';
comment on column a_view.rater_kind is 'human, system or gold: as the settings declare it, else as it was read.';
comment on column a_view.item is 'The item.';
