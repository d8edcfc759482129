import { openDeps } from "../server/app/build.ts";
import { type Env, readConfig } from "../server/ground/config/config.ts";
import { accounts, mailAddresses } from "../server/ground/db/tables.ts";
import { systemClock } from "../server/ground/lib/clock.ts";
import { newId } from "../server/ground/lib/ids.ts";
import { OPERATOR } from "../server/http/caller.ts";
import { createDeliverer } from "../server/notify/deliverer.ts";
import { sampleOf } from "../server/notify/event-types.ts";
import { publishEvents } from "../server/notify/events.ts";
import { createWebhook, deleteWebhook } from "../server/notify/webhooks.ts";
import { makeChange } from "../server/work/unit.ts";
import { GOOD_TLS, mailSettings, startMailHost } from "../tests/smtp.ts";
import { newHome } from "./program.ts";
import { type Note, p99Of } from "./table.ts";

const CA = new URL("../tests/certs/ca.pem", import.meta.url).pathname;
/** So few for each that none becomes a digest. */
const EVENTS = 4;
const RECIPIENTS = 500;
const ONE_BY_ONE = 100;
/** What waits for a mail server that never answers. */
const BACKLOG = 10_000;

/** Mail to a server on this machine over STARTTLS, and what a silent one holds up. */
export async function mail(note: Note): Promise<void> {
  await pace(note);
  await duringSilence(note);
}

async function pace(note: Note) {
  const host = await startMailHost({ ...GOOD_TLS, authOptional: true, disabledCommands: ["AUTH"] });
  const program = await open({
    ...mailSettings(host.port, {
      STILLUP_SMTP_SECURITY: "starttls",
      STILLUP_SMTP_HOST: "localhost",
    }),
    STILLUP_EXTRA_CA_FILE: CA,
  });
  await program.recipients(RECIPIENTS);
  await program.publish(EVENTS);
  const startedAt = performance.now();
  const deliverer = createDeliverer(program.deps);
  await host.seen(EVENTS * RECIPIENTS);
  const seconds = (performance.now() - startedAt) / 1000;
  note("messages a second over STARTTLS, each durable", (EVENTS * RECIPIENTS) / seconds, {
    least: 100,
  });
  await deliverer.stop();

  const single = await open({
    ...mailSettings(host.port, {
      STILLUP_SMTP_SECURITY: "starttls",
      STILLUP_SMTP_HOST: "localhost",
    }),
    STILLUP_EXTRA_CA_FILE: CA,
  });
  const loop = createDeliverer(single.deps);
  const ages: number[] = [];
  for (let n = 0; n < ONE_BY_ONE; n++) {
    const { id } = await single.recipient();
    const before = host.letters.length;
    const publishedAt = performance.now();
    await single.publish(1);
    loop.wake();
    await host.seen(before + 1);
    ages.push(performance.now() - publishedAt);
    // Otherwise the next event is sent to all, and digests begin.
    await deleteWebhook(single.deps, single.caller, id);
  }
  note("event to accepted message when idle, p99 ms", p99Of(ages), { most: 2000 });
  await loop.stop();
  await Promise.all([program.close(), single.close(), host.stop()]);
}

/** A server that accepts connections and says nothing. */
async function duringSilence(note: Note) {
  const silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const program = await open(mailSettings(silent.port));
  await program.recipients(BACKLOG / EVENTS);
  await program.publish(EVENTS);
  let arrived = () => {};
  const receiver = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch() {
      arrived();
      return new Response();
    },
  });
  await program.webhook({ url: receiver.url.href, events: ["link.deleted"] });
  const deliverer = createDeliverer(program.deps);
  const ages: number[] = [];
  for (let n = 0; n < ONE_BY_ONE; n++) {
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const publishedAt = performance.now();
    await program.publish(1, "link.deleted");
    deliverer.wake();
    await arrival;
    ages.push(performance.now() - publishedAt);
  }
  note("with 10,000 for a silent mail server: event to arrival p99, ms", p99Of(ages), {
    most: 2000,
  });
  await deliverer.stop();
  silent.stop(true);
  await receiver.stop(true);
  await program.close();
}

/** The product on a database of its own, with an account that has room for all. */
async function open(settings: Env) {
  const home = await newHome();
  const env = { ...home, STILLUP_WEBHOOK_ALLOWED_HOSTS: "external,loopback", ...settings };
  const { deps } = await openDeps(readConfig(env), systemClock);
  const accountId = newId();
  const account = { id: accountId, email: "bench@example.org", tier: "enterprise" } as const;
  await deps.store
    .insert(accounts)
    .values({ ...account, createdAt: Date.now(), no: 1, historySince: 0 });
  const permissions = { read: true, write: true };
  const caller = { accountId, accountNo: 1, tier: account.tier, permissions, by: OPERATOR };
  const roomy = { ...deps.config.tierLimits.enterprise, webhooks: 1_000_000 };
  const tierLimits = { ...deps.config.tierLimits, enterprise: roomy };
  const wide = { ...deps, config: { ...deps.config, tierLimits } };
  let made = 0;
  const webhook = (body: object) =>
    makeChange(wide, caller, (unit) => createWebhook(unit, caller, body));
  const recipient = async () => {
    const address = `reader${++made}@example.org`;
    const at = { accountId, address, n: 0, confirmedAt: Date.now() };
    await deps.store.insert(mailAddresses).values(at);
    return webhook({ url: `mailto:${address}`, format: "email", events: ["link.dead"] });
  };
  return {
    deps,
    webhook,
    caller,
    recipient,
    async recipients(count: number) {
      for (let n = 0; n < count; n++) await recipient();
    },
    publish: (count: number, type: "link.dead" | "link.deleted" = "link.dead") =>
      deps.store.transaction((tx) =>
        publishEvents(
          tx,
          Array.from({ length: count }, () => {
            const at = Date.now();
            return { type, data: sampleOf(type, at), accountId, at } as Parameters<
              typeof publishEvents
            >[1][number];
          }),
        ),
      ),
    close: () => deps.store.engine.close(),
  };
}
