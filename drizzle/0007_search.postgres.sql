-- For searching URLs. Who may not create extensions, or has none, searches without: slower, not otherwise.
DO $$ BEGIN
  CREATE EXTENSION IF NOT EXISTS pg_trgm;
  CREATE INDEX links_by_text ON links USING gin (lower(url) gin_trgm_ops);
EXCEPTION WHEN insufficient_privilege OR undefined_file OR feature_not_supported OR undefined_object THEN
  RAISE NOTICE 'pg_trgm cannot be used: %', SQLERRM;
END $$;
