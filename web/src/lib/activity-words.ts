import type { Entry } from "./activity.ts";
import { counted } from "./format.ts";

/** The words before and after the name of the target. */
export type Deed = { words: string; after?: string };

type Words = (entry: Entry) => Deed;

const just =
  (words: string, after?: string): Words =>
  () => ({ words, ...(after && { after }) });

/** "added", or "added 12 links" without a target. */
const some =
  (words: string, one: string, after?: string): Words =>
  ({ count, target }) => {
    const named = target ? words : `${words} ${counted(count, one)}`;
    return { words: named, ...(after && { after }) };
  };

/** Omits the name of the target if it is the actor. */
const own =
  (alone: string, ofOther: string): Words =>
  (entry) => ({ words: isOwn(entry) ? alone : ofOther });

/** Whether the actor is the target. */
export const isOwn = ({ actor, target }: Entry) => actor.id !== null && actor.id === target?.id;

const DEEDS: Record<string, Words> = {
  "account.created": just("created the account"),
  "account.changed": just("changed the account"),
  "account.deleted": just("deleted the account"),
  "person.invited": just("invited"),
  "person.changed": just("changed what", "may do"),
  "person.removed": just("removed"),
  "person.password_link_made": just("created a password link for"),
  "person.signed_in": just("signed in"),
  "person.sign_in_failed": ({ count }) => ({
    words: count === 1 ? "failed to sign in as" : `failed ${count} times to sign in as`,
  }),
  "person.signed_out": just("signed out"),
  "person.password_changed": own("set a new password", "set a new password of"),
  "person.two_factor_begun": just("began to set up two-factor sign-in"),
  "person.two_factor_on": just("turned two-factor sign-in on"),
  "person.two_factor_off": own(
    "turned two-factor sign-in off",
    "turned two-factor sign-in off for",
  ),
  "person.recovery_codes_made": just("created new recovery codes"),
  "person.sessions_ended": ({ count }) => ({ words: `ended ${counted(count, "session")}` }),
  "key.created": just("created the API key"),
  "key.changed": just("changed the API key"),
  "key.rotated": just("gave a new value to the API key"),
  "key.revoked": just("revoked the API key"),
  "link.created": some("added", "link"),
  "link.changed": some("changed", "link"),
  "link.moved": ({ count }) => ({ words: `moved ${counted(count, "link")} into the group` }),
  "link.deleted": some("deleted", "link"),
  "group.created": just("created the group"),
  "group.changed": just("changed the group"),
  "group.deleted": just("deleted the group"),
  "webhook.created": just("created the webhook to"),
  "webhook.changed": just("changed the webhook to"),
  "webhook.deleted": just("deleted the webhook to"),
  "webhook.secret_rotated": just("gave a new secret to the webhook to"),
  "webhook.tested": just("sent a test to"),
  "delivery.sent_again": ({ count }) => ({
    words: count === 1 ? "sent a delivery again to" : `sent ${count} deliveries again to`,
  }),
  "backup.made": just("created the backup"),
  "backup.downloaded": just("downloaded the backup"),
  "backup.deleted": just("deleted the backup"),
  "backup.restored": just("restored the backup"),
};

/** Actions of a newer server are shown by name. */
export const deedOf = (entry: Entry): Deed =>
  DEEDS[entry.action]?.(entry) ?? { words: entry.action.replace(/[._]/g, " ") };

const FIELDS: Record<string, string> = {
  group_id: "group",
  is_active: "on or off",
  is_admin: "administration",
  expires_at: "expiry",
  url: "URL",
};

/** "group, check frequency" */
export const fieldWords = (fields: string[]) =>
  fields.map((name) => FIELDS[name] ?? name.replaceAll("_", " ")).join(", ");

const CHOICES: [action: string, name: string][] = [
  ["link.created", "Links added"],
  ["link.changed", "Links changed"],
  ["link.moved", "Links moved"],
  ["link.deleted", "Links deleted"],
  ["group.created", "Groups created"],
  ["group.changed", "Groups changed"],
  ["group.deleted", "Groups deleted"],
  ["webhook.created", "Webhooks created"],
  ["webhook.changed", "Webhooks changed"],
  ["webhook.deleted", "Webhooks deleted"],
  ["webhook.secret_rotated", "Webhook secrets changed"],
  ["webhook.tested", "Webhooks tested"],
  ["delivery.sent_again", "Deliveries sent again"],
  ["key.created", "API keys created"],
  ["key.changed", "API keys changed"],
  ["key.rotated", "API keys given a new value"],
  ["key.revoked", "API keys revoked"],
  ["person.signed_in", "Sign-ins"],
  ["person.sign_in_failed", "Failed sign-ins"],
  ["person.signed_out", "Sign-outs"],
  ["person.sessions_ended", "Sessions ended"],
  ["person.password_changed", "Passwords set"],
  ["person.password_link_made", "Password links created"],
  ["person.two_factor_begun", "Two-factor begun"],
  ["person.two_factor_on", "Two-factor turned on"],
  ["person.two_factor_off", "Two-factor turned off"],
  ["person.recovery_codes_made", "Recovery codes created"],
  ["person.invited", "People invited"],
  ["person.changed", "People's rights changed"],
  ["person.removed", "People removed"],
  ["account.created", "Accounts created"],
  ["account.changed", "Accounts changed"],
  ["account.deleted", "Accounts deleted"],
  ["backup.made", "Backups created"],
  ["backup.downloaded", "Backups downloaded"],
  ["backup.deleted", "Backups deleted"],
  ["backup.restored", "Backups restored"],
];

/** The actions to filter by. */
export const ACTIONS = CHOICES.map(([value, name]) => ({ value, name }));
