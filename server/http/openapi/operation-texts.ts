/** What an operation's summary does not tell, by its id. */
export const OPERATION_TEXTS: Record<string, string> = {
  getUsage:
    "Counts of the calendar month in UTC. They are written every few seconds, so the latest requests may be missing.",
  listAudit:
    "One entry for each request that changed something; `count` says how many links or deliveries it concerned. `fields` are names only. `action` is `<what>.<done>`, and further ones may come. `actor` and `target` in the query are ids. An entry is never changed, and kept for 365 days; those of what is deleted stay, with `exists` false. Asking for a check is no change.",
  createKey:
    "The reply holds the key's value, once. A key cannot give a permission that it lacks. A key that expires cannot create one that expires later or never: without `expires_at` the new key expires when the caller's key does.",
  changeKey:
    "`permissions` is merged member by member. `expires_at: null` removes the expiry. A key cannot change itself, and a key that expires cannot set another's expiry to a later moment than its own, or to none.",
  revokeKey:
    "From now on a request with this key gets 401 `REVOKED_API_KEY`. A key may revoke itself.",
  rotateKey:
    "The key keeps its id and settings and gets a new value; the old one stops working at once. A key may rotate itself, but a key that expires cannot rotate one that expires later or never.",
  listLinks:
    "All filters hold together, in every order. Links of one moment are in the order in which they were made. `checking` hides the settled status until the check is over.",
  createLink:
    "Its first check is due at once; until then its status is `unknown`. A URL that is watched already is 409.",
  createLinks:
    "Each item is judged on its own: good ones are made, bad ones are reported in their place. 201 when at least one link was made, 200 when none was.",
  deleteLinks:
    "Give `link_ids`, each of which is judged on its own, or else `filter`: the newest 1000 links that fit it, as `GET /api/v1/links` would list them. `next` is then where to go on: give it as `before` until it is null. Links that are made meanwhile are left alone. An empty `filter` is all links; one that names an unknown field is refused.",
  changeLinks:
    "`change` has `group_id` (null for no group), `check_frequency` or both. Which links are meant is told as in `POST /api/v1/links/batch-delete`: by `link_ids`, or by `filter` and `before` in steps of 1000. Links that are as wanted already are `unchanged`. A new frequency counts from the last check.",
  previewLinks:
    "Each item is judged exactly as `POST /api/v1/links/batch` would judge it now, but nothing is made. An accepted item shows its `url` as it would be stored. Of a list in several parts, give as `already` how many links the earlier parts would have added, so that the account's limit is judged over all of them.",
  deleteLinksAlias:
    "The same as `POST /api/v1/links/batch-delete`, which is to be preferred: proxies may drop the body of a DELETE.",
  getLink:
    "With `evidence`: what the last check saw, so that anyone can tell why. `last_change` is the check that last changed the status, with its own evidence; null when the status never changed, or the check is no longer kept.",
  listLinkHistory:
    "Checks that changed the link's status carry the `evidence` they saw; of all others it is null. `changed=true` leaves only those.",
  listHistory:
    "`changed=true` leaves only the checks that changed their link's status; together with `status` it needs a `link_id`.",
  listLinkEvents:
    "An event is kept for 30 days, and written down only when a webhook subscribes to it. Each tells how far its deliveries are; of a webhook's URL only the host is told. The id is that of the delivery as well.",
  changeLink: "A link's URL cannot be changed: delete it and make another.",
  checkLink:
    "The link shows `checking` until the check is over. While one runs, no second one is started.",
  checkLinks:
    "Give `link_ids`, each of which is judged on its own, or else `group_id`, `status` or both, or else a `filter` as `GET /api/v1/links` takes it, an empty one being all links: all that fit, however many, those that are made later left out. A check that is under way counts, and is not made twice. The batch tells how far it has come, and `batch.complete` when it is over; without a link to check `batch_id` is null. Of many links, `summary` tells how many are expected.",
  getBatch:
    "Also of the first checks of `POST /api/v1/links/batch`. `checked + skipped = total` once it is complete; links that were deleted before their check are skipped. While links of a large batch still join, `total` is how many are expected. What was not judged within 48 hours counts as unknown.",
  deleteGroup: "Its links are kept and belong to no group.",
  moveLinks: "Each id is judged on its own. A link that is in another group leaves it.",
  exportLinks:
    "Every link that fits, newest first, as `text/csv` after RFC 4180; the first line names the columns and every cell is quoted. `message` is of the last check. A text that a spreadsheet would run as a formula has an apostrophe in front. The reply is sent while it is made: a file that breaks off is not whole.",
  exportHistory: "Every check that fits, newest first, written as `GET /api/v1/links/export` does.",
  getUngrouped: "Together with the groups that is all links.",
  getLinkStats:
    "`uptimePercent` is the share of checks that found the link alive among those that could tell; null when none could.",
  getHistoryStats:
    "Zeros when there are no checks in the time. The average is over answers only. Of a group, hours count whole. What checks came to is kept when they are deleted after their days; of that time, hours count whole too.",
  getHistorySeries:
    "Every bucket that the time touches, in UTC, whole and in order, with zeros where nothing was checked; at most 1000. Without dates the last 168 hours, or the last 90 days.",
  getOverview:
    "Of each list at most ten, with the `total` of all. Links that are being checked count as what they were, and under `checking` once more. `dead` has the latest first, `newInDay` of them died within 24 hours; `recovered` came back within 7 days and are still there. `unknown` counts links by reason, null for those that were never checked; where very many are unknown `isWhole` is false, and only the newest 50,000 were counted. `checker` is about the whole server: links that are due (`backlog`, at most 100000) and how long the first of them has waited. `webhooks.disabled` were switched off by failures (`failing`) or by their receivers (`gone`). At many links some counts may be a few seconds old.",
  getServiceCounts:
    "The ten services with most links, and how many services there are. At many links the counts may be some seconds old.",
  listWebhooks:
    "Callers without the `write` permission see only the host of a `url`; `url_state` says whether it is whole. With `first_verdicts` a webhook gets `link.alive` also for the first verdict about a link.",
  createWebhook:
    "The reply holds the `signing_secret`, once. `events` usually are `link.dead` and `link.alive`. `first_verdicts` (false if you say nothing) adds `link.alive` for links that are first found alive.",
  changeWebhook:
    "`is_active: true` starts a webhook again that was switched off, by you or by failures. A webhook whose `url_state` is `unreadable` needs its `url` again.",
  testWebhook:
    "Sends the first subscribed event with sample data and `test: true` in it, once. 200 whatever the receiver answers; `statusCode` is 0 when it does not. It is logged among the deliveries, is not tried again and counts neither for nor against the webhook.",
  rotateWebhookSecret:
    "The reply holds the new `signing_secret`, once. The old one signs as well for `grace_period_seconds`, a day if you say nothing: messages then carry a signature by each, the new one first. 0 ends it at once. At most two old ones sign beside the new one; `previous_secrets_expire_at` says until when, newest first.",
  listDeliveries:
    "A delivery is kept for 30 days; its id is that of its event, its `message_id` what the receiver gets as `webhook-id`. `pending` and `failed` wait for `next_attempt_at`; `exhausted` ones had their last attempt. `paused` waits until the webhook is switched on again, `expired` waited too long for that. `cancelled`: the webhook does not want the event any more. `digested`: told of by the delivery that `digest_id` names.",
  getDelivery:
    "`request_body` is what is posted, for `standard` webhooks byte for byte. `all_attempts` begins with the oldest. `status_code` is 0 when no answer came, and `error_code` says why. Of an answer the first 16 KiB are kept.",
  redeliver:
    "The same message with a fresh signature, to where the webhook is now. It is sent soon, once however often you ask before that, and changes nothing of the schedule. 409 while an attempt is under way, while a digest still gathers events, or while the webhook is off.",
  redeliverFailed:
    "Queues one more attempt of each delivery created from `since` to `until`, both inclusive, that is `failed`, `exhausted` or `expired`. A date alone means its first millisecond in UTC, as `until` its last. `queued` is how many. 409 while the webhook is off.",
};

/** What a success means, by its status, or by operation and status. */
export const REPLY_TEXTS: Record<string, string> = {
  200: "Done; here is what you asked for.",
  201: "Created.",
  204: "Done; there is nothing to tell.",
  "createLinks.200": "Nothing was created; `results` says why, item by item.",
  "createLinks.201": "At least one link was created; `results` tells of each item.",
};
