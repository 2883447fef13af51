-- Work that a full export or a live source no longer has is deleted, and its rankings and texts are kept as work, too.
alter table internal.region_work add column source_ref varchar;
comment on column internal.region_work.source_ref is 'Identity of the annotation in its tool; null where the file has none.';
alter table internal.region_work add column deleted_at timestamptz;
comment on column internal.region_work.deleted_at is 'When a full export or a live source no longer had it (UTC).';
alter table internal.region_work add column deleted_by integer;
comment on column internal.region_work.deleted_by is 'The batch that deleted it.';
alter table internal.region_work add column deleted_in_force boolean;
comment on column internal.region_work.deleted_in_force is 'Whether it was in force when it was deleted; null if it was not deleted.';
comment on column internal.region_work.regions is
    'The spans [start, end, label] and boxes [left, top, right, bottom, label], sorted, as JSON; empty for none. Of other answers an object: {"ranking": [[option, rank], ...]} or {"text": ...}.';
