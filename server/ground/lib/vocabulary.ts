/* The words that the database, the API, the command line and the dashboard share. */

export const TIERS = ["free", "pro", "business", "enterprise"] as const;
export type Tier = (typeof TIERS)[number];
export const VERDICTS = ["active", "dead", "unknown"] as const;
export type Verdict = (typeof VERDICTS)[number];
export const FREQUENCIES = ["hourly", "daily", "weekly", "monthly"] as const;
export type Frequency = (typeof FREQUENCIES)[number];
export const TRIGGERS = ["scheduled", "manual", "initial", "batch"] as const;
export const EVENT_TYPES = [
  "link.dead",
  "link.alive",
  "link.created",
  "link.deleted",
  "link.changed",
  "check.complete",
  "batch.complete",
  "source.complete",
  "summary.ready",
  "usage.threshold",
] as const;
export type EventType = (typeof EVENT_TYPES)[number];
/** What checks know of a fragment of a link; `missing` where the page does not have it. */
export const FRAGMENT_STATES = ["found", "missing", "unknown"] as const;
export type FragmentState = (typeof FRAGMENT_STATES)[number];
/** What people have decided about a link: nothing, that they know, or that they do not want to hear of it. */
export const HANDLINGS = ["open", "acknowledged", "muted"] as const;
export type Handling = (typeof HANDLINGS)[number];
/** The entries of a link's timeline, other than changes of its status. */
export const LINK_ACTIONS = [
  "acknowledged",
  "acknowledgement_ended",
  "muted",
  "mute_ended",
  "reopened",
  "assigned",
  "override_set",
  "override_ended",
  "url_changed",
  "replaced",
  "tagged",
  "changed",
  "page_changed",
  "page_accepted",
] as const;
export type LinkAction = (typeof LINK_ACTIONS)[number];
/** Where links come from: what is read, or `push` for what others send. */
export const SOURCE_KINDS = [
  "site",
  "sitemap",
  "feed",
  "list",
  "git",
  "linkding",
  "karakeep",
  "linkace",
  "wordpress",
  "push",
] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];
/** A list of links that is imported: what is done with it now, or where it has come to. */
export const IMPORT_STATUSES = [
  "reading",
  "previewing",
  "ready",
  "adding",
  "stopped",
  "complete",
  "undoing",
] as const;
export type ImportStatus = (typeof IMPORT_STATUSES)[number];
/** What became of a link of such a list, or would. */
export const ITEM_OUTCOMES = [
  "waiting",
  "new",
  "created",
  "changed",
  "already_there",
  "duplicate",
  "refused",
] as const;
export type ItemOutcome = (typeof ITEM_OUTCOMES)[number];
export const RUN_STATUSES = [
  "queued",
  "reading",
  "settling",
  "complete",
  "incomplete",
  "failed",
  "cancelled",
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];
export const RUN_TRIGGERS = ["initial", "scheduled", "manual"] as const;
export const PAGE_STATES = ["waiting", "read", "gone", "failed", "moved", "skipped"] as const;
export type PageState = (typeof PAGE_STATES)[number];
/** In which element links stand. The database has their indexes, so new ones are added at the end. */
export const ELEMENT_KINDS = [
  "link",
  "area",
  "image",
  "media",
  "frame",
  "script",
  "style",
  "metadata",
  "definition",
] as const;
export type ElementKind = (typeof ELEMENT_KINDS)[number];
export const ROLES = ["owner", "editor", "viewer"] as const;
export type Role = (typeof ROLES)[number];
export const DISABLED_REASONS = ["user", "failing", "gone", "unconfirmed", "unsubscribed"] as const;
/** How a host answers requests for pages that do not exist; nothing can be learned about `closed` hosts. */
export const HOST_KINDS = ["honest", "page", "closed"] as const;
/** The format of a webhook's messages: the API's own, or that of one of these services. */
export const FORMATS = [
  "standard",
  "slack",
  "discord",
  "teams",
  "telegram",
  "ntfy",
  "apprise",
  "email",
] as const;
export type Format = (typeof FORMATS)[number];
/** How much of a webhook's URL is shown; `unreadable` when its secret key is lost. */
export const URL_STATES = ["full", "shortened", "unreadable"] as const;
export type UrlState = (typeof URL_STATES)[number];
export const DELIVERY_STATUSES = [
  "pending",
  "delivering",
  "succeeded",
  "failed",
  "exhausted",
  "cancelled",
  "expired",
  "paused",
  "digested",
] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];
export const ATTEMPT_TRIGGERS = ["scheduled", "manual", "test"] as const;
/** What a delivery may hold: an event, or a digest of many. */
export const DELIVERED_TYPES = [...EVENT_TYPES, "digest"] as const;
export type DeliveredType = (typeof DELIVERED_TYPES)[number];

