-- Migrations 0004 and 0011 were edited after warehouses had been made by them (see FORMER in warehouse/migrate.py). What
-- such a warehouse lacks; in all others nothing changes.
comment on column agreement.p_value is
    'Two-sided probability of a figure so far from 0 if there were no agreement beyond chance.';
comment on column batches.n_deleted is
    'Ratings in force that the batch marked as deleted: its source had them, and this full export or live source has not.';

-- A default only until it is not null: DuckDB adds no column with a constraint, nor sets one after an update.
alter table internal.live_tasks add column if not exists n_predictions bigint default -1;
alter table internal.live_tasks alter column n_predictions set not null;
alter table internal.live_tasks alter column n_predictions drop default;
-- Predictions that were not counted are counted when the stream is read from its beginning once more.
delete from internal.live_cursors
where stream in (select stream from internal.live_tasks where n_predictions = -1);
update internal.live_tasks set state = '', n_predictions = 0
where n_predictions = -1;
