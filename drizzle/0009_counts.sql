-- Runs next to 0.1.0

-- Acknowledged and muted links in the order of lists.
CREATE INDEX links_handled ON links (account_no, handling, no) WHERE handling <> 'open' AND retired_at = 0;
