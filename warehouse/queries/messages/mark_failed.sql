-- Record that the channel did not take the digest. If it surely did not arrive, its messages are free to go into another
-- digest. If nobody knows, the same digest is sent again.
update messages
set
    n_attempts = n_attempts + 1, next_attempt_at = $next_attempt_at, error = $error,
    digest_id = case when $is_free then null else digest_id end
where sent_at is null and digest_id = $digest_id;
