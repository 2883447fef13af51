-- Write one entry. It replaces an earlier one of the same kind and version (the views and macros).
delete from internal.ledger
where kind = $kind and version is not distinct from $version;

insert into internal.ledger
values ($kind, $version, $name, $sha256, current_timestamp);