/**
 * Who can change something: a person of the account, an API key, the operator at the command line, someone not signed in,
 * an administrator of the installation from another account, or a source, by what stands in it.
 */
export const ACTOR_KINDS = [
  "user",
  "key",
  "operator",
  "stranger",
  "administrator",
  "source",
] as const;

/**
 * `moved`: a link that is alive redirects from now on. `certificate`: it became unknown since its certificate is not
 * trusted. `changed`: its page, or what its redirects keep, is another. `changed_hands`: its domain may have a new owner. `suggested`: it is dead, and there is
 * something to put in its place.
 */
export const CHANGE_KINDS = [
  "died",
  "came_back",
  "became_unknown",
  "moved",
  "changed",
  "changed_hands",
  "suggested",
  "certificate",
] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

export const FILTER_FIELDS = ["group", "service", "reason", "tag", "assignee", "kind"] as const;

/** What `link.changed` says: that people edited a link, or that it leads to something else. */
export const LINK_CHANGE_KINDS = [
  "edited",
  "redirect_changed",
  "content_changed",
  "identity_lost",
  "domain_registered_again",
  "parameters_lost",
  "parameters_changed",
  "fragment_missing",
  "fragment_found",
  "certificate_expiring",
  "domain_expiring",
  "suggestion",
] as const;
export type LinkChangeKind = (typeof LINK_CHANGE_KINDS)[number];

export const MAIL_KINDS = ["invite", "password", "confirm", "changed", "assigned", "host"] as const;
export type MailKind = (typeof MAIL_KINDS)[number];

/** What is known from the registry of a domain: `absent` has no such domain, `not_available` cannot be asked. */
export const DOMAIN_STATES = ["unasked", "known", "absent", "not_available"] as const;
export type DomainState = (typeof DOMAIN_STATES)[number];

/** Whether an archive has a copy of a page that can be offered. */
export const COPY_STATES = ["found", "nothing_good"] as const;
/** A page that is to be saved in an archive: `ended` where that cannot be done. */
export const SAVE_STATES = ["waiting", "saving", "saved", "ended"] as const;

/** What may be put in the place of a link, the best first. */
export const SUGGESTION_KINDS = ["moved", "pattern", "same_title", "variant", "archive"] as const;
export type SuggestionKind = (typeof SUGGESTION_KINDS)[number];

/** `safe`: it is the same address in another form. `copy`: it is a copy of the page, not the page. */
export const CONFIDENCES = ["safe", "likely", "copy"] as const;
export type Confidence = (typeof CONFIDENCES)[number];

/** Whether a page is the remembered one; `unknown` where nothing is remembered that could be compared. */
export const PAGE_MATCHES = ["yes", "no", "unknown"] as const;
export type PageMatch = (typeof PAGE_MATCHES)[number];

/** How far a replacement of many links has come: its new URLs are checked, and then it is carried out. */
export const REPLACEMENT_STATES = ["checking", "ready", "applying", "applied", "expired"] as const;
export type ReplacementState = (typeof REPLACEMENT_STATES)[number];

/** Where a new URL is from: the rule of a replacement of many links, or a suggestion. */
export const REPLACEMENT_KINDS = ["rule", ...SUGGESTION_KINDS] as const;
export type ReplacementKind = (typeof REPLACEMENT_KINDS)[number];

/**
 * What became of a link that was to be replaced: `stored` where its sources have it, `merged` where another link has its
 * new URL, `skipped` where there was nothing to do.
 */
export const REPLACEMENT_RESULTS = ["replaced", "stored", "merged", "skipped", "failed"] as const;
export type ReplacementResult = (typeof REPLACEMENT_RESULTS)[number];

/** How the search for suggestions stands. `not_asked`: the archive was not, since the URL may be private. */
export const LOOKUP_STATES = [
  "waiting",
  "looking",
  "done",
  "nothing_good",
  "not_asked",
  "unavailable",
] as const;
export type LookupState = (typeof LOOKUP_STATES)[number];

/** The kinds of work that nodes share. */
export const WORKS = ["checks", "deliveries"] as const;
export type Work = (typeof WORKS)[number];
/** How a list of links may be sorted; a minus reverses it. */
export const LINK_SORTS = [
  "-created_at",
  "created_at",
  "-status_changed_at",
  "status_changed_at",
  "url",
  "-url",
  "dead_first",
] as const;
export type LinkSort = (typeof LINK_SORTS)[number];

export const GROUP_SORTS = ["-created_at", "name", "-dead", "-links"] as const;
export type GroupSort = (typeof GROUP_SORTS)[number];

/** As links are shown: one that is being checked has no verdict of its own until it ends. */
export const LINK_STATUSES = [...VERDICTS, "checking"] as const;
export type LinkStatus = (typeof LINK_STATUSES)[number];
