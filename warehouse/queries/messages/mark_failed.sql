-- Record that the channel did not take the digest. If it refused it, its messages may go into another digest. If
-- nobody knows whether it arrived, the same digest is sent again.
update messages
set
    n_attempts = n_attempts + 1, next_attempt_at = $next_attempt_at, error = $error,
    digest_id = case when $refused then null else digest_id end
where sent_at is null and digest_id = $digest_id;
