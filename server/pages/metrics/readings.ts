import { Gauge, Registry } from "prom-client";

type Labelled = [labels: Record<string, string>, value: number];

/** Null if unknown. */
export type Reading = number | Labelled[] | null;

/** Values by metric, for one request. An unknown value is left out: neither zero nor outdated. */
export type Readings = { [Name in ReadingName]?: Reading };

/** Help texts by metric, without the prefix `stillup_`. */
export const READINGS = {
  build_info: "The running version and its database. Always 1.",
  troubles: "1 for each problem of the installation as a whole; the log says what to do.",
  monitor_state:
    "1 for the state of this machine's internet connection. While it is offline, checks are paused.",
  checker_round_age_seconds:
    "Time since due links were last claimed, or found to be paused because writes are stopped. Over a minute the checker hangs: see the log.",
  deliverer_round_age_seconds:
    "Time since due deliveries were last claimed, or found to be paused because writes are stopped. Over a minute the deliverer hangs: see the log.",
  nodes: "Live processes that serve the database, by role.",
  nodes_gone:
    "Nodes that disappeared within the last hour without a regular stop and have not returned under their name. Others do their work.",
  node_buckets: "This node's share of the work, of 1024 parts.",
  node_lag_seconds: "How late the most overdue work of this node is.",
  node_clock_off_seconds:
    "How far this machine's clock is ahead of the database's, which nodes use. Beyond a few seconds, check its time service.",
  check_places: "Most checks at once, from STILLUP_CHECK_CONCURRENCY.",
  event_loop_lag_seconds:
    "Longest event-loop delay since the last reading. Over 0.5 the process needs a faster machine.",
  database_up: "1 while the database answers. While it is 0, other readings of it are missing.",
  links: "Links of all accounts by status.",
  links_handled: "Links of all accounts that are acknowledged or muted.",
  overrides: "Links that are alive because a person has overruled the checks.",
  pages_doubted:
    "Links that are alive and show something else than what is remembered, which is not confirmed.",
  links_missing_fragments: "Links whose pages had a section that a URL names, and lack it.",
  lookups:
    "Dead links by how the search for something in their place stands, and links that were dead.",
  links_due: "Links that are waiting for their check; estimated above 10000.",
  links_due_lag_seconds:
    "How late the most overdue link is. Over ten minutes the checker cannot keep up.",
  rdap_lag_seconds:
    "How late the most overdue domain is whose registry is to be asked. Over a week, registries are asked less often than weekly.",
  archive_hold_seconds:
    "How long archives are still left alone, since one wants no requests or does not work; 0 if all may be asked.",
  accounts: "Accounts.",
  users: "People who can sign in.",
  deliveries_waiting:
    "Deliveries that are not finished, including those that wait for their next attempt; counted up to 20000.",
  deliveries_overdue_seconds:
    "How late the most overdue delivery is. Over five minutes the deliverer cannot keep up.",
  deliveries_oldest_age_seconds:
    "Age of the oldest unfinished delivery. Its receiver does not answer: see webhooks.",
  webhooks:
    "Webhooks by state: well, failing, or disabled by their owner or automatically as failing or gone.",
  host_settings:
    "Settings for hosts by state: well, failing since the host refuses the credentials, or untried.",
  sources: "Sources by state: well, paused, failing, or being read now.",
  source_lag_seconds:
    "How late the most overdue source is. Over a minute, raise STILLUP_SOURCE_CONCURRENCY or start another node.",
  source_failing_seconds:
    "For how long the source that has failed longest has brought no complete run; 0 if none fails.",
  occurrences: "Places where links stand, in all sources.",
  mails_waiting: "Mails to people that are not sent yet. Alerts by e-mail are deliveries.",
  mail_server_up:
    "1 while the mail server accepts mail, 0 after it has failed. Not present without a mail server.",
  mail_rest_seconds: "How long no mail is sent after failures of the mail server.",
  database_bytes: "Size of the database.",
  database_wal_bytes:
    "Size of SQLite's write-ahead log. Over 1 GB something prevents its checkpoints.",
  disk_free_bytes:
    "Free space on the disk of the data folder, or of the database if that is closer to its floor. Under stillup_disk_floor_bytes writes are stopped.",
  disk_floor_bytes:
    "Least free space with which this server writes: STILLUP_DISK_FLOOR_MB, or a tenth of a small disk.",
  upkeep_last_success_timestamp_seconds:
    "Time of the last success of a maintenance job. See the log if the integrity check is over nine days old, or housekeeping over three hours.",
  upkeep_failing: "1 if the last run of a maintenance job failed.",
  backup_expected_timestamp_seconds:
    "Time of the next backup by STILLUP_BACKUP_CRON, or of one that is still missing. Not present if no backups are scheduled.",
  backup_last_bytes: "Size of the newest backup in the data folder.",
} as const;

type ReadingName = keyof typeof READINGS;

/** Returns the readings in Prometheus' text format. */
export function toText(readings: Readings): Promise<string> {
  const registry = new Registry();
  for (const [name, value] of Object.entries(readings) as [ReadingName, Reading][]) {
    const values: Labelled[] = typeof value === "number" ? [[{}, value]] : (value ?? []);
    if (values.length === 0) continue;
    const gauge = new Gauge({
      name: `stillup_${name}`,
      help: READINGS[name],
      labelNames: Object.keys(values[0]![0]),
      registers: [registry],
    });
    for (const [labels, value] of values) gauge.set(labels, value);
  }
  return registry.metrics();
}
