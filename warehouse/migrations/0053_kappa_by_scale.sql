-- Cohen's kappa of two raters also by the scale of the labels: it shows who has an ordered scale upside down.
alter table pairwise_agreement add column weighted_kappa double;
alter table pairwise_agreement add column weighted_low double;
alter table pairwise_agreement add column weighted_high double;
comment on column pairwise_agreement.weighted_kappa is
    'Cohen''s kappa with quadratic weights, if the labels have an order; below 0 if one of the two has the scale upside down. Null if they have none, if the question has weights for sets of labels, and of runs from before this column.';
comment on column pairwise_agreement.weighted_low is 'Lower end of the interval of weighted_kappa.';
comment on column pairwise_agreement.weighted_high is 'Upper end of the interval of weighted_kappa.';
