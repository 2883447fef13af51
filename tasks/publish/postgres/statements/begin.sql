-- In the first statement of the transaction: never wait longer than this for somebody's lock.
set local lock_timeout = '60s';
