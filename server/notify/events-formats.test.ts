import { describe, expect, test } from "bun:test";
import { eachRow } from "../../tests/each-row.ts";
import { SERVICES, type Seen, type Service } from "../../tests/events/services.ts";
import {
  AT,
  HOSTILE_URLS,
  largestDigest,
  longReason,
  storedDigest,
  storedEvent,
} from "../../tests/events/stored-events.ts";
import { EVENT_TYPES } from "../ground/lib/vocabulary.ts";
import type { StoredEvent } from "./chat-message.ts";
import { payloadFor } from "./formats.ts";

const URL = "https://example.com/a";
const DASHBOARD = "https://links.example.org/stillup";
const CHAT = "https://api.telegram.org/bot1:abc/sendMessage?chat_id=-100123";

const to = (url = CHAT, publicUrl: string | null = DASHBOARD) => ({
  url,
  publicUrl,
  timeZone: null,
  webhookId: "6f1c2d3e-4a5b-4c6d-8e7f-9a0b1c2d3e4f",
});

const seenIn = (service: Service, event: StoredEvent, publicUrl: string | null = DASHBOARD): Seen =>
  SERVICES[service](payloadFor(service, event, to(CHAT, publicUrl)));

const linkIdIn = ({ data }: StoredEvent) => JSON.parse(data).linkId;

const ALL = Object.keys(SERVICES) as Service[];

test("the standard format is the API's own JSON with the data as it is stored", () => {
  const event = storedEvent("link.dead");

  const { body, headers } = payloadFor("standard", event, to());

  const head = `{"event":"link.dead","timestamp":"2030-01-01T12:34:56.789Z"`;
  expect(body).toBe(`${head},"webhookId":"${to().webhookId}","data":${event.data}}`);
  expect(headers).toEqual({ "content-type": "application/json" });
});

test("only bad news has a higher priority in ntfy", () => {
  const priorityOf = (event: StoredEvent) => payloadFor("ntfy", event, to()).headers.priority;

  const all = EVENT_TYPES.map((type) => priorityOf(storedEvent(type)));

  expect(all).toEqual(["4", ...Array(EVENT_TYPES.length - 1).fill("3")]);
  expect(priorityOf(largestDigest(URL))).toBe("4");
});

test("Apprise gets the kind of message, and only the tag of the webhook's query", () => {
  const url = "https://apprise.example.com/notify/team?tag=a%20b&secret=x";
  const sent = (type: (typeof EVENT_TYPES)[number]) =>
    payloadFor("apprise", storedEvent(type), to(url));

  expect(sent("link.dead").url).toBe("https://apprise.example.com/notify/team?tag=a+b");
  expect(JSON.parse(sent("link.dead").body).type).toBe("failure");
  expect(JSON.parse(sent("link.alive").body).type).toBe("success");
  expect(JSON.parse(sent("link.created").body).type).toBe("info");
});

test("Telegram gets the chat, the topic and the silent option of the webhook's URL", () => {
  const url = `${CHAT}&message_thread_id=42&disable_notification=true`;

  const { body } = payloadFor("telegram", storedEvent("link.dead"), to(url));

  expect(JSON.parse(body)).toMatchObject({
    chat_id: "-100123",
    message_thread_id: 42,
    disable_notification: true,
  });
});

test("Telegram gets no topic and no silent option that the webhook's URL does not have", () => {
  const { body } = payloadFor(
    "telegram",
    storedEvent("link.dead"),
    to(`${CHAT}&message_thread_id=x`),
  );

  expect(JSON.parse(body)).not.toContainAnyKeys(["message_thread_id", "disable_notification"]);
});

