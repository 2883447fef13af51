-- One row per name of a rating in force that is not in Unicode's composed form (NFC): what it names (question, item,
-- rater, label), the name, and whether the composed form is there, too. Only a name beyond ASCII can be such a name.
with named as (
    select 'question' as kind, question as name, question_id as id, null as question_id
    from internal.questions
    union all
    select 'item', item, item_id, question_id
    from internal.items
    union all
    select 'rater', rater, rater_id, null
    from internal.raters
    union all
    select 'label', label, label_id, null
    from internal.labels
),

differing as (
    select *, nfc_normalize(name) as composed
    from named
    where strlen(name) > length(name) and name != nfc_normalize(name)
),

in_force as (
    select question_id, item_id, rater_id, label_id
    from internal.ratings
    where superseded_at is null and deleted_at is null and exists (from differing)
)

select
    d.kind, d.name, exists (
        select 1
        from named as n
        where n.kind = d.kind and n.name = d.composed and n.question_id is not distinct from d.question_id
    ) as is_there_twice
from differing as d
where
    d.kind = 'question' and d.id in (select question_id from in_force)
    or d.kind = 'item' and d.id in (select item_id from in_force)
    or d.kind = 'rater' and d.id in (select rater_id from in_force)
    or d.kind = 'label' and d.id in (select label_id from in_force)
order by all;
