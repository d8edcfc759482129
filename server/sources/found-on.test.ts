import { afterAll, beforeAll, expect } from "bun:test";
import { and, eq } from "drizzle-orm";
import { check } from "../../tests/checked.ts";
import { storedDigest } from "../../tests/events/stored-events.ts";
import { type Asker, onServer, type Parsed } from "../../tests/harness.ts";
import { addLink } from "../../tests/rows.ts";
import { type Site, startSite } from "../../tests/site.ts";
import { startReading } from "../../tests/sources/reading.ts";
import {
  events,
  linkDetails,
  links,
  occurrences,
  sourcePages,
  sources,
} from "../ground/db/tables.ts";
import { chunksOf } from "../ground/lib/steps.ts";
import type { StoredEvent } from "../notify/chat-message.ts";
import { mailTextFor } from "../notify/email.ts";
import { payloadFor } from "../notify/formats.ts";

const TO = { url: "https://hooks.test/x", webhookId: "w", publicUrl: null, timeZone: null };

onServer("An event about a link that died", (server, { test, testOnBoth }) => {
  let site: Site;
  let reading: ReturnType<typeof startReading>;
  beforeAll(() => {
    site = startSite({
      "/list": "https://dead.test/a\nhttps://dead.test/a#b\nhttps://alive.test/",
    });
    reading = startReading(server());
  });
  afterAll(() => Promise.all([reading.stop(), site.stop()]));

  async function subscriber(): Promise<Asker> {
    const me = await server().account();
    const hook = { url: "https://ops.example.org/hook", events: ["link.dead", "link.alive"] };
    await me.post("/api/v1/webhooks", hook);
    return me;
  }

  async function eventOf(id: string): Promise<StoredEvent> {
    const [event] = await server()
      .deps.store.select()
      .from(events)
      .where(and(eq(events.linkId, id), eq(events.type, "link.dead")));
    return event!;
  }

  const dataOf = async (id: string): Promise<Parsed> => JSON.parse((await eventOf(id)).data);

  test("says where it stands, and nothing of what other accounts have", async () => {
    const me = await subscriber();
    const other = await subscriber();
    const url = `${site.url}/list`;
    const source = await reading.add(me, { kind: "list", url });
    await reading.add(other, { kind: "list", url, name: "Theirs" });
    const own = await addLink(me, { url: "https://own.test/" });
    const { id } = (await me.get("/api/v1/links?search=dead.test")).body.data.items[0];

    await check(server(), [id, own], "http_404");

    const place = { sourceId: source.id, sourceName: "Docs", pageUrl: url, line: 1 };
    const { foundOn } = await dataOf(id);
    expect(foundOn).toEqual({ total: 2, pages: [expect.objectContaining(place)] });
    expect((await dataOf(own)).foundOn).toBeNull();
    const event = await eventOf(id);
    expect(payloadFor("slack", event, TO).body).toContain("Found on: <");
    expect(payloadFor("ntfy", event, TO).body).toContain(`Found on: ${url} – Line 1.`);
    const digest = storedDigest({ "link.dead": 2 }, [event, await eventOf(own)]);
    expect(payloadFor("discord", digest, TO).body).toContain("Found in 2 places.");
    const mail = mailTextFor(event, { name: null, timeZone: null }, "https://up.test");
    expect(mail).toContain(url);
    expect(mail).toContain("And in 1 more place.");
  });

  testOnBoth(
    "names five of very many pages, also where its link is a page of the site",
    async () => {
      const me = await subscriber();
      const { store, clock } = server().deps;
      const source = await reading.add(me, { kind: "list", url: `${site.url}/list` });
      const id = await addLink(me, { url: `https://site.test/${"x".repeat(900)}` });
      const [link] = await store.select().from(links).where(eq(links.id, id));
      const [row] = await store.select().from(sources).where(eq(sources.id, source.id));
      const page = (i: number) => ({
        no: 5_000_000 + me.accountNo * 20_000 + i,
        sourceNo: row!.no,
        part: "",
        depth: 1,
        url: `https://site.test/${"long/".repeat(20)}${i}`,
        urlKey: `k${i}`,
        lineOffset: 10,
        title: "T".repeat(500),
        state: "read" as const,
        seenRun: 1,
        wantedRun: 1,
        places: 1,
        flagged: 0,
        isGone: false,
        refused: 0,
        readAt: clock.now(),
        linkNo: i === 0 ? link!.no : null,
      });
      const PAGES = 1200;
      const pages = Array.from({ length: PAGES + 1 }, (_, i) => page(i));
      for (const some of chunksOf(500, pages)) await store.insert(sourcePages).values(some);
      const [target, ...others] = pages;
      // Every other page leads to the page that is the link, the rest to the link.
      const places = others.map(({ no: pageNo }, i) => ({
        pageNo,
        targetNo: i % 2 === 0 ? target!.no : link!.no,
        place: 0,
        line: i,
        col: 3,
        element: 0,
        text: "é".repeat(200),
        fragment: null,
        isFragmentMissing: false,
      }));
      for (const some of chunksOf(500, places)) await store.insert(occurrences).values(some);
      await store.insert(linkDetails).values({
        linkNo: link!.no,
        accountNo: link!.accountNo,
        isPinned: true,
        sources: 1,
        places: PAGES,
      });

      await check(server(), [id], "http_404");

      const event = await eventOf(id);
      const { foundOn } = JSON.parse(event.data);
      expect(foundOn.total).toBe(PAGES);
      expect(foundOn.pages.map(({ line }: Parsed) => line)).toEqual([10, 11, 12, 13, 14]);
      const { body } = payloadFor("standard", event, TO);
      expect(Buffer.byteLength(body)).toBeLessThan(20_000);
      const text = payloadFor("ntfy", event, TO).body;
      expect(text.match(/Found on: /g)).toHaveLength(3);
      expect(text).toContain("And in 1,197 more places.");
      expect(Buffer.byteLength(text)).toBeLessThan(4096);
    },
  );
});
