-- Events that earlier versions let Prefect keep, and the pages that deleted rows have left.
delete from event_resources;
delete from events;
vacuum;
