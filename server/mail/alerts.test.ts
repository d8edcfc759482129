import { expect } from "bun:test";
import { eq } from "drizzle-orm";
import { check } from "../../tests/checked.ts";
import { NO_EVIDENCE } from "../../tests/checker/ended.ts";
import { type Asker, onServer, type TestServer } from "../../tests/harness.ts";
import { agreeTo } from "../../tests/mail/recipients.ts";
import { deliveriesOf } from "../../tests/receiver.ts";
import { deliverDue } from "../../tests/rounds.ts";
import { addLink } from "../../tests/rows.ts";
import { mailSettings, startMailHost } from "../../tests/smtp.ts";
import { deliveries, links, webhooks } from "../ground/db/tables.ts";

const host = await startMailHost();
const EVENTS = ["link.dead", "link.alive"];

let recipients = 0;

/** An alert by mail to a new address that has agreed. */
async function mailTo(server: TestServer, me: Asker, more: object = {}) {
  const address = `reader${++recipients}@example.org`;
  await agreeTo(server, me, address);
  const body = { url: `mailto:${address}`, events: EVENTS, format: "email", ...more };
  const made = await me.post("/api/v1/webhooks", body);
  expect(made.body.data).toMatchObject({ is_active: true });
  return { id: made.body.data.id as string, address };
}

const lettersTo = (address: string) =>
  host.letters.filter(({ recipients }) => recipients.includes(address));

