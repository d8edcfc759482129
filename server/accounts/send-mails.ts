import { and, desc, eq, isNotNull, min, type SQL, sql } from "drizzle-orm";
import {
  accounts,
  hostSettings,
  identities,
  linkDetails,
  links,
  mailAddresses,
  mails,
  users,
  webhooks,
} from "../db/tables.ts";
import { createWakeSignal } from "../lib/clock.ts";
import { log, logFailure } from "../lib/log.ts";
import { type MailContent, renderMail } from "../mail/layout.ts";
import { mailPath, ofAccount, unsubscribeHeaders } from "../mail/links.ts";
import type { MailOutcome } from "../mail/server.ts";
import type { Deps } from "../work/deps.ts";
import { newLease } from "../work/nodes.ts";
import { createLookWhenNeeded, NEVER_DUE } from "../work/when-needed.ts";
import { hasRefusedMail, hearsOfLinks, isStranger, type MailData } from "./mails.ts";
import { createPasswordLink } from "./users.ts";

const POLL_MS = 1000;
const LEASE_MS = 60_000;
/** Waits after failed attempts; then the mail is given up. */
const RETRY_MS = [60, 300, 1800, 7200, 18_000].map((seconds) => seconds * 1000);

type MailRow = typeof mails.$inferSelect;

/** Sends mail to people until it is stopped. */
export function createMailSender(deps: Deps): { wake(): void; stop(): Promise<void> } {
  const aborting = new AbortController();
  const wakeSignal = createWakeSignal(deps.clock);
  const lookWhenNeeded = createLookWhenNeeded(deps);

  async function run() {
    while (!aborting.signal.aborted) {
      const look = () => sendDue(deps, aborting.signal);
      await lookWhenNeeded(look).catch(logFailure("failed to send mail to people"));
      await wakeSignal.wait(POLL_MS);
    }
  }

  const loop = run();
  return {
    wake: wakeSignal.wake,
    async stop() {
      aborting.abort();
      wakeSignal.wake();
      await loop;
    },
  };
}

/** Sends what is due once. Returns when a mail is due next; null if there may be more now. */
export async function sendDue(deps: Deps, signal?: AbortSignal): Promise<number | null> {
  const { mail, troubles } = deps;
  if (!mail || troubles.stoppingWrites()) return null;
  const claimed = await claim(deps, mail.free());
  await Promise.all(claimed.map((each) => sendOne(deps, each, signal)));
  return claimed.length > 0 ? null : nextDueAt(deps);
}

async function nextDueAt({ store, clock }: Deps): Promise<number | null> {
  const [next] = await store.select({ at: min(mails.dueAt) }).from(mails);
  const at = next?.at == null ? NEVER_DUE : Number(next.at);
  // Due already: the mail server is not ready.
  return at > clock.now() ? at : null;
}

async function claim({ store, clock, nodes }: Deps, most: number): Promise<MailRow[]> {
  if (most <= 0) return [];
  const now = clock.now();
  return (
    store
      .update(mails)
      .set({ lease: newLease(nodes), dueAt: now + LEASE_MS, attempts: sql`${mails.attempts} + 1` })
      // Of two nodes that choose the same rows, the second finds them not due any more.
      .where(
        and(
          sql`id in ${fairlyChosen(now, Math.min(most, MOST_AT_ONCE))}`,
          sql`${mails.dueAt} + 0 <= ${now}`,
        ),
      )
      .returning()
  );
}

const MOST_AT_ONCE = 10;
const DAY_MS = 86_400_000;

/**
 * Selects ids of mails that are due, so that accounts take turns: first come those of accounts that had the fewest
 * mails sent of what they queued within a day. What no account sends counts as that of one.
 */
const fairlyChosen = (now: number, most: number): SQL => sql`(
  with served as (
    select coalesce(account_id, '') as owner, count(*) as mails from mails
    where created_at > ${now - DAY_MS} and (due_at is null or lease is not null)
    group by coalesce(account_id, '')
  ), due as (
    select id, due_at, coalesce(account_id, '') as owner,
      row_number() over (partition by coalesce(account_id, '') order by due_at, id) as turn
    from mails where due_at <= ${now}
  ), chosen as materialized (
    select due.id from due left join served on served.owner = due.owner
    order by coalesce(served.mails, 0) + due.turn, due.due_at, due.id limit ${most}
  ) select id from chosen)`;

