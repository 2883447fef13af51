-- One row per entry of the ledger.
select kind, version, name, sha256
from internal.ledger
order by version;