onServer(
  "an alert by mail",
  (server, { test, testOnBoth }) => {
    test("is one conversation about each link, with the state in the sender's name", async () => {
      const me = await server().account();
      const { id, address } = await mailTo(server(), me, { name: "Docs" });
      const link = await addLink(me, { url: "https://www.example.com/handbook/3/" });
      for (const reason of ["ok", "http_404", "ok", "http_404"] as const) {
        await check(server(), [link], reason);
        await deliverDue(server().deps);
      }

      const letters = lettersTo(address);
      expect(letters.map(({ from }) => from!.value[0]!.name)).toEqual([
        "Stillup: dead",
        "Stillup: alive again",
        "Stillup: dead",
      ]);
      expect(new Set(letters.map(({ subject }) => subject))).toEqual(
        new Set(["example.com/handbook/3"]),
      );
      const root = `<link.${link}.${id}@links.example.org>`;
      expect(letters.map(({ references }) => references)).toEqual([root, root, root]);
      expect(new Set(letters.map(({ messageId }) => messageId)).size).toBe(3);
      const [dead] = letters;
      expect(dead!.text).toContain("https://www.example.com/handbook/3/");
      expect(dead!.text).toContain(`https://links.example.org/links/${link}`);
      expect(dead!.text).toContain("Sent by the alert “Docs” on links.example.org.");
      expect(dead!.sender).toBe("stillup@links.example.org");
      expect(dead!.headers.get("auto-submitted")).toBe("auto-generated");
      expect(dead!.date!.getTime()).toBeLessThanOrEqual(server().clock.now());
    });

    test("names the group of the link", async () => {
      const me = await server().account();
      const { address } = await mailTo(server(), me);
      const group = (await me.post("/api/v1/groups", { name: "Partners & press" })).body.data;
      const link = await addLink(me, { url: "https://example.com/p", group_id: group.id });
      await check(server(), [link], "ok");
      await check(server(), [link], "http_404");
      await deliverDue(server().deps);

      const [letter] = lettersTo(address);
      expect(letter!.text).toContain("Group: Partners & press");
      expect(letter!.html).toContain("Partners &amp; press");
    });

    test("shows why the link is dead, when it was last alive, and where the evidence is", async () => {
      const me = await server().account();
      const { address } = await mailTo(server(), me, { time_zone: "Europe/Berlin" });
      const group = (await me.post("/api/v1/groups", { name: "Press" })).body.data;
      const link = await addLink(me, { url: "https://example.com/report", group_id: group.id });
      await check(server(), [link], "ok");
      server().clock.moveBy(3_600_000);
      await check(server(), [link], "soft404_body", { evidence: MISSING });
      await deliverDue(server().deps);

      const [letter] = lettersTo(address);
      const [text] = letter!.text!.split("\n-- \n");
      expect(text!.replace(/\d\d(?= Europe)/g, "00")).toBe(
        [
          "Dead\nThe page says that the content does not exist.",
          "https://example.com/report",
          "Last alive: 1 Jan 2030, 01:00 CET\nGroup: Press",
          [
            "Evidence",
            "- Response: 200 from cloudfront after 231 ms.",
            "- The title says “Page not found”",
            "- The page says: “Page not found Sorry, we looked everywhere.”",
            "- A random URL next to it returns 404. The home page returns 200.",
            "- The site is up, this page is missing.",
            "- Confirmed by 2 attempts.",
          ].join("\n"),
          "1 Jan 2030, 02:00 CET",
          `See the evidence:\nhttps://links.example.org/links/${link}\n`,
        ].join("\n\n"),
      );
      expect(wordsOf(letter!.html as string)).toContain("See the evidence");
    });

    test("says the same in both parts, and never makes a link of the address that died", async () => {
      const me = await server().account();
      const { address } = await mailTo(server(), me);
      const url = "https://evil.example/<b>x</b>?a=1&b=2";
      const link = await addLink(me, { url });
      await check(server(), [link], "ok");
      await check(server(), [link], "http_410");
      await deliverDue(server().deps);

      const [letter] = lettersTo(address);
      const { text, html } = letter as { text: string; html: string };
      const hrefs = [...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href);
      expect(hrefs).toEqual([
        `https://links.example.org/links/${link}`,
        expect.stringContaining("https://links.example.org/mail/unsubscribe/"),
      ]);
      const lines = text.split("\n").filter((line) => line.length > 3 && !line.includes(hrefs[0]!));
      const shown = lines.map((line) => line.replace(/:( http.*)?$|(?<=^Last alive): /, ""));
      for (const line of shown) expect(wordsOf(html)).toContain(line);
    });

    test("repeats a message byte for byte when the reply was lost", async () => {
      const me = await server().account();
      const { id, address } = await mailTo(server(), me);
      const link = await addLink(me, { url: "https://example.com/lost" });
      await check(server(), [link], "ok");
      host.answers({ data: "451 4.3.0 Try again" });
      await check(server(), [link], "http_404");
      await deliverDue(server().deps);
      host.answers({});
      expect(await deliveriesOf(server(), id)).toMatchObject([
        { status: "failed", lastStatusCode: 451 },
      ]);
      server().clock.moveBy(60_000);
      await deliverDue(server().deps);

      expect(await deliveriesOf(server(), id)).toMatchObject([
        { status: "succeeded", lastStatusCode: 250, attempts: 2 },
      ]);
      const [first, second] = lettersTo(address);
      expect(second!.raw).toBe(first!.raw);
    });

    test("ends with a recipient that does not exist, and only the message where one is refused", async () => {
      const me = await server().account();
      const { id } = await mailTo(server(), me);
      const link = await addLink(me, { url: "https://example.com/refused" });
      await check(server(), [link], "ok");

      host.answers({ data: "554 5.7.1 Looks like spam" });
      await check(server(), [link], "http_404");
      await deliverDue(server().deps);
      const refused = (await me.get(`/api/v1/webhooks/${id}`)).body.data;
      host.answers({ rcpt: "550 5.1.1 No such user" });
      await check(server(), [link], "ok");
      await deliverDue(server().deps);
      host.answers({});
      const gone = (await me.get(`/api/v1/webhooks/${id}`)).body.data;

      expect(refused).toMatchObject({ is_active: true, last_status_code: 554 });
      expect(gone).toMatchObject({ is_active: false, disabled_reason: "gone" });
      const statuses = (await deliveriesOf(server(), id)).map(({ status }) => status);
      expect(statuses).toEqual(["exhausted", "paused"]);
    });

    test("waits for a mail server that does not work, and blames no one", async () => {
      const me = await server().account();
      const { id, address } = await mailTo(server(), me);
      const link = await addLink(me, { url: "https://example.com/later" });
      await check(server(), [link], "ok");
      host.answers({ mail: "452 4.3.1 Out of storage" });
      await check(server(), [link], "http_404");
      await deliverDue(server().deps);

      expect(await deliveriesOf(server(), id)).toMatchObject([{ status: "pending", attempts: 0 }]);
      expect(server().deps.troubles.all()).toMatchObject([{ name: "mail_server" }]);
      host.answers({});
      expect(await deliverDue(server().deps)).toBe(0);
      server().clock.moveBy(31_000);
      await deliverDue(server().deps);

      expect(lettersTo(address)).toHaveLength(1);
      expect(server().deps.troubles.all()).toEqual([]);
      expect(await deliveriesOf(server(), id)).toMatchObject([
        { status: "succeeded", attempts: 1 },
      ]);
    });

    testOnBoth("expires what waited three days for the mail server", async () => {
      const me = await server().account();
      const { id } = await mailTo(server(), me);
      const link = await addLink(me, { url: "https://example.com/old" });
      await check(server(), [link], "ok");
      await check(server(), [link], "http_404");
      server().clock.moveBy(72 * 3_600_000);
      await deliverDue(server().deps);

      expect(await deliveriesOf(server(), id)).toMatchObject([{ status: "expired" }]);
    });

    test("puts more than five within ten minutes into one message", async () => {
      const me = await server().account();
      const { id, address } = await mailTo(server(), me, { time_zone: "Europe/Berlin" });
      const made = Array.from({ length: 60 }, (_, n) => ({ url: `https://example.com/many/${n}` }));
      await me.post("/api/v1/links/batch", { links: made });
      const rows = await server()
        .deps.store.select({ id: links.id })
        .from(links)
        .where(eq(links.accountId, me.accountId));
      const ids = rows.map((row) => row.id);
      await check(server(), ids, "ok");
      await check(server(), ids.slice(0, 2), "http_410");
      await check(server(), ids.slice(2), "http_404");
      await deliverDue(server().deps);
      server().clock.moveBy(600_000);
      await deliverDue(server().deps);

      const letters = lettersTo(address);
      expect(letters.map(({ subject }) => subject)).toEqual(["60 links are dead"]);
      const { text, html } = letters[0] as { text: string; html: string };
      const causes = text.split("\n").filter((line) => line.startsWith("Dead: "));
      expect(causes).toEqual([
        "Dead: The server returned 404: there is no such page.",
        "Dead: The server returned 410: the page is gone for good.",
      ]);
      for (const id of ids.slice(0, 2))
        expect(html).toContain(`https://links.example.org/links/${id}"`);
      expect(html.match(/links\/[\w-]+"[^>]*>Open in Stillup/g)).toHaveLength(50);
      expect(letters[0]!.text).toContain("and 10 more");
      expect(letters[0]!.text).toContain("CET");
      expect(await server().deps.store.$count(deliveries, eq(deliveries.webhookId, id))).toBe(61);
    });

    test("is not sent for links that are alive from the beginning", async () => {
      const me = await server().account();
      await agreeTo(server(), me, "first@example.org");
      const body = { url: "mailto:first@example.org", events: EVENTS, format: "email" };
      const refused = await me.post("/api/v1/webhooks", { ...body, first_verdicts: true });
      expect(refused.body.error.details.fields).toEqual({
        first_verdicts: ["must be false for e-mail"],
      });
    });

    test("can be tried", async () => {
      const me = await server().account();
      const { id, address } = await mailTo(server(), me);

      const good = await me.post(`/api/v1/webhooks/${id}/test`);
      host.answers({ rcpt: "550 5.7.1 Relaying denied" });
      const bad = await me.post(`/api/v1/webhooks/${id}/test`);
      host.answers({});

      expect(good.body.data).toMatchObject({
        success: true,
        message: "The mail server accepted the message.",
        response: { statusCode: 250 },
      });
      expect(bad.body.data).toMatchObject({
        success: false,
        message: "The mail server answered: 550 5.7.1 Relaying denied",
      });
      expect(lettersTo(address)[0]!.from!.value[0]!.name).toBe("Stillup: test");
      expect(
        await server().deps.store.$count(webhooks, eq(webhooks.isActive, true)),
      ).toBeGreaterThan(0);
    });
  },
  mailSettings(host.port),
);

const ATTEMPT = {
  at: "2030-01-01T01:00:00.000Z",
  profile: "A",
  outcome: "answered" as const,
  status: 200,
  reason: "soft404_body",
  detail: null,
  elapsed_ms: 231,
  address: "203.0.113.44",
};
const PROBE = { url: "https://example.com/x", reason: null, final_url: null };
/** A page that says that it is missing. */
const MISSING = {
  ...NO_EVIDENCE,
  attempts: [ATTEMPT, { ...ATTEMPT, profile: "B" }],
  signals: [{ rule: "title", text: "The title says “Page not found”" }],
  probes: [
    { ...PROBE, asked: "sibling" as const, status: 404 },
    { ...PROBE, asked: "home" as const, status: 200 },
  ],
  server: "cloudfront",
  excerpt: "Page not found Sorry, we looked everywhere.",
};

/** The text that a person sees. */
const wordsOf = (html: string) =>
  html
    .replace(/<head>.*<\/head>/s, "")
    .replace(/<wbr>|<[^>]+>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
