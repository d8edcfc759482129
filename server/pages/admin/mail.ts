import { and, count, eq, isNotNull, isNull } from "drizzle-orm";
import * as z from "zod";
import { deliveries, webhooks } from "../../ground/db/tables.ts";
import { toIsoOrNull } from "../../ground/lib/moments.ts";
import { mailIsOff } from "../../mail/queue.ts";
import { outcomeSentence, testMail } from "../../mail/test-mail.ts";
import type { Deps } from "../../work/deps.ts";
import { countWaitingMails } from "../metrics/database.ts";

/** The mail server as this node knows it, and what waits for it on all nodes. */
export const MailState = z.object({
  host: z.string(),
  port: z.int(),
  security: z.string(),
  from: z.string(),
  last_success_at: z.string().nullable(),
  last_reply: z.string().nullable(),
  problem: z.string().nullable(),
  /** Seconds for which nothing is sent after a failure. */
  rest_seconds: z.int(),
  waiting_mails: z.int(),
  waiting_alerts: z.int(),
});

export const MailTest = z.object({ ok: z.boolean(), message: z.string() });

/** @throws CONFLICT while this server sends no e-mail */
export async function readMail(deps: Deps): Promise<z.infer<typeof MailState>> {
  const { mail, store } = deps;
  if (!mail) throw mailIsOff();
  const { host, port, security, from, lastSuccessAt, lastReply, problem, restMs } = mail.state();
  const isWaiting = and(
    eq(webhooks.format, "email"),
    isNull(webhooks.deletedAt),
    isNotNull(deliveries.dueAt),
  );
  const [alerts] = await store.readPool
    .select({ count: count() })
    .from(deliveries)
    .innerJoin(webhooks, eq(webhooks.id, deliveries.webhookId))
    .where(isWaiting);
  return {
    host,
    port,
    security,
    from,
    problem,
    last_success_at: toIsoOrNull(lastSuccessAt),
    last_reply: lastReply,
    rest_seconds: Math.ceil(restMs / 1000),
    waiting_mails: await countWaitingMails(deps),
    waiting_alerts: alerts!.count,
  };
}

/** Sends a test message at once. @throws CONFLICT while this server sends no e-mail */
export async function sendTestMail(
  { mail, config, clock }: Deps,
  to: string,
): Promise<z.infer<typeof MailTest>> {
  if (!mail) throw mailIsOff();
  const sent = await mail.send(testMail(config, to, clock.now()));
  const ok = sent.kind === "replied" && sent.what === "sent";
  return { ok, message: outcomeSentence(sent) };
}
