-- One entry; a former one of the same kind and version gives way (the set of views).
delete from internal.ledger
where kind = $kind and version is not distinct from $version;

insert into internal.ledger
values ($kind, $version, $name, $sha256, current_timestamp);
