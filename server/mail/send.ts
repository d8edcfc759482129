import { and, eq, gt, min, type SQL, sql } from "drizzle-orm";
import { mails } from "../ground/db/tables.ts";
import { log } from "../ground/lib/log.ts";
import type { MailOutcome } from "../ground/net/mail.ts";
import type { Deps } from "../work/deps.ts";
import { isStillDue, leaseFor, NEVER_DUE, startQueue } from "../work/queue.ts";
import { inUnit } from "../work/unit.ts";
import { type MailContent, renderMail } from "./layout.ts";
import { mailPath, ofAccount, unsubscribeHeaders } from "./links.ts";
import { hasRefusedMail, isStranger, KINDS, type MailRow } from "./queue.ts";

const LEASE_MS = 60_000;
/** Waits after failed attempts; then the mail is given up. */
const RETRY_MS = [60, 300, 1800, 7200, 18_000].map((seconds) => seconds * 1000);
/** A mail that the server could not take waits at least so long. */
const REST_MS = 1000;

/** What mails say, and who learns what became of them. */
export type Contents = {
  /** In the transaction that holds the claim. Null if there is no one to write to. */
  contentOf(deps: Deps, row: MailRow): Promise<MailContent | null>;
  /** Gets the reply of the mail server. */
  replied(deps: Deps, row: MailRow, reply: MailReply): Promise<void>;
};

export type MailReply = MailOutcome & { kind: "replied" };

/** Sends mail to people until it is stopped. */
export function createMailSender(
  deps: Deps,
  contents: Contents,
): { wake(): void; stop(): Promise<void> } {
  const ending = new AbortController();
  const { signal } = ending;
  const { wake, ended } = startQueue(deps, signal, {
    rows: "mails",
    prepare: async () => (deps.mail && !deps.troubles.stoppingWrites() ? "ready" : "paused"),
    claim: () => sendDue(deps, contents, signal),
    limitWaits: () => limitWaits(deps),
  });
  return {
    wake,
    async stop() {
      ending.abort();
      await ended;
    },
  };
}

/** Sends what is due once. Returns when a mail is due next; null if there may be more now. */
export async function sendDue(
  deps: Deps,
  contents: Contents,
  signal?: AbortSignal,
): Promise<number | null> {
  const { mail, troubles } = deps;
  if (!mail || troubles.stoppingWrites()) return null;
  const claimed = await claim(deps, mail.free());
  await Promise.all(claimed.map((each) => sendOne(deps, contents, each, signal)));
  return claimed.length > 0 ? null : nextDueAt(deps);
}

async function nextDueAt({ store, clock }: Deps): Promise<number | null> {
  const [next] = await store.select({ at: min(mails.dueAt) }).from(mails);
  const at = next?.at == null ? NEVER_DUE : Number(next.at);
  // Due already: the mail server is not ready.
  return at > clock.now() ? at : null;
}

async function claim(deps: Deps, most: number): Promise<MailRow[]> {
  if (most <= 0) return [];
  const now = deps.clock.now();
  const chosen = fairlyChosen(now, Math.min(most, MOST_AT_ONCE));
  return deps.store
    .update(mails)
    .set({ ...leaseFor(deps, LEASE_MS), attempts: sql`${mails.attempts} + 1` })
    .where(and(sql`id in ${chosen}`, isStillDue(mails, now)))
    .returning();
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

async function sendOne(
  deps: Deps,
  contents: Contents,
  row: MailRow,
  signal?: AbortSignal,
): Promise<void> {
  const content = await inUnit(deps, (unit) => compose(unit, contents, row));
  // The user does not exist, or no longer: there is nothing to send.
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
  const outcome = sent.kind === "replied" ? sent.what : sent.kind;
  log.info("mail sent", { mail: row.id, kind: row.kind, outcome });
  await settle(deps, row, columnsAfter(deps, row, sent));
  if (sent.kind === "replied") await contents.replied(deps, row, sent);
}

/**
 * Composes a mail with a new token, whose hash is stored here, in the transaction that holds the claim: a repetition
 * makes the token before it invalid. Returns null if there is no one to write to.
 */
async function compose(deps: Deps, contents: Contents, row: MailRow): Promise<MailContent | null> {
  const { store, config } = deps;
  if ((await store.$count(mails, isHeld(row))) === 0) return null;
  const isKnown = JSON.parse(row.data).wasProven === true || !(await isStranger(store, row));
  // They may have refused since it was queued.
  if (!isKnown && (await hasRefusedMail(store, row))) return null;
  const content = await contents.contentOf(deps, row);
  if (isKnown || !content || row.accountId === null) return content;
  // A person who is not known to read the address can refuse all mail of the account.
  const path = mailPath(deps, "unsubscribe", ofAccount(row.accountId, row.address));
  return {
    ...content,
    unsubscribeUrl: `${config.publicUrl}${path}`,
    unsubscribeText: "Refuse all mail of this account",
  };
}

type Columns = Partial<MailRow>;

const END: Columns = { status: "dropped", dueAt: null };

/** Ends this node's claim, unless another node has claimed the mail since. */
async function settle({ store, clock }: Deps, row: MailRow, columns: Columns): Promise<void> {
  const completedAt = columns.dueAt === null ? clock.now() : null;
  await store
    .update(mails)
    .set({ ...columns, lease: null, completedAt })
    .where(isHeld(row));
}

const isHeld = ({ id, lease }: MailRow) => and(eq(mails.id, id), eq(mails.lease, lease ?? ""));

function columnsAfter({ clock, mail }: Deps, row: MailRow, sent: MailOutcome): Columns {
  const now = clock.now();
  if (sent.kind === "server") {
    // Not the fault of the mail: the attempt does not count.
    const dueAt = now + Math.max(mail!.state().restMs, REST_MS);
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

/** Clocks of several processes may differ by so much. */
const TOLERATED_MS = 60_000;

/** Makes mails due that would wait longer than their kind or the next attempt does. Returns how many. */
export async function limitWaits({ store, clock }: Pick<Deps, "store" | "clock">): Promise<number> {
  const now = clock.now();
  const first = Object.entries(KINDS).map(
    ([kind, { waitsMs }]) => sql`when ${kind} then ${waitsMs}`,
  );
  const longest = sql`case when lease is not null then ${LEASE_MS} when attempts > 0 then ${RETRY_MS.at(-1)}
    else case kind ${sql.join(first, sql` `)} else 0 end end`;
  const late = await store
    .update(mails)
    .set({
      dueAt: sql`cast(${now} as bigint) + case when lease is null then 0 else ${LEASE_MS} end`,
    })
    .where(
      and(gt(mails.dueAt, now + TOLERATED_MS), sql`due_at > ${now + TOLERATED_MS} + ${longest}`),
    )
    .returning({ id: mails.id });
  return late.length;
}
