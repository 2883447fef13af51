-- Not truncate: it would lock readers out until the end of the transaction.
delete from {table};
