-- Runs next to 0.1.0

-- For the links of a group by status, in their order.
CREATE INDEX links_by_group_status ON links (group_id, status, no) WHERE group_id IS NOT NULL AND retired_at = 0;
