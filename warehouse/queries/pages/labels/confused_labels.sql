-- The two labels that people confuse most, of each question whose agreement is low for sure; with $question, of this one. A
-- question whose people use only two labels has no row. share: of the pairs of ratings of an item that differ, those that
-- have these two labels. lead: how many of its standard errors they are ahead of the next two labels, over the items.
with low as (
    select distinct question
    from latest_agreement
    where
        scope = 'humans' and period = 'all' and coefficient <> 'percent_agreement' and high < 0.667
        and scale in ('nominal', 'ordinal') and ($question is null or question = $question)
),

given as (
    select p.question_id, r.pattern_id, r.label_id, count(*) as n_raters
    from low
    inner join internal.questions as q using (question)
    inner join internal.patterns as p on q.question_id = p.question_id
    inner join internal.pattern_ratings as r on p.pattern_id = r.pattern_id
    left join internal.declared_kinds as d on p.question_id = d.question_id and r.rater_id = d.rater_id
    where coalesce(d.rater_kind, r.rater_kind) = 'human'
    group by p.question_id, r.pattern_id, r.label_id
),

items as (
    select pattern_id, sum(n_items)::bigint as n_items
    from internal.pattern_counts
    group by pattern_id
),

pairs as (
    select a.question_id, a.pattern_id, a.label_id, b.label_id as other_id, a.n_raters * b.n_raters as n_pairs, i.n_items
    from given as a
    inner join given as b on a.pattern_id = b.pattern_id and a.label_id < b.label_id
    inner join items as i on a.pattern_id = i.pattern_id
),

met as (
    select question_id, label_id, other_id, sum(n_pairs * n_items)::bigint as n_pairs
    from pairs
    group by question_id, label_id, other_id
),

places as (
    select
        m.question_id, m.label_id, m.other_id, least(la.label, lb.label) as label_a, greatest(la.label, lb.label) as label_b,
        m.n_pairs, m.n_pairs / sum(m.n_pairs) over of_question as share,
        row_number() over (of_question order by m.n_pairs desc, least(la.label, lb.label), greatest(la.label, lb.label))
            as place
    from met as m
    inner join internal.labels as la on m.label_id = la.label_id
    inner join internal.labels as lb on m.other_id = lb.label_id
    window of_question as (partition by m.question_id)
),

leads as (
    select p.question_id, p.pattern_id, sum(if(o.place = 1, p.n_pairs, -p.n_pairs)) as lead, any_value(p.n_items) as n_items
    from pairs as p inner join places as o using (question_id, label_id, other_id)
    where o.place <= 2
    group by p.question_id, p.pattern_id
)

select
    q.question, first.label_a, first.label_b, first.n_pairs, first.share,
    sum(l.lead * l.n_items) / sqrt(sum(l.lead ** 2 * l.n_items)) as lead
from leads as l
inner join places as first on l.question_id = first.question_id and first.place = 1
inner join internal.questions as q on l.question_id = q.question_id
group by q.question, first.label_a, first.label_b, first.n_pairs, first.share
having first.share < 1
order by q.question;
