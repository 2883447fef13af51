-- Write one message into the outbox.
insert into messages by name
select
    $message_id as message_id, $incident_id as incident_id, $question as question, $event as event,
    $alert_ids::varchar[] as alert_ids, $channel as channel, $run_id as run_id, $now as written_at, 0 as n_attempts,
    $now as next_attempt_at;