async function sendOne(deps: Deps, row: MailRow, signal?: AbortSignal): Promise<void> {
  const content = await deps.store.transaction((tx) => compose({ ...deps, store: tx }, row));
  // There is no such user, or no more: nothing is to be said.
  if (content === null) return settle(deps, row, END);
  const mail = {
    kind: row.kind,
    id: row.id,
    to: row.address,
    fromName: "Stillup",
    at: row.createdAt,
    ...renderMail(content),
    ...(content.unsubscribeUrl && { headers: unsubscribeHeaders(content.unsubscribeUrl) }),
  };
  const sent = await deps.mail!.send(mail, signal);
  if (sent.kind === "aborted") return;
  log.info("mail sent", { mail: row.id, kind: row.kind, outcome: outcomeOf(sent) });
  await settle(deps, row, columnsAfter(deps, row, sent));
  if (row.kind === "confirm" && sent.kind === "replied") await showReply(deps, row, sent);
}

/** A webhook whose recipient could not even be asked shows what the mail server replied. */
async function showReply({ store }: Deps, row: MailRow, { code, what }: MailReply): Promise<void> {
  const { webhookId }: MailData["confirm"] = JSON.parse(row.data);
  const isWaiting = and(
    eq(webhooks.id, webhookId),
    eq(webhooks.accountId, row.accountId ?? ""),
    eq(webhooks.disabledReason, "unconfirmed"),
  );
  const lastStatusCode = what === "sent" ? null : code;
  await store.update(webhooks).set({ lastStatusCode }).where(isWaiting);
}

type MailReply = MailOutcome & { kind: "replied" };

const outcomeOf = (sent: MailOutcome) => (sent.kind === "replied" ? sent.what : sent.kind);

type Columns = Partial<MailRow>;

const END: Columns = { status: "dropped", dueAt: null };

/** Ends this node's claim, unless another node has claimed the mail since. */
async function settle({ store, clock }: Deps, row: MailRow, columns: Columns): Promise<void> {
  const completedAt = columns.dueAt === null ? clock.now() : null;
  await store
    .update(mails)
    .set({ ...columns, lease: null, completedAt })
    .where(and(eq(mails.id, row.id), eq(mails.lease, row.lease ?? "")));
}

function columnsAfter({ clock, mail }: Deps, row: MailRow, sent: MailOutcome): Columns {
  const now = clock.now();
  if (sent.kind === "server") {
    // Not the fault of the mail: the attempt does not count.
    const dueAt = now + Math.max(mail!.state().restMs, POLL_MS);
    return { attempts: row.attempts - 1, dueAt, lastError: "server" };
  }
  const retryMs = RETRY_MS[row.attempts - 1];
  const later = retryMs === undefined ? null : now + retryMs;
  if (sent.kind !== "replied") return { ...failedAt(later), lastError: "timeout" };
  const reply = { lastStatusCode: sent.code, lastError: sent.what === "sent" ? null : sent.what };
  if (sent.what === "sent") return { ...reply, status: "sent", dueAt: null };
  return { ...reply, ...failedAt(sent.what === "later" ? later : null) };
}

const failedAt = (dueAt: number | null): Columns => ({
  status: dueAt === null ? "failed" : "pending",
  dueAt,
});

/**
 * Composes a mail with a new token, whose hash is stored here, in the transaction that holds the claim: a repetition
 * makes the token before it invalid. Returns null if there is no one to write to.
 */
async function compose(deps: Deps, row: MailRow): Promise<MailContent | null> {
  const { store } = deps;
  const isOurs = and(eq(mails.id, row.id), eq(mails.lease, row.lease ?? ""));
  if ((await store.$count(mails, isOurs)) === 0) return null;
  const data = JSON.parse(row.data);
  const isKnown = data.wasProven === true || !(await isStranger(store, row));
  if (isKnown) return contentOf(deps, row, data);
  // They may have refused since it was queued.
  if (await hasRefusedMail(store, row)) return null;
  const content = await contentOf(deps, row, data);
  return content && withRefusal(deps, row, content);
}

/** A person who is not known to read the address can refuse all mail of the account. */
function withRefusal(deps: Deps, { accountId, address }: MailRow, content: MailContent) {
  if (accountId === null) return content;
  const path = mailPath(deps, "unsubscribe", ofAccount(accountId, address));
  return {
    ...content,
    unsubscribeUrl: page(deps, path),
    unsubscribeText: "Refuse all mail of this account",
  };
}

