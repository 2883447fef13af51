-- TRUE, True and true are read as `true` since then, and so is a declared label. The stored text follows where there is
-- one spelling of it; where there are several they stay as they are, since their ratings would have to be merged.
update internal.labels
set label = lower(label)
where
    lower(label) in ('true', 'false')
    and lower(label) in (
        select lower(l.label) as spelling
        from internal.labels as l
        group by all
        having count(*) = 1
    );
