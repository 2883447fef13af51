-- Put messages that are in no digest into this one.
update messages
set digest_id = $digest_id
where sent_at is null and digest_id is null and list_contains($message_ids, message_id);