async function contentOf(
  deps: Deps,
  row: MailRow,
  // biome-ignore lint/suspicious/noExplicitAny: it has the shape of its kind, since we wrote it.
  data: any,
): Promise<MailContent | null> {
  const { store } = deps;
  if (row.kind === "confirm") return confirmation(deps, row, data);
  const [user] = await store
    .select()
    .from(users)
    .where(eq(users.id, row.userId ?? ""));
  // A change of the address itself is reported to the address before it.
  if (user && row.kind === "changed") return news(deps, row, data);
  if (!user || (user.invitedEmail ?? user.email) !== row.address) return null;
  if (row.kind === "invite") return invitation(deps, row, data);
  if (row.kind === "assigned") return assigned(deps, row, data);
  if (row.kind === "host") return refusal(deps, row, data);
  // A later version next to this one may have queued it.
  if (row.kind !== "password") return null;
  const isLinked = (await store.$count(identities, eq(identities.userId, user.id))) > 0;
  if (user.passwordHash === null && isLinked) return withoutPassword(deps, row);
  return passwordLink(deps, row, data);
}

const page = ({ config }: Deps, path: string) => `${config.publicUrl}${path}`;
const hostOf = ({ config }: Deps) => new URL(config.publicUrl!).host;

async function invitation(
  deps: Deps,
  row: MailRow,
  { by, isTaken }: MailData["invite"],
): Promise<MailContent> {
  const subject = `Invitation to Stillup on ${hostOf(deps)}`;
  const footer = [`You get this message because ${by} entered your address.`];
  if (isTaken) {
    return {
      ...{ subject, heading: "You are invited to another account" },
      paragraphs: [
        `${by} has invited ${row.address} to their account on ${hostOf(deps)}. Your address belongs to a user of another account there, and one address can be in one account only. Ask them to invite you with another address.`,
      ],
      footer,
    };
  }
  const token = await createPasswordLink(deps, row.userId!, "invite");
  return {
    ...{ subject, heading: "You are invited to Stillup" },
    paragraphs: [
      `${by} has invited you to their account on ${hostOf(deps)}. Create a password to join.`,
      "The link works once, within 7 days.",
    ],
    button: { text: "Create password", url: page(deps, `/invitation#token=${token}`) },
    footer,
  };
}

async function passwordLink(
  deps: Deps,
  row: MailRow,
  { by }: MailData["password"],
): Promise<MailContent> {
  const token = await createPasswordLink(deps, row.userId!, "password");
  return {
    ...{ subject: `New password on ${hostOf(deps)}`, heading: "Set a new password" },
    paragraphs: [
      by === null
        ? `Someone, probably you, asked for a new password for ${row.address}.`
        : `${by} has created a link for a new password for ${row.address}.`,
      "The link works once, within 30 minutes. It signs you out everywhere else.",
    ],
    button: { text: "Set a new password", url: page(deps, `/password#token=${token}`) },
    footer: ["If you did not ask for this, ignore the message: your password stays as it is."],
  };
}

const withoutPassword = (deps: Deps, row: MailRow): MailContent => ({
  ...{ subject: `New password on ${hostOf(deps)}`, heading: "You sign in without a password" },
  paragraphs: [
    `Someone, probably you, asked for a new password for ${row.address}. You have none: you sign in by single sign-on.`,
  ],
  button: { text: "Sign in", url: page(deps, "/sign-in") },
  footer: ["If you did not ask for this, ignore the message."],
});

const CHANGES: Record<MailData["changed"]["what"], string> = {
  password: "Your password was changed",
  two_factor_on: "Two-factor sign-in is on",
  two_factor_off: "Two-factor sign-in is off",
  identity_linked: "Single sign-on was linked",
  identity_unlinked: "Single sign-on was unlinked",
  email: "The e-mail address of your user was changed",
};

/** These end all other sessions. */
const ENDING: MailData["changed"]["what"][] = ["password", "two_factor_on", "two_factor_off"];

