-- An item whose pattern differs from its ratings in force, that has no pattern, or that has two.
-- To do: Run `kappaflow doctor --fix`: it rebuilds the patterns from the ratings. Then `kappaflow evaluate --all`.
with in_force as (
    select
        r.item_id, r.question_id, md5_number(concat_ws(' ', r.rater_id, r.rater_kind, r.label_id)) as token,
        coalesce(d.rater_kind, r.rater_kind) = 'human' as is_human, coalesce(r.rated_at, r.ingested_at) as given_at
    from internal.ratings as r
    left join internal.declared_kinds as d on r.question_id = d.question_id and r.rater_id = d.rater_id
    where r.superseded_at is null and r.deleted_at is null
),

expected as (
    select
        item_id, any_value(question_id) as question_id, bit_xor(token) as signature, count(*) as n_ratings,
        max(given_at) filter (where is_human) as latest
    from in_force
    group by item_id
),

contents as (
    select
        pattern_id, bit_xor(md5_number(concat_ws(' ', rater_id, rater_kind, label_id))) as signature,
        count(*) as n_ratings
    from internal.pattern_ratings
    group by pattern_id
),

found as (
    select i.item_id, i.question_id, i.pattern_id, i.latest, p.signature, c.signature as in_fact, c.n_ratings
    from internal.item_patterns as i
    left join internal.patterns as p using (pattern_id, question_id)
    left join contents as c using (pattern_id)
)

select coalesce(e.item_id, f.item_id) as item_id, f.pattern_id
from expected as e full join found as f using (item_id)
where
    e.question_id is distinct from f.question_id or e.signature is distinct from f.signature
    or e.signature is distinct from f.in_fact or e.n_ratings is distinct from f.n_ratings
    or e.latest is distinct from f.latest
union all
select item_id, null
from internal.item_patterns
group by item_id
having count(*) > 1;
