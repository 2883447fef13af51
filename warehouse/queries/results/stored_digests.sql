-- One row per window and kind of results of a question: the digest of what the stored rows were computed from.
select results, period, period_start, period_end, batch_id, digest
from internal.window_digests
where question = $question;
