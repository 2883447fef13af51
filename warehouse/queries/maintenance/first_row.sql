-- The first row of the view $view, whose name is quoted.
from query_table($view)
limit 1;
