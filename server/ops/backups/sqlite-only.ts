/** What to do on PostgreSQL, which copies itself better than anyone else could. */
export const DUMP_HINT =
  'The database is PostgreSQL, which is copied with its own program: pg_dump --format=custom --file=stillup.dump "$STILLUP_DATABASE_URL".';
export const LOAD_HINT =
  'The database is PostgreSQL, which is restored with its own program while Stillup is stopped: pg_restore --clean --if-exists --single-transaction --dbname="$STILLUP_DATABASE_URL" stillup.dump.';
