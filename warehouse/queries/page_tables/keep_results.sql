-- Keep the small views of results as tables of the connection that serves pages. A query that names one of them then
-- reads the table, as it would read the view. They go with the connection.
create temp table alert_states as from alert_states;
create temp table latest_agreement as from latest_agreement;
create temp table agreement_trend as from agreement_trend;
create temp table latest_system_accuracy as from latest_system_accuracy;
create temp table rater_leaderboard as from rater_leaderboard;
create temp table rater_scorecard as from rater_scorecard;
create temp table latest_rater_bias as from latest_rater_bias;
create temp table data_quality as from data_quality;
