-- Record that the channel took the digest.
update messages
set sent_at = $now, next_attempt_at = null, n_attempts = n_attempts + 1, error = null
where sent_at is null and digest_id = $digest_id;
