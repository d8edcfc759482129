import { expect, test } from "bun:test";
import {
  type Home,
  killOnce,
  newHome,
  openKept,
  passLeases,
  runUntil,
} from "../../tests/events/killed-program.ts";
import { sized } from "../../tests/long.ts";
import { randomFrom } from "../../tests/random.ts";
import { mailSettings, startMailHost } from "../../tests/smtp.ts";
import { openDeps } from "../app/build.ts";
import { type Env, readConfig } from "../ground/config/config.ts";
import { accounts, mailAddresses } from "../ground/db/tables.ts";
import { systemClock } from "../ground/lib/clock.ts";
import { OPERATOR } from "../http/caller.ts";
import { sampleOf } from "../notify/event-types.ts";
import { publishEvents } from "../notify/events.ts";
import { createWebhook } from "../notify/webhooks.ts";
import { makeChange } from "../work/unit.ts";

const RECIPIENTS = sized(10, 60);
/** So few for each that none becomes a digest. */
const EVENTS = 4;
const MESSAGES = RECIPIENTS * EVENTS;
const ROUNDS = sized(1, 4);
const random = randomFrom(20_300_102);

/** Queues the messages in the folder. */
async function queue(home: Env): Promise<void> {
  const { deps } = await openDeps(readConfig(home), systemClock);
  const { store } = deps;
  const account = { id: crypto.randomUUID(), email: "me@example.org", tier: "enterprise" } as const;
  await store
    .insert(accounts)
    .values({ ...account, createdAt: Date.now(), no: 1, historySince: 0 });
  const permissions = { read: true, write: true };
  const caller = {
    accountId: account.id,
    accountNo: 1,
    tier: account.tier,
    permissions,
    by: OPERATOR,
  };
  const { tierLimits } = deps.config;
  const enterprise = { ...tierLimits.enterprise, webhooks: RECIPIENTS };
  const roomy = { ...deps, config: { ...deps.config, tierLimits: { ...tierLimits, enterprise } } };
  for (let n = 0; n < RECIPIENTS; n++) {
    const address = `reader${n}@example.org`;
    await store
      .insert(mailAddresses)
      .values({ accountId: account.id, address, n: 0, confirmedAt: 1 });
    await makeChange(roomy, caller, (unit) =>
      createWebhook(unit, caller, {
        url: `mailto:${address}`,
        format: "email",
        events: ["link.dead"],
      }),
    );
  }
  await store.transaction((tx) =>
    publishEvents(
      tx,
      Array.from({ length: EVENTS }, () => {
        const at = Date.now();
        return {
          type: "link.dead" as const,
          data: sampleOf("link.dead", at),
          accountId: account.id,
          at,
        };
      }),
    ),
  );
  await store.engine.close();
}

test("a program that is killed while it sends mail sends every message, and repeats only the same bytes", async () => {
  const host = await startMailHost();
  const home: Home = { ...newHome(), ...mailSettings(host.port) };
  await queue(home as unknown as Env);
  const kept = openKept(home);

  for (let round = 0; round < ROUNDS; round++) {
    const wanted = host.letters.length + 1 + random(MESSAGES / ROUNDS - 20);
    await killOnce(home, host.seen(wanted));
    passLeases(kept);
  }
  await runUntil(
    home,
    kept.when(() => kept.one("select count(*) from deliveries where status <> 'succeeded'") === 0),
  );

  const byId = Map.groupBy(host.letters, ({ messageId }) => messageId);
  expect(byId.size).toBe(MESSAGES);
  const altered = [...byId.values()].filter(
    (letters) => new Set(letters.map(({ raw }) => raw)).size > 1,
  );
  expect(altered).toEqual([]);
});
