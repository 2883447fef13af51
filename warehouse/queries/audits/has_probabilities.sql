-- Whether the exports have a column inclusion_probability for items of a question.
select exists (
    from item_metadata
    where question = $question and lower(key) = 'inclusion_probability' and value <> ''
);
