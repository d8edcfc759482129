import { Gauge, Registry } from "prom-client";

/** A number by its labels. */
type Labelled = [labels: Record<string, string>, value: number];

/** What was read for one request. An unknown value is missing: neither zero nor old. */
export type Readings = { [Name in ReadingName]?: Reading };

/** Null where it is not known. */
export type Reading = number | Labelled[] | null;

/** Every reading by its name without the prefix, with what it tells and what to do about it. */
export const READINGS = {
  build_info: "The version that runs, and its database. Always 1.",
  troubles: "1 for what is wrong with the installation as a whole now; the log says what to do.",
  monitor_state:
    "1 for what is known of this machine's way to the internet. While it is offline, checks are paused.",
  checker_round_age_seconds:
    "Time since links were last looked for that are due, or paused as nothing may be written. Over a minute the checker hangs: see the log.",
  deliverer_round_age_seconds:
    "Time since deliveries were last looked for that are due, or paused as nothing may be written. Over a minute the deliverer hangs: see the log.",
  nodes: "Processes that serve the database and give signs of life, by what they do.",
  nodes_gone:
    "Nodes that fell silent within the last hour without taking leave, and are not back by their name. Others do their work.",
  node_buckets: "How much of the work is this node's, of 1024 parts.",
  node_lag_seconds: "For how long the work of this node that is due longest has been due.",
  node_clock_off_seconds:
    "How far this machine's clock is ahead of the database's, by which nodes go. Beyond a few seconds, see to its time service.",
  check_places: "Checks that may be under way at once, as STILLUP_CHECK_CONCURRENCY says.",
  event_loop_lag_seconds:
    "How late the process was at most since the last reading. Over 0.5 it needs a faster machine.",
  database_up: "1 while the database answers. While it is 0, other readings of it are missing.",
  links: "Links of all accounts by their status.",
  links_due: "Links that wait for their check; estimated above 10000.",
  links_due_lag_seconds:
    "How late the most overdue link is. Over ten minutes the checker does not keep up with its links.",
  accounts: "Accounts.",
  users: "People who can sign in.",
  deliveries_waiting:
    "Deliveries that are still to be made, also those that wait for their next attempt; counted up to 20000.",
  deliveries_overdue_seconds:
    "How late the most overdue delivery is. Over five minutes the deliverer does not keep up.",
  deliveries_oldest_age_seconds:
    "Age of the oldest delivery still to be made. Its receiver does not answer: see webhooks.",
  webhooks:
    "Webhooks by how they are: well, failing, or switched off by their owner or by us for failing or being gone.",
  database_bytes: "What the database takes up.",
  database_wal_bytes:
    "What the write-ahead log of SQLite takes up. Over 1 GB something keeps it from being worked in.",
  disk_free_bytes:
    "Free space on the disk of the data folder, or on the database's where that is nearer to its floor. Under stillup_disk_floor_bytes nothing is written any more.",
  disk_floor_bytes:
    "The least free space with which this server writes: STILLUP_DISK_FLOOR_MB, or a tenth of a small disk.",
  upkeep_last_success_timestamp_seconds:
    "When a job that keeps the installation succeeded last. An integrity check over nine days ago, or housekeeping over three hours, needs a look at the log.",
  upkeep_failing: "1 when a job that keeps the installation failed last time.",
  backup_expected_timestamp_seconds:
    "When STILLUP_BACKUP_CRON asks for the next backup, or asked for the one that is still missing. Not there where no backups are scheduled.",
  backup_last_bytes: "Size of the newest backup in the data folder.",
} as const;

type ReadingName = keyof typeof READINGS;

/** The readings as Prometheus reads them. */
export function toText(readings: Readings): Promise<string> {
  const registry = new Registry();
  for (const [name, value] of Object.entries(readings) as [ReadingName, Reading][]) {
    const values: Labelled[] = typeof value === "number" ? [[{}, value]] : (value ?? []);
    if (values.length > 0) addGauge(registry, name, values);
  }
  return registry.metrics();
}

function addGauge(registry: Registry, name: ReadingName, values: Labelled[]) {
  const labelNames = Object.keys(values[0]?.[0] ?? {});
  const gauge = new Gauge({
    name: `stillup_${name}`,
    help: READINGS[name],
    labelNames,
    registers: [registry],
  });
  for (const [labels, value] of values) gauge.set(labels, value);
}
