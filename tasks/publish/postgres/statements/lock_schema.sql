-- Two runs that publish to the same schema take turns. The lock ends with the transaction.
select pg_advisory_xact_lock(hashtextextended('kappaflow schema ' || %(schema)s, 0));
