/**
 * Where every route of the program stands: who may use it. The paths of rooms stand without their door,
 * since both doors lead to them.
 */
export type Kind =
  | "open"
  | "stranger"
  | "own"
  | "read"
  | "write"
  | "members"
  | "owners"
  | "administrators";

const lines = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => line.trim());

/** Behind both doors. */
export const ROOMS: Record<"read" | "write", string[]> = {
  read: lines(`
    GET /account
    GET /usage
    GET /keys
    GET /keys/:id
    GET /links
    GET /links/:id
    GET /links/:id/history
    GET /links/:id/runs
    GET /links/:id/raw
    GET /links/:id/events
    GET /links/:id/stats
    GET /links/:id/timeline
    GET /links/:id/suggestions
    GET /tags
    GET /views
    GET /links/export
    GET /batches/:id
    GET /groups
    GET /groups/none
    GET /groups/:id
    GET /groups/:id/links
    GET /history
    GET /history/stats
    GET /history/series
    GET /history/export
    GET /webhooks
    GET /webhooks/:id
    POST /webhooks/matches
    POST /links/verdicts
    POST /links/suggestions
    GET /webhooks/deliveries
    GET /webhooks/deliveries/days
    GET /webhooks/:id/deliveries
    GET /webhooks/:id/deliveries/:delivery_id
    GET /imports
    GET /imports/:id
    GET /imports/:id/items
    GET /sources
    GET /sources/:id
    GET /sources/:id/runs
    GET /sources/:id/runs/:run_id
    GET /sources/:id/pages
    GET /sources/:id/pages/:page_id
    GET /links/:id/occurrences
    GET /exports/occurrences
    GET /exports/replacements
    GET /replacements
    GET /replacements/:id
    GET /host-settings
    GET /host-settings/:id
    GET /patterns
    GET /services
    GET /overview
    GET /overview/services
    GET /overview/series
    GET /overview/upcoming
    GET /attention
    GET /domains
    GET /sites
    GET /sites/:site
    GET /changes
    GET /audit
  `),
  write: lines(`
    POST /keys
    PATCH /keys/:id
    DELETE /keys/:id
    POST /keys/:id/rotate
    POST /links
    PATCH /links/:id
    DELETE /links/:id
    POST /links/:id/check
    POST /imports
    POST /imports/:id/start
    POST /imports/:id/stop
    POST /imports/:id/undo
    DELETE /imports/:id
    POST /sources
    POST /sources/preview
    PATCH /sources/:id
    DELETE /sources/:id
    POST /sources/:id/run
    POST /sources/:id/cancel
    POST /sources/:id/items
    POST /sources/:id/items/delete
    POST /links/:id/identity
    POST /links/:id/override
    POST /links/:id/try
    POST /links/:id/suggestions
    DELETE /links/:id/override
    POST /links/:id/url
    POST /links/:id/replace
    DELETE /links/:id/replace
    POST /replacements
    POST /replacements/:id/apply
    DELETE /replacements/:id
    POST /links/upsert
    PATCH /tags/:tag
    DELETE /tags/:tag
    POST /views
    PATCH /views/:id
    DELETE /views/:id
    POST /links/batch
    DELETE /links/batch
    POST /links/preview
    POST /links/batch-delete
    POST /links/batch-change
    POST /links/batch-accept
    POST /links/check
    POST /groups
    PATCH /groups/:id
    DELETE /groups/:id
    PATCH /sites/:site
    DELETE /patterns/:id
    POST /groups/:id/links
    POST /webhooks
    PATCH /webhooks/:id
    DELETE /webhooks/:id
    POST /webhooks/:id/rotate-secret
    POST /webhooks/:id/test
    POST /webhooks/:id/summary
    POST /webhooks/:id/confirm
    POST /webhooks/:id/deliveries/:delivery_id/redeliver
    POST /webhooks/:id/redeliver-failed
    POST /host-settings
    PATCH /host-settings/:id
    DELETE /host-settings/:id
  `),
};

/** Behind the session door only. */
export const DASHBOARD: Record<
  "stranger" | "own" | "members" | "owners" | "administrators",
  string[]
> = {
  stranger: lines(`
      GET /session
      POST /session
      DELETE /session
      POST /setup
      POST /password
      POST /password-mail
      POST /session/oidc
      GET /mail/:purpose/:token
      POST /mail/confirm/:token
      POST /mail/unsubscribe/:token
    `),
  own: lines(`
      PATCH /session/password
      POST /visit
      GET /sessions
      DELETE /sessions
      DELETE /sessions/:id
      DELETE /session/failed-sign-ins
      GET /session/two-factor
      POST /session/two-factor
      POST /session/two-factor/confirm
      DELETE /session/two-factor
      POST /session/recovery-codes
      GET /session/identities
      DELETE /session/identities/:id
      GET /mail/me
      POST /mail/me
    `),
  members: lines(`
      GET /people
      GET /live
      GET /mail/preview/:id
    `),
  owners: lines(`
      POST /people
      PATCH /people/:id
      DELETE /people/:id
      POST /people/:id/password-link
      PATCH /account
      DELETE /account
    `),
  administrators: lines(`
      GET /admin/state
      GET /admin/nodes
      GET /admin/mail
      POST /admin/mail/test
      GET /admin/oidc
      POST /admin/oidc/check
      GET /admin/audit
      GET /admin/backups
      POST /admin/backups
      GET /admin/backups/:name
      DELETE /admin/backups/:name
      GET /admin/accounts
      POST /admin/accounts
      PATCH /admin/accounts/:id
      DELETE /admin/accounts/:id
      POST /admin/accounts/:id/users
      PATCH /admin/users/:id
      DELETE /admin/users/:id
      POST /admin/users/:id/password-link
    `),
};

/** For keys only, behind their door. */
export const FOR_KEYS = lines(`
  POST /mcp
`);

/** Behind no door: nothing of anybody, and the metrics only for who has their token. */
export const OPEN = lines(`
  GET /health
  GET /ready
  GET /metrics
  GET /openapi.json
  GET /docs
  GET /docs/reference.css
  GET /docs/reference.js
  POST /mail/unsubscribe/:token
  GET /oidc/start
  GET /oidc/callback
`);
