import { counted } from "../data/format.ts";
import type { Entry } from "./queries.ts";

/** The words before the name of the target. */
type Words = string | ((entry: Entry) => string);

/** "added", or "added 12 links" without a target. */
const some =
  (words: string, one: string): Words =>
  ({ count, target }) =>
    target ? words : `${words} ${counted(count, one)}`;

/** Omits the name of the target if it is the actor. */
const own =
  (alone: string, ofOther: string): Words =>
  (entry) =>
    isOwn(entry) ? alone : ofOther;

/** Whether the actor is the target. */
export const isOwn = ({ actor, target }: Entry) => actor.id !== null && actor.id === target?.id;

/** The name of each action as a filter, and its words in an entry. */
const KNOWN: Record<string, [choice: string, words: Words]> = {
  "link.created": ["Links added", some("added", "link")],
  "link.changed": ["Links changed", some("changed", "link")],
  "link.moved": ["Links moved", ({ count }) => `moved ${counted(count, "link")} into the group`],
  "link.acknowledged": ["Links acknowledged", some("acknowledged", "link")],
  "link.muted": ["Links muted", some("muted", "link")],
  "link.reopened": ["Links reopened", some("reopened", "link")],
  "link.assigned": ["Links assigned", some("assigned", "link")],
  "link.tagged": ["Links tagged", some("tagged", "link")],
  "link.override_set": ["Links overridden", some("overrode", "link")],
  "link.override_ended": ["Overrides ended", some("ended the override of", "link")],
  "link.page_accepted": ["Pages accepted", some("accepted the page of", "link")],
  "link.url_changed": ["URLs changed", some("changed the URL of", "link")],
  "link.replaced": ["Links replaced", some("replaced", "link")],
  "link.deleted": ["Links deleted", some("deleted", "link")],
  "replacement.applied": ["Replacements applied", some("replaced", "link")],
  "group.created": ["Groups created", "created the group"],
  "group.changed": ["Groups changed", "changed the group"],
  "site.changed": ["Sites muted", "changed the muting of the site"],
  "group.deleted": ["Groups deleted", "deleted the group"],
  "tag.changed": ["Tags renamed", "renamed the tag"],
  "tag.deleted": ["Tags deleted", "deleted the tag"],
  "view.shared": ["Views shared", "shared the view"],
  "webhook.created": ["Alerts created", "created the alert"],
  "webhook.changed": ["Alerts changed", "changed the alert"],
  "webhook.deleted": ["Alerts deleted", "deleted the alert"],
  "webhook.secret_rotated": [
    "Signing secrets replaced",
    "replaced the signing secret of the alert",
  ],
  "webhook.tested": ["Test messages sent", "sent a test message to"],
  "delivery.sent_again": [
    "Messages resent",
    ({ count }) => (count === 1 ? "resent a message to" : `resent ${count} messages to`),
  ],
  "source.created": ["Sources added", "added the source"],
  "source.changed": ["Sources changed", "changed the source"],
  "source.deleted": ["Sources deleted", "deleted the source"],
  "source.run_asked": ["Runs requested", "requested a run of the source"],
  "source.cancelled": ["Runs cancelled", "cancelled a run of the source"],
  "source.synced": ["Sources read", own("was read", "read the source")],
  "host_setting.created": ["Host settings created", "created the setting for"],
  "host_setting.changed": ["Host settings changed", "changed the setting for"],
  "host_setting.deleted": ["Host settings deleted", "deleted the setting for"],
  "pattern.deleted": ["Patterns deleted", "deleted the pattern"],
  "archive.setting_changed": ["Use of archives changed", "changed the use of archives by"],
  "key.created": ["API keys created", "created the API key"],
  "key.changed": ["API keys changed", "changed the API key"],
  "key.rotated": ["API keys rotated", "rotated the API key"],
  "key.revoked": ["API keys revoked", "revoked the API key"],
  "person.signed_in": ["Sign-ins", "signed in"],
  "person.sign_in_failed": [
    "Failed sign-ins",
    ({ count }) => (count === 1 ? "failed to sign in as" : `failed ${count} times to sign in as`),
  ],
  "person.joined": ["People joined", "joined by single sign-on"],
  "person.identity_linked": [
    "Single sign-on linked",
    own("linked single sign-on", "linked single sign-on for"),
  ],
  "person.identity_unlinked": [
    "Single sign-on unlinked",
    own("unlinked single sign-on", "unlinked single sign-on for"),
  ],
  "person.role_synced": ["Roles by provider", "got another role from the provider's groups"],
  "person.role_kept": ["Roles kept", "kept their role, as the last owner or administrator"],
  "person.email_changed": ["E-mail addresses", "got a new e-mail address from the provider"],
  "person.signed_out": ["Sign-outs", "signed out"],
  "person.sessions_ended": ["Sessions ended", ({ count }) => `ended ${counted(count, "session")}`],
  "person.password_changed": ["Passwords set", own("set a new password", "set a new password of")],
  "person.password_link_made": ["Password links created", "created a password link for"],
  "person.two_factor_begun": ["Two-factor started", "started to set up two-factor sign-in"],
  "person.two_factor_on": ["Two-factor turned on", "turned two-factor sign-in on"],
  "person.two_factor_off": [
    "Two-factor turned off",
    own("turned two-factor sign-in off", "turned two-factor sign-in off for"),
  ],
  "person.recovery_codes_made": ["Recovery codes created", "created new recovery codes"],
  "person.invited": ["People invited", "invited"],
  "person.changed": ["Access changed", "changed the access of"],
  "person.removed": ["People removed", "removed"],
  "account.created": ["Accounts created", "created the account"],
  "account.changed": ["Accounts changed", "changed the account"],
  "account.deleted": ["Accounts deleted", "deleted the account"],
  "backup.made": ["Backups created", "created the backup"],
  "backup.downloaded": ["Backups downloaded", "downloaded the backup"],
  "backup.deleted": ["Backups deleted", "deleted the backup"],
  "backup.restored": ["Backups restored", "restored the backup"],
};

/** The actions to filter by. */
export const ACTIONS = Object.entries(KNOWN).map(([value, [label]]) => ({ value, label }));

/** Actions of a newer server are shown by name. */
export function wordsOf(entry: Entry): string {
  const words = KNOWN[entry.action]?.[1] ?? entry.action.replace(/[._]/g, " ");
  return typeof words === "string" ? words : words(entry);
}
