-- One row per counted file of a source, in the order in which its ratings count: by arrival, then by name.
select f.file_name, f.size, f.modified_ns, f.footer, f.n_rows, f.first_item, f.last_item, f.batch_no, n.batch_id, a.arrived_at
from internal.dataset_files as f
inner join internal.batches as n using (batch_no)
inner join internal.arrivals as a using (batch_no)
where f.source = $source
order by f.batch_no, f.file_name;