describe.each(ALL)("In %s", (service) => {
  const seen = (event: StoredEvent, publicUrl?: string | null) => seenIn(service, event, publicUrl);

  test("a message about a dead link has its address, the reason, the time, and when it was last alive", () => {
    const event = storedEvent("link.dead");

    const { text, links } = seen(event);

    expect(text).toInclude("Dead");
    expect(text).toInclude(URL);
    expect(text).toInclude("The server returned 404: there is no such page.");
    expect(text).toInclude("Last alive: 31 Dec 2029, 12:34 UTC");
    expect(text).toInclude("1 Jan 2030, 12:34 UTC");
    expect(links).toContain(URL);
    expect(links).toContain(`${DASHBOARD}/links/${linkIdIn(event)}`);
  });

  test("a message about a link has what people noted about it", () => {
    const said = {
      title: "Handbook",
      note: "Moved\nto the wiki",
      tags: ["docs", "press"],
      assignee: { id: "x", email: "ada@example.org" },
      groupName: "Partners",
    };

    const text = seen(storedEvent("link.dead", said)).text.replace(/[\u200b`]/g, "");

    expect(text).toMatch(/Handbook\nhttps:\S+\n+The server returned 404/);
    for (const each of ["Group: Partners", "Note: Moved to the wiki", "Tags: docs, press"])
      expect(text).toInclude(each);
    expect(text).toInclude("Assigned to: ada@example.org");
    const digest = seen(storedDigest({ "link.dead": 2 }, [storedEvent("link.dead", said)])).text;
    expect(digest).toInclude("The server returned 404");
  });

  test("a title of signs that show nothing is none", () => {
    const textWith = (title: string | null) => seen(storedEvent("link.dead", { title }), null).text;

    expect(textWith("\u202e \u2028\u200f")).toBe(textWith(null));
  });

  test("nothing that people noted breaks the form or the limits of a message, or leads anywhere", () => {
    for (const text of HOSTILE_URLS) {
      const assignee = { id: "x", email: text };
      const said = { title: text, note: text, tags: [text], assignee, groupName: text };
      const url = `${URL}/${"b".repeat(2048 - URL.length - 1)}`;
      const message = seen(storedEvent("link.dead", { ...longReason(url), ...said }));

      expect(message.text.isWellFormed()).toBe(true);
      expect(message.text).not.toMatch(/\p{Cc}(?<!\n)|[\u202e\u2028]/u);
      expect(message.links.filter((link) => link !== url && !link.startsWith(DASHBOARD))).toEqual(
        [],
      );
    }
  });

  eachRow([
    ["link.alive", ["Alive again", URL, "Previous status: dead."]],
    ["link.created", ["Added", URL, "Checked daily."]],
    ["link.deleted", ["Deleted", URL, "Last status: dead."]],
    ["check.complete", ["Checked", URL, "Status: alive. The server returned 200."]],
    ["batch.complete", ["Batch complete", "Checked 3 of 3 links: 2 alive, 1 dead, 0 unknown."]],
  ] as const)("%s is described in words", (type, words) => {
    const { text } = seen(storedEvent(type));

    for (const each of words) expect(text).toInclude(each);
    expect(text).not.toInclude("Test");
  });

  test("a link that is alive for the first time is not called alive again", () => {
    const { text } = seen(storedEvent("link.alive", { previousStatus: "unknown" }));

    expect(text).toInclude("Alive");
    expect(text).not.toInclude("again");
    expect(text).toInclude("Previous status: unknown.");
  });

  eachRow(EVENT_TYPES)("a test of %s is marked, and leads to no page that is not there", (type) => {
    const { text, links } = seen(storedEvent(type, { test: true }));

    expect(text).toInclude("Test: ");
    expect(links.filter((link) => link !== URL)).toEqual([`${DASHBOARD}/`]);
  });

  test("a message about a deleted link links to the dashboard's start page", () => {
    expect(seen(storedEvent("link.deleted")).links).toContain(`${DASHBOARD}/`);
    expect(seen(storedEvent("batch.complete")).links).toEqual([`${DASHBOARD}/`]);
  });

  test("a server that does not know its address links to no dashboard", () => {
    const links = new Set(seen(storedEvent("link.dead"), null).links);

    expect([...links]).toEqual([URL]);
    expect(seen(storedEvent("batch.complete"), null).links).toEqual([]);
  });

  test("a digest has counts in words, the first ten events and how many more there are", () => {
    const first = Array.from({ length: 10 }, (_, i) =>
      storedEvent("link.dead", { url: `${URL}/${i}` }),
    );

    const { text, links } = seen(storedDigest({ "link.dead": 12, "link.alive": 3 }, first));

    expect(text).toInclude("12 links are dead, 3 are alive");
    expect(text).toMatch(/Dead: \S+\/9 – The server returned 404: there is no such page\.\n/);
    expect(text).toInclude("and 5 more");
    expect(text).toInclude("1 Jan 2030, 12:34 UTC");
    const urls = first.map((_, i) => `${URL}/${i}`);
    expect(links.toSorted()).toEqual([...urls, `${DASHBOARD}/`].toSorted());
  });

  test("a digest lists at most ten events, however many it contains", () => {
    const first = Array.from({ length: 200 }, () => storedEvent("link.dead"));

    const { text } = seen(storedDigest({ "link.dead": 200 }, first));

    expect(text.match(/Dead: /g)).toHaveLength(10);
    expect(text).toInclude("and 190 more");
  });

  test("a digest of all types counts each in its own words", () => {
    const first = EVENT_TYPES.map((type) => storedEvent(type));
    const ones = Object.fromEntries(EVENT_TYPES.map((type) => [type, 1]));

    const { text } = seen(storedDigest(ones, first));

    expect(text).toInclude(
      "1 link is dead, 1 is alive, 1 was added, 1 was deleted, 1 was changed, 1 check was completed, 1 batch was completed",
    );
    expect(text).not.toInclude("more");
  });

  test("a summary has how many links were handled as numbers", () => {
    const { text } = seen(storedEvent("summary.ready"));
    expect(text).toInclude("Handled: 2 acknowledged, 1 muted.");
  });

  test("a digest of one reads as that one", () => {
    const event = storedEvent("link.dead");

    const digest = storedDigest({ "link.dead": 1 }, [event]);

    expect(payloadFor(service, digest, to())).toEqual(payloadFor(service, event, to()));
  });

  test("no address breaks the form or the limits of a message", () => {
    for (const url of HOSTILE_URLS) {
      for (const event of [storedEvent("link.dead", longReason(url)), largestDigest(url)]) {
        const { text, links } = seen(event);

        expect(text.isWellFormed()).toBe(true);
        expect(text).not.toMatch(/\p{Cc}(?<!\n)|[\u202e\u2028]/u);
        expect(links.every(isWhole(url))).toBe(true);
      }
    }
  });

  test("a long address is a link as long as there is room for it", () => {
    const url = `${URL}/${"b".repeat(2048 - URL.length - 1)}`;

    expect(seen(storedEvent("link.dead", { url })).links).toContain(url);
  });

  test("an address without room is cut between characters and is not a link", () => {
    const url = `${URL}?${"&😀".repeat(700)}`;

    const { text, links } = seen(largestDigest(url));

    expect(links).toEqual([`${DASHBOARD}/`]);
    expect(text.replaceAll("\u200b", "")).toMatch(/Alive again: `?https:\S+(&|%[0-9A-F]{2})…`? – /);
  });

  eachRow([
    "javascript:alert(1)",
    "tg://resolve?domain=evil",
    "ftp://example.com/",
    "@everyone #all <!channel>",
    "//example.com/\u202ea\nb\ud83d",
  ])("%j does not become a link", (url) => {
    const { text, links } = seen(storedEvent("link.dead", { url }), null);

    expect(links).toEqual([]);
    expect(text).not.toMatch(/\u202e|a\nb/);
    expect(text.isWellFormed()).toBe(true);
  });

  test("a dashboard address that is too long is left out", () => {
    const { links } = seen(
      storedEvent("batch.complete"),
      `https://example.org/${"a".repeat(5000)}`,
    );

    expect(links).toEqual([]);
  });
});

/** A link leads to the address itself or to the dashboard, never to a part of an address. */
const isWhole = (url: string) => (link: string) =>
  link.startsWith(`${DASHBOARD}/`) ||
  decoded(new globalThis.URL(link).href) === decoded(new globalThis.URL(url).href);

/** Signs that RFC 3986 does not know may be written either way. */
const decoded = (href: string) => href.replace(/%(22|27|3C|3E|5C|5E|60|7B|7C|7D)/gi, unescape);

test("a message has the time of its event, however late it is sent", () => {
  const late = { ...storedEvent("link.dead"), createdAt: AT - 86_400_000 };

  expect(seenIn("slack", late).text).toInclude("31 Dec 2029, 12:34 UTC");
});
