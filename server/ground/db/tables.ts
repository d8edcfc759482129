import { getTableColumns } from "drizzle-orm";
import { alias, customType, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import * as z from "zod";
import {
  ACTOR_KINDS,
  ATTEMPT_TRIGGERS,
  CHANGE_KINDS,
  CONFIDENCES,
  COPY_STATES,
  DELIVERED_TYPES,
  DELIVERY_STATUSES,
  DISABLED_REASONS,
  DOMAIN_STATES,
  EVENT_TYPES,
  FILTER_FIELDS,
  FORMATS,
  FREQUENCIES,
  HANDLINGS,
  HOST_KINDS,
  IMPORT_STATUSES,
  ITEM_OUTCOMES,
  LINK_ACTIONS,
  LOOKUP_STATES,
  MAIL_KINDS,
  PAGE_MATCHES,
  PAGE_STATES,
  REPLACEMENT_KINDS,
  REPLACEMENT_RESULTS,
  REPLACEMENT_STATES,
  ROLES,
  RUN_STATUSES,
  RUN_TRIGGERS,
  SAVE_STATES,
  SOURCE_KINDS,
  SUGGESTION_KINDS,
  TIERS,
  TRIGGERS,
  VERDICTS,
} from "../lib/vocabulary.ts";

/**
 * The tables that drizzle/ creates, declared once for both databases. Times are milliseconds since 1970. Ids and times
 * come from code, so no column has a default.
 */

/**
 * Milliseconds since 1970. Both databases refuse a fraction, which a wait may leave in what code computes, so a moment is
 * rounded up: nothing becomes due before its time.
 */
const moment = customType<{ data: number; driverData: number }>({
  dataType: () => "integer",
  toDriver: Math.ceil,
});

const bool = (name: string) => integer(name, { mode: "boolean" });

export const accounts = sqliteTable("accounts", {
  id: text("id").primaryKey(),
  email: text("email").notNull(),
  tier: text("tier", { enum: TIERS }).notNull(),
  createdAt: moment("created_at").notNull(),
  no: integer("no").notNull(),
  historySince: moment("history_since").notNull(),
  archiveLookup: bool("archive_lookup"),
  archiveSave: bool("archive_save").notNull().default(false),
});

/** One row: the next number for an account, a group or a link. */
export const numbers = sqliteTable("numbers", {
  id: integer("id").primaryKey(),
  next: integer("next").notNull(),
});

export const users = sqliteTable("users", {
  id: text("id").primaryKey(),
  accountId: text("account_id").notNull(),
  email: text("email").notNull(),
  passwordHash: text("password_hash"),
  role: text("role", { enum: ROLES }).notNull(),
  isAdmin: bool("is_admin").notNull(),
  createdAt: moment("created_at").notNull(),
  totpSecret: text("totp_secret"),
  totpPending: text("totp_pending"),
  totpStep: integer("totp_step"),
  invitedEmail: text("invited_email"),
  emailVerifiedAt: moment("email_verified_at"),
  mailAssigned: bool("mail_assigned").notNull().default(true),
});

/** Who a person is at an OpenID Connect provider. */
export const identities = sqliteTable("identities", {
  issuer: text("issuer").notNull(),
  subject: text("subject").notNull(),
  userId: text("user_id").notNull(),
  linkedAt: moment("linked_at").notNull(),
  lastSeenAt: moment("last_seen_at").notNull(),
});

export const recoveryCodes = sqliteTable("recovery_codes", {
  userId: text("user_id").notNull(),
  hash: text("hash").notNull(),
});

export const sessions = sqliteTable("sessions", {
  tokenHash: text("token_hash").primaryKey(),
  userId: text("user_id").notNull(),
  createdAt: moment("created_at").notNull(),
  lastSeenAt: moment("last_seen_at").notNull(),
  userAgent: text("user_agent"),
  failedSignIns: text("failed_sign_ins"),
  via: text("via", { enum: ["password", "oidc"] }).notNull(),
  endsAt: moment("ends_at"),
  provedAt: moment("proved_at"),
  idToken: text("id_token"),
});

export const failedSignIns = sqliteTable("failed_sign_ins", {
  userId: text("user_id").notNull(),
  addressRange: text("address_range").notNull(),
  failures: integer("failures").notNull(),
  recorded: integer("recorded").notNull(),
  firstAt: moment("first_at").notNull(),
  lastAt: moment("last_at").notNull(),
  recordAt: moment("record_at").notNull(),
});

export const passwordLinks = sqliteTable("password_links", {
  tokenHash: text("token_hash").primaryKey(),
  userId: text("user_id").notNull(),
  expiresAt: moment("expires_at").notNull(),
  isMailed: bool("is_mailed").notNull(),
});

export const apiKeys = sqliteTable("api_keys", {
  id: text("id").primaryKey(),
  accountId: text("account_id").notNull(),
  name: text("name").notNull(),
  prefix: text("prefix").notNull(),
  hash: text("hash").notNull(),
  previousHash: text("previous_hash"),
  previousExpiresAt: moment("previous_expires_at"),
  canRead: bool("can_read").notNull(),
  canWrite: bool("can_write").notNull(),
  expiresAt: moment("expires_at"),
  lastUsedAt: moment("last_used_at"),
  revokedAt: moment("revoked_at"),
  createdAt: moment("created_at").notNull(),
  updatedAt: moment("updated_at").notNull(),
  madeBy: text("made_by"),
});

export const groups = sqliteTable("groups", {
  id: text("id").primaryKey(),
  accountId: text("account_id").notNull(),
  name: text("name").notNull(),
  description: text("description"),
  color: text("color").notNull(),
  createdAt: moment("created_at").notNull(),
  updatedAt: moment("updated_at").notNull(),
  no: integer("no").notNull(),
  cron: text("cron"),
  timeZone: text("time_zone"),
});

export const batches = sqliteTable("batches", {
  id: text("id").primaryKey(),
  accountId: text("account_id").notNull(),
  total: integer("total").notNull(),
  active: integer("active").notNull(),
  dead: integer("dead").notNull(),
  unknown: integer("unknown").notNull(),
  skipped: integer("skipped").notNull(),
  startedAt: moment("started_at").notNull(),
  completedAt: moment("completed_at"),
  filterGroupId: text("filter_group_id"),
  filterStatus: text("filter_status", { enum: VERDICTS }),
  filledTo: integer("filled_to"),
  lastNo: integer("last_no").notNull(),
  expected: integer("expected").notNull(),
  filterService: text("filter_service"),
  filterSearch: text("filter_search"),
  filterFrequency: text("filter_frequency", { enum: FREQUENCIES }),
  filterSite: text("filter_site"),
  filterReason: text("filter_reason"),
  filterMore: text("filter_more"),
});

/** The links whose next settled check a batch waits for. */
export const batchLinks = sqliteTable("batch_links", {
  linkNo: integer("link_no").notNull(),
  batchId: text("batch_id").notNull(),
});

/** A status besides those of the API is that of an import whose rows are being deleted. */
export const imports = sqliteTable("imports", {
  no: integer("no").primaryKey(),
  id: text("id").notNull(),
  accountId: text("account_id").notNull(),
  accountNo: integer("account_no").notNull(),
  actorKind: text("actor_kind", { enum: ACTOR_KINDS }).notNull(),
  actorId: text("actor_id"),
  actorName: text("actor_name").notNull(),
  name: text("name"),
  format: text("format").notNull(),
  status: text("status", { enum: [...IMPORT_STATUSES, "deleted"] }).notNull(),
  options: text("options").notNull(),
  notes: text("notes").notNull(),
  sitemaps: text("sitemaps").notNull(),
  problem: text("problem"),
  counts: text("counts").notNull(),
  batchIds: text("batch_ids").notNull(),
  groupIds: text("group_ids").notNull(),
  dueAt: moment("due_at"),
  lease: text("lease"),
  createdAt: moment("created_at").notNull(),
  updatedAt: moment("updated_at").notNull(),
  startedAt: moment("started_at"),
  completedAt: moment("completed_at"),
});

export const importItems = sqliteTable("import_items", {
  importNo: integer("import_no").notNull(),
  n: integer("n").notNull(),
  line: integer("line").notNull(),
  outcome: text("outcome", { enum: ITEM_OUTCOMES }).notNull(),
  linkId: text("link_id"),
  detail: text("detail"),
  urlHash: text("url_hash"),
  groupName: text("group_name").notNull(),
  lacks: bool("lacks").notNull(),
  item: text("item").notNull(),
});

const LINK = {
  no: integer("no").primaryKey(),
  id: text("id").notNull(),
  accountId: text("account_id").notNull(),
  accountNo: integer("account_no").notNull(),
  groupId: text("group_id"),
  url: text("url").notNull(),
  urlKey: text("url_key").notNull(),
  service: text("service").notNull(),
  status: text("status", { enum: VERDICTS }).notNull(),
  reason: text("reason"),
  statusChangedAt: moment("status_changed_at").notNull(),
  decidedStatus: text("decided_status", { enum: ["active", "dead"] }),
  decidedReason: text("decided_reason"),
  lastActiveAt: moment("last_active_at"),
  inconclusiveChecks: integer("inconclusive_checks").notNull(),
  unconfirmedSince: moment("unconfirmed_since"),
  flappingUntil: moment("flapping_until"),
  failingClass: text("failing_class"),
  failingSince: moment("failing_since"),
  failingChecks: integer("failing_checks"),
  checkFrequency: text("check_frequency", { enum: FREQUENCIES }).notNull(),
  nextCheckAt: moment("next_check_at").notNull(),
  nextTrigger: text("next_trigger", { enum: TRIGGERS }).notNull(),
  checkingUntil: moment("checking_until"),
  lease: text("lease"),
  lastStatus: text("last_status", { enum: VERDICTS }),
  lastReason: text("last_reason"),
  lastCause: text("last_cause"),
  lastStatusCode: integer("last_status_code"),
  lastResponseTimeMs: integer("last_response_time_ms"),
  lastCheckedAt: moment("last_checked_at"),
  createdAt: moment("created_at").notNull(),
  updatedAt: moment("updated_at").notNull(),
  evidence: text("evidence"),
  bucket: integer("bucket").notNull(),
  site: text("site").notNull(),
  tlsExpiresAt: moment("tls_expires_at"),
  aliveResponse: integer("alive_response"),
  deadResponse: integer("dead_response"),
  handling: text("handling", { enum: HANDLINGS }).notNull(),
  retiredAt: moment("retired_at").notNull().default(0),
};

/**
 * The links that are watched: what is selected from here is read from the view of links that are not retired. What is
 * written goes to their table, which is called `links` as well.
 */
export const links = alias(sqliteTable("watched_links", LINK), "links");

/** The table of all links. Those that are retired are only read by id, brought back or deleted. */
export const allLinks = sqliteTable("links", LINK);

/**
 * What people noted and decided about a link: the columns that several rooms use. `links/fields` has all.
 * `links.handling` is a copy, for counts and indexes. `sources` and `places` are counted by the sources of the link.
 */
export const linkDetails = sqliteTable("link_details", {
  linkNo: integer("link_no").primaryKey(),
  accountNo: integer("account_no").notNull(),
  title: text("title"),
  externalId: text("external_id"),
  assigneeId: text("assignee_id"),
  mutedUntil: moment("muted_until"),
  silentDeathAt: moment("silent_death_at"),
  overrideUntil: moment("override_until"),
  isPinned: bool("is_pinned").notNull().default(true),
  sources: integer("sources").notNull().default(0),
  places: integer("places").notNull().default(0),
  fragments: text("fragments"),
});

/** Groups and sites that are muted; `subject` is the id of the group, or the site. */
export const mutes = sqliteTable("mutes", {
  accountNo: integer("account_no").notNull(),
  kind: text("kind", { enum: ["group", "site"] }).notNull(),
  subject: text("subject").notNull(),
  until: moment("until").notNull(),
  mutedAt: moment("muted_at").notNull(),
  mutedBy: text("muted_by").notNull(),
});

export const tags = sqliteTable("tags", {
  no: integer("no").primaryKey(),
  accountId: text("account_id").notNull(),
  name: text("name").notNull(),
});

export const linkTags = sqliteTable("link_tags", {
  tagNo: integer("tag_no").notNull(),
  linkNo: integer("link_no").notNull(),
});

/** What people did to a link, and what of it ended. `actor` is null for what ended without them. */
export const linkActions = sqliteTable("link_actions", {
  linkNo: integer("link_no").notNull(),
  at: moment("at").notNull(),
  kind: text("kind", { enum: LINK_ACTIONS }).notNull(),
  actor: text("actor"),
  detail: text("detail"),
});

/** The earlier URLs of a link, each with the time when it was replaced. */
export const linkUrls = sqliteTable("link_urls", {
  linkNo: integer("link_no").notNull(),
  until: moment("until").notNull(),
  url: text("url").notNull(),
  changedBy: text("changed_by"),
});

/** `settings` is JSON, `credential` sealed JSON. `dueAt` is when it is claimed next. */
export const sources = sqliteTable("sources", {
  no: integer("no").primaryKey(),
  id: text("id").notNull(),
  accountId: text("account_id").notNull(),
  accountNo: integer("account_no").notNull(),
  name: text("name").notNull(),
  kind: text("kind", { enum: SOURCE_KINDS }).notNull(),
  url: text("url"),
  settings: text("settings").notNull(),
  credential: text("credential"),
  groupId: text("group_id"),
  checkFrequency: text("check_frequency", { enum: FREQUENCIES }).notNull(),
  cron: text("cron"),
  timeZone: text("time_zone"),
  isPaused: bool("is_paused").notNull(),
  bucket: integer("bucket").notNull(),
  dueAt: moment("due_at"),
  lease: text("lease"),
  runNo: integer("run_no").notNull(),
  completeRun: integer("complete_run").notNull(),
  pages: integer("pages").notNull(),
  places: integer("places").notNull(),
  failingSince: moment("failing_since"),
  deletedAt: moment("deleted_at"),
  retires: bool("retires").notNull(),
  createdAt: moment("created_at").notNull(),
  updatedAt: moment("updated_at").notNull(),
});

/** `cursor`, `counts` and `notes` are JSON. */
export const sourceRuns = sqliteTable("source_runs", {
  sourceNo: integer("source_no").notNull(),
  runNo: integer("run_no").notNull(),
  id: text("id").notNull(),
  accountId: text("account_id").notNull(),
  status: text("status", { enum: RUN_STATUSES }).notNull(),
  reason: text("reason"),
  message: text("message"),
  trigger: text("trigger_kind", { enum: RUN_TRIGGERS }).notNull(),
  acceptsShrink: bool("accepts_shrink").notNull(),
  queuedAt: moment("queued_at").notNull(),
  startedAt: moment("started_at"),
  endedAt: moment("ended_at"),
  cursor: text("cursor"),
  counts: text("counts").notNull(),
  notes: text("notes").notNull(),
});

/** Pages in which links stand. A long list has a row for each of its parts. */
export const sourcePages = sqliteTable("source_pages", {
  no: integer("no").primaryKey(),
  sourceNo: integer("source_no").notNull(),
  url: text("url").notNull(),
  urlKey: text("url_key").notNull(),
  part: text("part").notNull(),
  lineOffset: integer("line_offset").notNull(),
  title: text("title"),
  state: text("state", { enum: PAGE_STATES }).notNull(),
  depth: integer("depth").notNull(),
  seenRun: integer("seen_run").notNull(),
  wantedRun: integer("wanted_run").notNull(),
  statusCode: integer("status_code"),
  reason: text("reason"),
  etag: text("etag"),
  lastModified: text("last_modified"),
  listHash: text("list_hash"),
  anchors: text("anchors"),
  linkNo: integer("link_no"),
  places: integer("places").notNull(),
  flagged: integer("flagged").notNull(),
  isGone: bool("is_gone").notNull(),
  refused: integer("refused").notNull(),
  readAt: moment("read_at"),
});

/** Places where links stand. `targetNo` is a link, or a page of the same source. `element` indexes `ELEMENT_KINDS`. */
export const occurrences = sqliteTable("occurrences", {
  pageNo: integer("page_no").notNull(),
  targetNo: integer("target_no").notNull(),
  place: integer("place").notNull(),
  line: integer("line"),
  col: integer("col"),
  element: integer("element").notNull(),
  text: text("text"),
  fragment: text("fragment"),
  isFragmentMissing: bool("is_fragment_missing").notNull(),
  flaggedRun: integer("flagged_run"),
  isNofollow: bool("is_nofollow").notNull().default(false),
});

export const sourceLinks = sqliteTable("source_links", {
  sourceNo: integer("source_no").notNull(),
  linkNo: integer("link_no").notNull(),
  places: integer("places").notNull(),
  missingRuns: integer("missing_runs").notNull(),
  missingAt: moment("missing_at"),
});

/** What is sent to a host with checks. `sealed` has the secret values. */
export const hostSettings = sqliteTable("host_settings", {
  id: text("id").primaryKey(),
  accountId: text("account_id").notNull(),
  host: text("host").notNull(),
  sealed: text("sealed").notNull(),
  userAgent: text("user_agent"),
  allowHttp: bool("allow_http").notNull(),
  version: integer("version").notNull(),
  lastSuccessAt: moment("last_success_at"),
  failingSince: moment("failing_since"),
  createdAt: moment("created_at").notNull(),
  updatedAt: moment("updated_at").notNull(),
});

/** Saved filters of the list of links. Without `userId` everyone in the account has it. */
export const views = sqliteTable("views", {
  id: text("id").primaryKey(),
  accountId: text("account_id").notNull(),
  userId: text("user_id"),
  name: text("name").notNull(),
  filter: text("filter").notNull(),
  sort: text("sort"),
  createdAt: moment("created_at").notNull(),
});

/** What the last full reading of an active link's page was like; `monitor/readings.ts` has all columns. */
export const linkReadings = sqliteTable("link_readings", {
  linkNo: integer("link_no").primaryKey(),
  judgedAt: moment("judged_at").notNull(),
  notModified: integer("not_modified").notNull(),
});

/** The response to the last check that found a link alive, and to the last that found it dead. */
export const linkResponses = sqliteTable("link_responses", {
  linkNo: integer("link_no").notNull(),
  kind: text("kind", { enum: ["active", "dead"] }).notNull(),
  checkedAt: moment("checked_at").notNull(),
  reason: text("reason").notNull(),
  statusCode: integer("status_code").notNull(),
  finalUrl: text("final_url").notNull(),
  title: text("title"),
  words: integer("words"),
  content: text("content").notNull(),
});

const UNLISTED = [
  "evidence",
  "bucket",
  "site",
  "tlsExpiresAt",
  "aliveResponse",
  "deadResponse",
  "handling",
] as const;
type Unlisted = (typeof UNLISTED)[number];

function without<T extends object, Name extends keyof T>(all: T, names: readonly Name[]) {
  const rest = { ...all };
  for (const name of names) delete rest[name];
  return rest as Omit<T, Name>;
}

/** The columns of a link without large ones, and without those that SQLite finds only behind these. */
export const LINK_SUMMARY = without(getTableColumns(links), UNLISTED);

/** Links that were dead and are alive again, and since when. */
export const recoveries = sqliteTable("recoveries", {
  linkNo: integer("link_no").primaryKey(),
  accountNo: integer("account_no").notNull(),
  recoveredAt: moment("recovered_at").notNull(),
});

/** One row: the catalogue by which links are classified, and the last classified link; null = all. */
export const classification = sqliteTable("classification", {
  id: integer("id").primaryKey(),
  fingerprint: text("fingerprint").notNull(),
  lastLinkId: text("last_link_id"),
});

/** Counts of links by settled status. `subject` is the number of an account, a group, a tag or a source. */
export const linkCounts = sqliteTable("link_counts", {
  subject: integer("subject").primaryKey(),
  active: integer("active").notNull(),
  dead: integer("dead").notNull(),
  unknown: integer("unknown").notNull(),
  handled: integer("handled").notNull(),
});

/** The links of each site by settled status. Kept by triggers. */
export const sites = sqliteTable("sites", {
  accountNo: integer("account_no").notNull(),
  site: text("site").notNull(),
  active: integer("active").notNull(),
  dead: integer("dead").notNull(),
  unknown: integer("unknown").notNull(),
  links: integer("links").notNull(),
});

/** The links of each host of a site, and when its certificate expires. Kept by triggers. */
export const siteHosts = sqliteTable("site_hosts", {
  accountNo: integer("account_no").notNull(),
  site: text("site").notNull(),
  host: text("host").notNull(),
  links: integer("links").notNull(),
  tlsExpiresAt: moment("tls_expires_at"),
  tlsLifetimeMs: integer("tls_lifetime_ms"),
  tlsReported: integer("tls_reported").notNull().default(0),
});

/**
 * Days of an account (`groupNo` 0, `site` empty), of its groups and of its sites. `day` counts from 1970. A day without
 * a row, or without counts, is like the one before. `back_0` to `back_15` are a histogram, see `TIME_DEAD`.
 */
export const statusDays = sqliteTable("status_days", {
  accountNo: integer("account_no").notNull(),
  groupNo: integer("group_no").notNull(),
  site: text("site").notNull(),
  day: integer("day").notNull(),
  active: integer("active"),
  dead: integer("dead"),
  unknown: integer("unknown"),
  died: integer("died").notNull(),
  cameBack: integer("came_back").notNull(),
  becameUnknown: integer("became_unknown").notNull(),
});

/** Changes of status, without first verdicts. */
export const changes = sqliteTable("changes", {
  accountNo: integer("account_no").notNull(),
  changedAt: moment("changed_at").notNull(),
  linkNo: integer("link_no").notNull(),
  kind: text("kind", { enum: CHANGE_KINDS }).notNull(),
  groupNo: integer("group_no"),
  site: text("site").notNull(),
  previousStatus: text("previous_status", { enum: VERDICTS }).notNull(),
  lastedMs: integer("lasted_ms").notNull(),
  reason: text("reason").notNull(),
  cause: text("cause"),
  finalUrl: text("final_url"),
});

/** When a person last used the dashboard, and when the visit before ended. */
export const visits = sqliteTable("visits", {
  userId: text("user_id").primaryKey(),
  seenAt: moment("seen_at").notNull(),
  previousEndedAt: moment("previous_ended_at"),
});

/** Combinations of values that many checks share. */
export const checkKinds = sqliteTable("check_kinds", {
  no: integer("no").primaryKey(),
  status: text("status", { enum: VERDICTS }).notNull(),
  previousStatus: text("previous_status", { enum: VERDICTS }).notNull(),
  statusChanged: bool("status_changed").notNull(),
  statusCode: integer("status_code"),
  reason: text("reason").notNull(),
  cause: text("cause"),
  trigger: text("trigger_kind", { enum: TRIGGERS }).notNull(),
  redirectCount: integer("redirect_count").notNull(),
  code: text("code").notNull(),
});

/** Identified by account, time and link. `finalUrl` is empty if it is the URL of the link. */
export const checks = sqliteTable("checks", {
  accountNo: integer("account_no").notNull(),
  checkedAt: moment("checked_at").notNull(),
  linkNo: integer("link_no").notNull(),
  kindNo: integer("kind_no").notNull(),
  responseTimeMs: integer("response_time_ms"),
  groupNo: integer("group_no"),
  finalUrl: text("final_url"),
  evidence: text("evidence"),
});

const counted = {
  active: integer("active").notNull(),
  dead: integer("dead").notNull(),
  unknown: integer("unknown").notNull(),
  changes: integer("changes").notNull(),
  answered: integer("answered").notNull(),
  totalMs: integer("total_ms").notNull(),
};

/** For accounts and groups. `since` begins an hour, or a further part of an account's busy hour. */
export const historyHours = sqliteTable("history_hours", {
  subject: integer("subject").notNull(),
  since: moment("since").notNull(),
  ...counted,
});

/** For accounts, groups and links. `day` counts from 1970; `hours` holds the hours of a link. */
export const historyDays = sqliteTable("history_days", {
  subject: integer("subject").notNull(),
  day: integer("day").notNull(),
  ...counted,
  hours: text("hours"),
});

/** Deleted links and groups whose history is still to be deleted. Links have their id and URL. */
export const pendingDeletions = sqliteTable("pending_deletions", {
  no: integer("no").primaryKey(),
  id: text("id"),
  url: text("url"),
});

export const hostProfiles = sqliteTable("host_profiles", {
  host: text("host").primaryKey(),
  kind: text("kind", { enum: HOST_KINDS }).notNull(),
  fingerprint: text("fingerprint"),
  learnedAt: moment("learned_at").notNull(),
});

/** `url` shows the host only; `sealedUrl` is the whole URL. With `deletedAt` no one sees it any more. */
export const webhooks = sqliteTable("webhooks", {
  id: text("id").primaryKey(),
  accountId: text("account_id").notNull(),
  url: text("url").notNull(),
  isActive: bool("is_active").notNull(),
  secret: text("secret").notNull(),
  disabledReason: text("disabled_reason", { enum: DISABLED_REASONS }),
  disabledAt: moment("disabled_at"),
  failingSince: moment("failing_since"),
  lastDeliveryAt: moment("last_delivery_at"),
  lastStatusCode: integer("last_status_code"),
  createdAt: moment("created_at").notNull(),
  updatedAt: moment("updated_at").notNull(),
  format: text("format", { enum: FORMATS }).notNull(),
  oldSecrets: text("old_secrets"),
  failedFrom: moment("failed_from"),
  failedTo: moment("failed_to"),
  digestId: text("digest_id"),
  digestAt: moment("digest_at"),
  sealedUrl: text("sealed_url").notNull(),
  firstVerdicts: bool("first_verdicts").notNull(),
  batchDigestId: text("batch_digest_id"),
  batchDigestAt: moment("batch_digest_at"),
  name: text("name"),
  filters: integer("filters").notNull(),
  timeZone: text("time_zone"),
  summary: text("summary"),
  summaryAt: moment("summary_at"),
  summarySince: moment("summary_since"),
  deletedAt: moment("deleted_at"),
});

/** The values of a webhook's filter. */
export const webhookFilters = sqliteTable("webhook_filters", {
  webhookId: text("webhook_id").notNull(),
  field: text("field", { enum: FILTER_FIELDS }).notNull(),
  value: text("value").notNull(),
});

/** What the owner of an address has decided about mail of an account. `n` is part of every link in a mail. */
export const mailAddresses = sqliteTable("mail_addresses", {
  accountId: text("account_id").notNull(),
  address: text("address").notNull(),
  n: integer("n").notNull(),
  confirmedAt: moment("confirmed_at"),
  refusedAt: moment("refused_at"),
});

/** Mail to people that no webhook sends. `data` is JSON without tokens. */
export const mails = sqliteTable("mails", {
  id: text("id").primaryKey(),
  kind: text("kind", { enum: MAIL_KINDS }).notNull(),
  accountId: text("account_id"),
  userId: text("user_id"),
  address: text("address").notNull(),
  data: text("data").notNull(),
  status: text("status", { enum: ["pending", "sent", "failed", "dropped"] }).notNull(),
  attempts: integer("attempts").notNull(),
  dueAt: moment("due_at"),
  lease: text("lease"),
  lastStatusCode: integer("last_status_code"),
  lastError: text("last_error"),
  createdAt: moment("created_at").notNull(),
  completedAt: moment("completed_at"),
});

/** The highest share of a limit, in percent, that an event has reported. */
export const usageLevels = sqliteTable("usage_levels", {
  accountNo: integer("account_no").notNull(),
  what: text("what", { enum: ["links", "keys", "webhooks"] }).notNull(),
  level: integer("level").notNull(),
});

export const webhookEvents = sqliteTable("webhook_events", {
  webhookId: text("webhook_id").notNull(),
  type: text("type", { enum: EVENT_TYPES }).notNull(),
  position: integer("position").notNull(),
});

export const events = sqliteTable("events", {
  id: text("id").primaryKey(),
  accountId: text("account_id").notNull(),
  type: text("type", { enum: DELIVERED_TYPES }).notNull(),
  data: text("data").notNull(),
  createdAt: moment("created_at").notNull(),
  linkId: text("link_id"),
});

/** Identified by webhook and event. Columns with `last` are about the latest attempt. */
export const deliveries = sqliteTable("deliveries", {
  webhookId: text("webhook_id").notNull(),
  eventId: text("event_id").notNull(),
  type: text("type", { enum: DELIVERED_TYPES }).notNull(),
  status: text("status", { enum: DELIVERY_STATUSES }).notNull(),
  resting: text("resting", { enum: DELIVERY_STATUSES }),
  attempts: integer("attempts").notNull(),
  unplannedAttempts: integer("unplanned_attempts").notNull(),
  nextAttemptAt: moment("next_attempt_at"),
  dueAt: moment("due_at"),
  lease: text("lease"),
  digestId: text("digest_id"),
  createdAt: moment("created_at").notNull(),
  completedAt: moment("completed_at"),
  lastTrigger: text("last_trigger", { enum: ATTEMPT_TRIGGERS }),
  lastStartedAt: moment("last_started_at"),
  lastDurationMs: integer("last_duration_ms"),
  lastStatusCode: integer("last_status_code"),
  lastError: text("last_error"),
  lastContentType: text("last_content_type"),
  lastBody: text("last_body"),
  lastTruncated: bool("last_truncated"),
  ofBatch: bool("of_batch").notNull(),
});

/** The attempts before the latest. */
export const deliveryAttempts = sqliteTable("delivery_attempts", {
  webhookId: text("webhook_id").notNull(),
  eventId: text("event_id").notNull(),
  number: integer("number").notNull(),
  trigger: text("trigger_kind", { enum: ATTEMPT_TRIGGERS }).notNull(),
  startedAt: moment("started_at").notNull(),
  durationMs: integer("duration_ms"),
  statusCode: integer("status_code").notNull(),
  error: text("error"),
  contentType: text("content_type"),
  body: text("body"),
  truncated: bool("truncated").notNull(),
});

export const usageDays = sqliteTable("usage_days", {
  accountId: text("account_id").notNull(),
  day: text("day").notNull(),
  requests: integer("requests").notNull(),
  checks: integer("checks").notNull(),
  lastCheckAt: moment("last_check_at"),
});

export const idempotencyKeys = sqliteTable("idempotency_keys", {
  accountId: text("account_id").notNull(),
  scope: text("scope").notNull(),
  key: text("key").notNull(),
  bodyHash: text("body_hash").notNull(),
  /** Unused, but nodes of 0.1.0 need the column. */
  runningUntil: moment("running_until").notNull(),
  status: integer("status").notNull(),
  headers: text("headers"),
  body: text("body"),
  resourceId: text("resource_id"),
  createdAt: moment("created_at").notNull(),
});

/** Who changed what. Entries are added with the change and never changed. */
export const audit = sqliteTable("audit", {
  id: text("id").primaryKey(),
  accountId: text("account_id"),
  createdAt: moment("created_at").notNull(),
  actorKind: text("actor_kind", { enum: ACTOR_KINDS }).notNull(),
  actorId: text("actor_id"),
  actorName: text("actor_name").notNull(),
  address: text("address"),
  action: text("action").notNull(),
  targetId: text("target_id"),
  targetName: text("target_name"),
  fields: text("fields").notNull(),
  count: integer("count").notNull(),
});

/** One row: audit entries from before this moment may be forgotten. */
export const auditRetention = sqliteTable("audit_retention", {
  id: integer("id").primaryKey(),
  forgetBefore: moment("forget_before").notNull(),
});

/** The last runs of maintenance jobs. */
export const upkeep = sqliteTable("upkeep", {
  job: text("job", { enum: ["backup", "integrity", "housekeeping"] }).primaryKey(),
  startedAt: moment("started_at").notNull(),
  succeededAt: moment("succeeded_at"),
  failedAt: moment("failed_at"),
  problem: text("problem"),
});

/** The versions that have served this database. */
export const versions = sqliteTable("versions", {
  version: text("version").primaryKey(),
  firstStartedAt: moment("first_started_at").notNull(),
});

/** The processes that serve this database. `roles` is a list, `state` is JSON. */
export const nodes = sqliteTable("nodes", {
  id: text("id").primaryKey(),
  name: text("name").notNull(),
  roles: text("roles").notNull(),
  version: text("version").notNull(),
  startedAt: moment("started_at").notNull(),
  seenAt: moment("seen_at").notNull(),
  state: text("state").notNull(),
});

/** An object with one value for each of them. */
export const ofWorks = <T extends z.ZodType>(of: T) => z.object({ checks: of, deliveries: of });

/** Sites that are not requested until a time. `load` is JSON. */
export const siteHolds = sqliteTable("site_holds", {
  site: text("site").primaryKey(),
  bucket: integer("bucket").notNull(),
  until: moment("until").notNull(),
  load: text("load").notNull(),
});

/** The servers of registries, and the list of them under an empty host. */
export const registryServers = sqliteTable("registry_servers", {
  host: text("host").primaryKey(),
  dueAt: moment("due_at").notNull(),
  lease: text("lease"),
});

/** What registries say about the domains of links. */
export const domains = sqliteTable("domains", {
  domain: text("domain").primaryKey(),
  server: text("server"),
  state: text("state", { enum: DOMAIN_STATES }).notNull(),
  notedAt: moment("noted_at").notNull(),
  seenAt: moment("seen_at").notNull(),
  nextAt: moment("next_at").notNull(),
  isUrgent: bool("is_urgent").notNull(),
  askedAt: moment("asked_at"),
  answeredAt: moment("answered_at"),
  registeredAt: moment("registered_at"),
  registrationSeenAt: moment("registration_seen_at"),
  registrationConfirmedAt: moment("registration_confirmed_at"),
  expiresAt: moment("expires_at"),
  absentSince: moment("absent_since"),
  absentConfirmedAt: moment("absent_confirmed_at"),
  reportedExpiresAt: moment("reported_expires_at"),
  reportedRegisteredAt: moment("reported_registered_at"),
});

/** The domain of each site. */
export const domainSites = sqliteTable("domain_sites", {
  site: text("site").primaryKey(),
  domain: text("domain").notNull(),
});

/** What could stand in the place of dead links; `evidence` is JSON. */
export const suggestions = sqliteTable("suggestions", {
  id: text("id").primaryKey(),
  linkNo: integer("link_no").notNull(),
  accountNo: integer("account_no").notNull(),
  rank: integer("rank").notNull(),
  kind: text("kind", { enum: SUGGESTION_KINDS }).notNull(),
  url: text("url").notNull(),
  confidence: text("confidence", { enum: CONFIDENCES }).notNull(),
  matches: text("matches", { enum: PAGE_MATCHES }).notNull(),
  evidence: text("evidence").notNull(),
  capturedAt: moment("captured_at"),
  checkedAt: moment("checked_at").notNull(),
  patternId: text("pattern_id"),
});

/** The search for suggestions; `reasons` is JSON. */
export const linkLookups = sqliteTable("link_lookups", {
  linkNo: integer("link_no").primaryKey(),
  accountNo: integer("account_no").notNull(),
  state: text("state", { enum: LOOKUP_STATES }).notNull(),
  step: text("step", { enum: ["own", "archive"] }).notNull(),
  rank: integer("rank").notNull(),
  dueAt: moment("due_at"),
  lease: text("lease"),
  reasons: text("reasons"),
  misses: integer("misses").notNull(),
  isByHand: bool("is_by_hand").notNull(),
  isReported: bool("is_reported").notNull(),
});

/** How the addresses of sites changed. */
export const urlPatterns = sqliteTable("url_patterns", {
  id: text("id").primaryKey(),
  accountNo: integer("account_no").notNull(),
  oldPrefix: text("old_prefix").notNull(),
  newPrefix: text("new_prefix").notNull(),
  pairs: integer("pairs").notNull(),
  tried: integer("tried").notNull(),
  failed: integer("failed").notNull(),
  triedToday: integer("tried_today").notNull(),
  triedDay: integer("tried_day").notNull(),
  restsUntil: moment("rests_until"),
  learnedAt: moment("learned_at").notNull(),
});

/** When the patterns of a site are computed. */
export const patternRuns = sqliteTable("pattern_runs", {
  accountNo: integer("account_no").notNull(),
  site: text("site").notNull(),
  deaths: integer("deaths").notNull(),
  dueAt: moment("due_at").notNull(),
  lease: text("lease"),
});

/** Replacements of many links; `request` is JSON. `dueAt` is when new URLs are checked next. */
export const replacements = sqliteTable("replacements", {
  id: text("id").primaryKey(),
  accountId: text("account_id").notNull(),
  state: text("state", { enum: REPLACEMENT_STATES }).notNull(),
  request: text("request").notNull(),
  createdBy: text("created_by").notNull(),
  createdAt: moment("created_at").notNull(),
  expiresAt: moment("expires_at").notNull(),
  bucket: integer("bucket").notNull(),
  dueAt: moment("due_at"),
  lease: text("lease"),
});

/** The links that they are about; `verdict` and what follows is null while it is not known, `error` is JSON. */
export const replacementItems = sqliteTable("replacement_items", {
  replacementId: text("replacement_id").notNull(),
  linkId: text("link_id").notNull(),
  url: text("url").notNull(),
  newUrl: text("new_url").notNull(),
  kind: text("kind", { enum: REPLACEMENT_KINDS }).notNull(),
  verdict: text("verdict", { enum: VERDICTS }),
  reason: text("reason"),
  matches: text("matches", { enum: PAGE_MATCHES }),
  result: text("result", { enum: REPLACEMENT_RESULTS }),
  error: text("error"),
});

/** The archives that are asked for copies of pages, and when each may be asked. */
export const archiveHosts = sqliteTable("archive_hosts", {
  host: text("host").primaryKey(),
  lease: text("lease"),
  dueAt: moment("due_at").notNull(),
  indexDueAt: moment("index_due_at").notNull(),
  saveDueAt: moment("save_due_at").notNull(),
  otherDueAt: moment("other_due_at").notNull(),
  heldUntil: moment("held_until").notNull(),
  refusals: integer("refusals").notNull(),
  missingCaptures: integer("missing_captures").notNull(),
});

/** What archives have of pages, whichever account asked. */
export const archiveCopies = sqliteTable("archive_copies", {
  urlKey: text("url_key").primaryKey(),
  state: text("state", { enum: COPY_STATES }).notNull(),
  copyUrl: text("copy_url"),
  capturedAt: moment("captured_at"),
  title: text("title"),
  print: text("print"),
  reasons: text("reasons"),
  lookedUntil: moment("looked_until").notNull(),
  askedAt: moment("asked_at").notNull(),
  failures: integer("failures").notNull(),
  isSaved: bool("is_saved").notNull().default(false),
});

/** Pages that archives are asked to save. */
export const archiveSaves = sqliteTable("archive_saves", {
  urlKey: text("url_key").primaryKey(),
  url: text("url").notNull(),
  state: text("state", { enum: SAVE_STATES }).notNull(),
  dueAt: moment("due_at"),
  lease: text("lease"),
  job: text("job"),
  looks: integer("looks").notNull(),
  startedAt: moment("started_at"),
});

/** Facts about this installation by name. */
export const facts = sqliteTable("facts", {
  name: text("name").primaryKey(),
  value: text("value").notNull(),
});

/** Wrong passwords and codes of the last minutes, numbered from 1 for each name. */
export const guesses = sqliteTable("guesses", {
  account: text("account").notNull(),
  n: integer("n").notNull(),
  guessedAt: moment("guessed_at").notNull(),
});

export const setupTokens = sqliteTable("setup_tokens", {
  tokenHash: text("token_hash").primaryKey(),
  createdAt: moment("created_at").notNull(),
});

/** Whether services still answer differently for pages that exist and pages that do not. */
export const canaries = sqliteTable("canaries", {
  service: text("service").notNull(),
  kind: text("kind").notNull(),
  isGood: bool("is_good").notNull(),
  askedAt: moment("asked_at").notNull(),
  aliveAt: moment("alive_at"),
});

export type AccountRow = typeof accounts.$inferSelect;
export type UserRow = typeof users.$inferSelect;
export type SessionRow = typeof sessions.$inferSelect;
export type ApiKeyRow = typeof apiKeys.$inferSelect;
export type HostSettingRow = typeof hostSettings.$inferSelect;
export type ViewRow = typeof views.$inferSelect;
export type GroupRow = typeof groups.$inferSelect;
export type ImportRow = typeof imports.$inferSelect;
export type ImportItemRow = typeof importItems.$inferSelect;
export type BatchRow = typeof batches.$inferSelect;
export type LinkRow = typeof links.$inferSelect;
/** A link in lists: `LINK_SUMMARY`. */
export type LinkSummary = Omit<LinkRow, Unlisted>;
export type DomainRow = typeof domains.$inferSelect;
export type SuggestionRow = typeof suggestions.$inferSelect;
export type LookupRow = typeof linkLookups.$inferSelect;
export type ReplacementRow = typeof replacements.$inferSelect;
export type ReplacementItemRow = typeof replacementItems.$inferSelect;
export type PatternRow = typeof urlPatterns.$inferSelect;
export type LinkResponseRow = typeof linkResponses.$inferSelect;
export type CheckRow = typeof checks.$inferSelect;
export type WebhookRow = typeof webhooks.$inferSelect;
/** An event. Its data also names its link. */
export type EventRow = Omit<typeof events.$inferSelect, "linkId">;
export type DeliveryRow = typeof deliveries.$inferSelect;
export type AuditRow = typeof audit.$inferSelect;
export type SourceRow = typeof sources.$inferSelect;
export type SourceRunRow = typeof sourceRuns.$inferSelect;
export type SourcePageRow = typeof sourcePages.$inferSelect;
export type AttemptRow = typeof deliveryAttempts.$inferSelect;
