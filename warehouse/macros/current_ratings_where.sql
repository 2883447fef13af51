-- One row per question, item and rater: the rating in force, of the items that have a value in their metadata.
create or replace macro current_ratings_where(key, value) as table
select c.*
from current_ratings as c
inner join item_metadata as m on c.question = m.question and c.item = m.item
where m.key = key and m.value = value;

comment on macro table current_ratings_where is 'One row per question, item and rater: the ratings in force of the items whose metadata has this value, with the columns of current_ratings.
key: Name of the property of the items, such as language.
value: Its value.
question: The question that was asked.
item: The item that was rated.
rater: Who rated: a person, a system, or a gold standard.
rater_kind: human, system or gold.
system_version: Version of the system, where the export tells it.
label: The label given; a set of labels is a sorted JSON array.
rated_at: When it was given (UTC); null where the export does not tell.
score: The system''s own certainty, where the export tells it.
duration_s: Seconds that the rater took.
batch_id: The batch that brought it.
source_ref: The annotation tool''s own id of the annotation.
ingested_at: When it entered the warehouse (UTC).';