const news = (deps: Deps, row: MailRow, { what }: MailData["changed"]): MailContent => ({
  ...{ subject: `${CHANGES[what]} on ${hostOf(deps)}`, heading: CHANGES[what] },
  paragraphs: [
    `This is about ${row.address} on ${hostOf(deps)}.${ENDING.includes(what) ? " All other sessions have ended." : ""}`,
    "If this was not you, ask an owner of your account for a new password link at once.",
  ],
  button: { text: "Open Stillup", url: page(deps, "/settings/sessions") },
  footer: ["Such messages cannot be turned off."],
});

const NAMED = 10;

/** Null if none of them is assigned to the person any more, or if they do not want to hear of it any more. */
async function assigned(
  deps: Deps,
  row: MailRow,
  { count, by }: MailData["assigned"],
): Promise<MailContent | null> {
  const { store } = deps;
  if ((await store.$count(users, and(eq(users.id, row.userId!), hearsOfLinks))) === 0) return null;
  const isTheirs = eq(linkDetails.assigneeId, row.userId!);
  const total = await store.$count(linkDetails, isTheirs);
  if (total === 0) return null;
  const first = await store
    .select({ url: links.url, status: links.status, title: linkDetails.title })
    .from(linkDetails)
    .innerJoin(links, eq(links.no, linkDetails.linkNo))
    .where(isTheirs)
    .orderBy(
      sql`case ${links.status} when 'dead' then 0 when 'unknown' then 1 else 2 end`,
      desc(links.no),
    )
    .limit(NAMED);
  const were = count === 1 ? "1 link was" : `${count} links were`;
  const others = total - first.length;
  return {
    ...{
      subject: `${were} assigned to you on ${hostOf(deps)}`,
      heading: `${were} assigned to you`,
    },
    paragraphs: [`By ${by.join(", ")}. Assigned to you are now:`],
    list: first.map(({ url, status, title }) => ({
      text: title ? `${title}, ${url}` : url,
      detail: STATUS_WORDS[status],
    })),
    ...(others > 0 && { closing: [`And ${others} more.`] }),
    button: { text: "Show your links", url: page(deps, "/links?assignee=me") },
    footer: ["You get this message at most once an hour. You can turn it off under “Alerts”."],
  };
}

const STATUS_WORDS = { active: "alive", dead: "dead", unknown: "unknown" } as const;

/** Null once the host accepts what is sent to it. */
async function refusal(
  deps: Deps,
  row: MailRow,
  { settingId }: MailData["host"],
): Promise<MailContent | null> {
  const isFailing = and(eq(hostSettings.id, settingId), isNotNull(hostSettings.failingSince));
  const [setting] = await deps.store.select().from(hostSettings).where(isFailing);
  if (!setting || setting.accountId !== row.accountId) return null;
  const { host } = setting;
  return {
    subject: `${host} refuses the credentials of your checks`,
    heading: `${host} refuses the credentials of your checks`,
    paragraphs: [
      `Checks of links at ${host} send what is set for it, and it does not accept that any more. These links are unknown, and none of them dies, until it does.`,
      "Set new values for the host, or delete the setting if the links work without it.",
    ],
    button: { text: "Open the hosts", url: page(deps, "/settings/hosts") },
    footer: [
      `You get this message because you can change the settings for hosts on ${hostOf(deps)}.`,
    ],
  };
}

async function confirmation(
  deps: Deps,
  row: MailRow,
  { webhookId, name, by }: MailData["confirm"],
): Promise<MailContent | null> {
  const { store } = deps;
  const [account] = await store
    .select()
    .from(accounts)
    .where(eq(accounts.id, row.accountId ?? ""));
  if (!account) return null;
  const { id: accountId } = account;
  const isAddress = and(
    eq(mailAddresses.accountId, accountId),
    eq(mailAddresses.address, row.address),
  );
  const [known] = await store.select().from(mailAddresses).where(isAddress);
  const link = { accountId, webhookId, address: row.address, n: known?.n ?? 0 };
  const alert = name ? `the alert “${name}”` : "alerts";
  return {
    ...{ subject: `Confirm alerts from ${hostOf(deps)}`, heading: "Do you want these alerts?" },
    paragraphs: [
      `${by} wants to send ${alert} of the account ${account.email} to ${row.address}. Stillup watches links, and its alerts say which ones are dead.`,
      "Confirm within 7 days. Without that you will get nothing else.",
    ],
    button: { text: "Confirm", url: page(deps, mailPath(deps, "confirm", link)) },
    footer: ["If you did not expect this, ignore the message."],
  };
}
