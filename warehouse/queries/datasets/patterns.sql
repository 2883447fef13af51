-- Find the patterns of `incoming_contents`, and add those that are new. `counted_patterns`: the pattern_id of each.
create or replace temp table counted_contents as
select
    sign, pattern, question_id,
    bit_xor(md5_number(concat_ws(' ', rater_id, rater_kind::internal.rater_kind, label_id))) as signature
from incoming_contents
group by sign, pattern, question_id;

create or replace temp table new_patterns as
select
    (select last_number from internal.pattern_numbers) + row_number() over (order by question_id, min(pattern))
        as pattern_id,
    question_id, signature, min(pattern) as pattern
from counted_contents anti join internal.patterns using (question_id, signature)
where sign = 1
group by question_id, signature;

insert into internal.patterns
select pattern_id, question_id, signature
from new_patterns
order by pattern_id;

update internal.pattern_numbers
set last_number = last_number + (select count(*) from new_patterns);

insert into internal.pattern_ratings
select n.pattern_id, r.rater_id, r.rater_kind::internal.rater_kind, r.label_id
from incoming_contents as r inner join new_patterns as n using (pattern)
where r.sign = 1
order by n.pattern_id;

create or replace temp table counted_patterns as
select c.sign, c.pattern, p.pattern_id
from counted_contents as c inner join internal.patterns as p using (question_id, signature);

create or replace temp table count_changes as
select
    c.section, c.question_id, c.day, p.pattern_id, c.rater_id, c.rater_kind, c.label_id, c.system_version,
    c.duration_s, c.batch_no, c.slice_key, c.slice_value, sum(c.sign * c.n)::bigint as n
from incoming_counts as c left join counted_patterns as p using (sign, pattern)
group by all
having sum(c.sign * c.n) <> 0;
