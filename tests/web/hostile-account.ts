import { eq } from "drizzle-orm";
import { recordChange } from "../../server/accounts/audit.ts";
import { createKey } from "../../server/accounts/keys.ts";
import { Email } from "../../server/accounts/model.ts";
import { createSession } from "../../server/accounts/sessions.ts";
import { operatorOf } from "../../server/accounts/users.ts";
import {
  accounts,
  apiKeys,
  checks,
  deliveries,
  groups,
  links,
  users,
  webhooks,
} from "../../server/ground/db/tables.ts";
import { newId } from "../../server/ground/lib/ids.ts";
import { createLink } from "../../server/links/create.ts";
import { createGroup } from "../../server/links/groups/groups.ts";
import { sealedUrl } from "../../server/notify/secrets.ts";
import { createWebhook } from "../../server/notify/webhooks.ts";
import { makeChange } from "../../server/work/unit.ts";
import { NO_EVIDENCE, saw } from "../checker/ended.ts";
import type { TestServer } from "../harness.ts";
import { checkDueLinks, deliverDue } from "../rounds.ts";
import { HOSTILE } from "./hostile.ts";

/** What a check brings home from a hostile site, every part of it. */
export const EVIDENCE = {
  ...NO_EVIDENCE,
  attempts: HOSTILE.map((text) => ({
    at: text,
    status: null,
    reason: text,
    detail: text,
    elapsed_ms: 1,
    address: text,
  })),
  redirects: HOSTILE.map((url) => ({ url, status: 301 })),
  signals: HOSTILE.map((text) => ({ rule: text, text })),
  probes: HOSTILE.map((url) => ({ url, final_url: url, reason: url })),
  notes: HOSTILE,
  ...Object.fromEntries(HOSTILE.map((text) => [text, text])),
  final_url: HOSTILE[3],
};

/** A webhook's address is one in any case, so this is as bad as one can be. */
export const hookOf = (text: string) => `https://hooks.example/${text}`;

/** E-mails that people may have, as hostile as the rules admit. */
export const EMAILS = [
  ...new Set(
    HOSTILE.flatMap((text) => {
      const read = Email.safeParse(`${text.replace(/[\s@]/g, "")}@x.example`);
      return read.success ? [read.data] : [];
    }),
  ),
];

/**
 * Writes every hostile text wherever one can stand in an account, as if it had come past all rules.
 * @param receiverUrl where messages are taken
 * @returns the ids of links and webhooks, in the order of the texts
 */
export async function fillHostile(server: TestServer, accountId: string, receiverUrl: string) {
  const { deps, clock } = server;
  const { store } = deps;
  await store.update(accounts).set({ tier: "enterprise" }).where(eq(accounts.id, accountId));
  const caller = await operatorOf(deps, accountId);
  const url = `${receiverUrl}/hostile`;
  const { id: webhookId } = await makeChange(deps, caller, (unit) =>
    createWebhook(unit, caller, { url, events: ["link.dead"] }),
  );
  const linkIds: string[] = [];
  const hookIds: string[] = [];
  for (const [n, text] of HOSTILE.entries()) {
    const group = await makeChange(deps, caller, (unit) =>
      createGroup(unit, caller, { name: `group ${n}`, color: "#2563EB" }),
    );
    const named = { name: text, description: text };
    await store.update(groups).set(named).where(eq(groups.id, group.id));
    const key = await makeChange(deps, caller, (unit) =>
      createKey(unit, caller, { name: `key ${n}` }),
    );
    await store.update(apiKeys).set({ name: text }).where(eq(apiKeys.id, key.id));
    const link = { url: `https://example.org/hostile/${n}`, group_id: group.id };
    const { id } = await makeChange(deps, caller, (unit) => createLink(unit, caller, link));
    await store.update(links).set({ url: text }).where(eq(links.id, id));
    linkIds.push(id);
    const hook = await makeChange(deps, caller, (unit) =>
      createWebhook(unit, caller, {
        url: `https://x.example/${n}`,
        events: ["link.alive"],
      }),
    );
    hookIds.push(hook.id);
    await store
      .update(webhooks)
      .set({ ...sealedUrl(hookOf(text), deps.secrets), isActive: false, disabledReason: "failing" })
      .where(eq(webhooks.id, hook.id));
  }
  const evidence = EVIDENCE as unknown as typeof NO_EVIDENCE;
  const seen = saw("http_404", { statusCode: 404, responseTimeMs: 9, evidence });
  await checkDueLinks({ ...deps, check: async () => seen });
  await deliverDue(deps);
  await keepWhole(server, linkIds);
  const answer = { lastBody: HOSTILE.join("\n"), lastContentType: HOSTILE[0] };
  await store.update(deliveries).set(answer).where(eq(deliveries.webhookId, webhookId));
  await addPeople(server, accountId);
  await addActivity(server, accountId);
  clock.moveBy(1000);
  return { linkIds, hookIds, webhookId };
}

/** What the checker would have cut short, and what it was led to. */
async function keepWhole({ deps: { store } }: TestServer, linkIds: string[]) {
  const evidence = JSON.stringify(EVIDENCE);
  for (const [n, id] of linkIds.entries()) {
    const changed = store.update(links).set({ evidence }).where(eq(links.id, id));
    const [link] = await changed.returning({ no: links.no });
    const finalUrl = HOSTILE[n]!;
    await store.update(checks).set({ finalUrl, evidence }).where(eq(checks.linkNo, link!.no));
  }
}

/** What such people did to such things, from such places. */
async function addActivity({ deps }: TestServer, accountId: string) {
  for (const text of HOSTILE) {
    const by = { kind: "user" as const, id: newId(), name: text, address: () => text };
    const target = { id: newId(), name: text };
    await recordChange(deps, { action: "link.changed", by, accountId, target, fields: [text] });
  }
}

/** Colleagues, and the sessions of all the programs that the owner came with. */
async function addPeople({ deps: { store, clock } }: TestServer, accountId: string) {
  const [owner] = await store.select().from(users).where(eq(users.accountId, accountId));
  for (const text of HOSTILE) {
    await createSession(store, owner!.id, clock.now(), { userAgent: text });
  }
  const people = EMAILS.map((email) => ({ ...owner!, id: crypto.randomUUID(), email }));
  await store.insert(users).values(people.map((each) => ({ ...each, role: "viewer" as const })));
}
