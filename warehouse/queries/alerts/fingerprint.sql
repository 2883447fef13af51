-- One value that differs if any column of any alert differs; null without alerts.
select bit_xor(hash(columns_of_alert))
from (select a as columns_of_alert from alerts a);
