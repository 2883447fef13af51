-- One row that differs if any batch, run of a question, alert, message, audit or forgotten rater differs.
select
    (select bit_xor(hash(b)) from batches b),
    (select bit_xor(hash(r)) from runs r where r.question is not null),
    (select bit_xor(hash(a)) from alerts a),
    (select bit_xor(hash(m)) from messages m),
    (select bit_xor(hash(d)) from audits d),
    (select bit_xor(hash(f)) from internal.forgotten_raters f);
