-- Runs next to 0.1.0

-- What the registries of top-level domains say about the domains of links, which they are asked by RDAP.

-- The servers of the registries. A request holds its server by a lease, and the next one does not begin before
-- `due_at`. The row without a host is for the list of servers (RFC 9224), which the fact `registry_servers` has.
CREATE TABLE registry_servers (
  -- With its port unless that is the default.
  host TEXT PRIMARY KEY,
  due_at BIGINT NOT NULL,
  lease TEXT
);
INSERT INTO registry_servers VALUES ('', 0, NULL);

-- Registrable domains of links that were active within 30 days, those of all accounts together.
CREATE TABLE domains (
  domain TEXT PRIMARY KEY,
  -- The host of its registry's server; '' if the registry has none. NULL until the list of servers was looked at.
  server TEXT,
  state TEXT NOT NULL,
  -- When a link of it was first active, and last: the latter is written once in seven days.
  noted_at BIGINT NOT NULL,
  seen_at BIGINT NOT NULL,
  next_at BIGINT NOT NULL,
  -- 1: before all others of its server.
  is_urgent BIGINT NOT NULL,
  -- The last request, and the last answer.
  asked_at BIGINT,
  answered_at BIGINT,
  registered_at BIGINT,
  -- The first answer with this registration, and the first at least a day later.
  registration_seen_at BIGINT,
  registration_confirmed_at BIGINT,
  expires_at BIGINT,
  -- The first answer in a row that there is no such domain, and the last time that one a day later confirmed it.
  absent_since BIGINT,
  absent_confirmed_at BIGINT,
  -- The expiry and the registration that were reported.
  reported_expires_at BIGINT,
  reported_registered_at BIGINT
);
CREATE INDEX domains_due ON domains (server, is_urgent, next_at);
-- Domains without a date come last.
CREATE INDEX domains_by_expiry ON domains (coalesce(expires_at, 9007199254740991), domain);

-- To which domain a site belongs: usually they are the same, but that of me.github.io is github.io.
CREATE TABLE domain_sites (
  site TEXT PRIMARY KEY,
  domain TEXT NOT NULL
) /* WITHOUT ROWID */;
CREATE INDEX domain_sites_by_domain ON domain_sites (domain);
