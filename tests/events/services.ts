import { expect } from "bun:test";
import type { Format } from "../../server/ground/lib/vocabulary.ts";
import type { Payload } from "../../server/notify/formats.ts";
import type { Parsed } from "../harness.ts";

/** What a person sees of a message, and what they can follow. */
export type Seen = { text: string; links: string[] };

export type Service = Exclude<Format, "standard" | "email">;

/** Each reads a message as the service's documentation says, and refuses what the service would refuse. */
export const SERVICES: Record<Service, (payload: Payload) => Seen> = {
  slack: inSlack,
  discord: inDiscord,
  teams: inTeams,
  telegram: inTelegram,
  ntfy: inNtfy,
  apprise: inApprise,
};

/** An address that the service turns into a link on its own. */
const BARE_LINK = /[a-z][a-z0-9+.-]*:\/\/\S+/gi;

function inSlack({ body, headers }: Payload): Seen {
  expect(headers).toEqual({ "content-type": "application/json" });
  const { text, blocks, ...rest } = JSON.parse(body);
  expect(rest).toEqual({ unfurl_links: false, unfurl_media: false });
  expect(text.length).toBeWithin(1, 40_001);
  expect(blocks.length).toBeWithin(1, 51);
  const texts: string[] = blocks.map((block: Parsed) => {
    const { type, text: object, ...none } = block;
    expect({ type, none }).toEqual({ type: "section", none: {} });
    const { text: written, ...kind } = object;
    expect(kind).toEqual({ type: "mrkdwn", verbatim: true });
    expect(written.length).toBeWithin(1, 3001);
    return written;
  });
  return readMrkdwn([text, ...texts].join("\n"));
}

/** Signs that are not markup are entities; what stands between brackets is a link and nothing else. */
function readMrkdwn(text: string): Seen {
  const link = /<(https?:\/\/[^<>|\s]+)(?:\|([^<>|]+))?>/g;
  const links = [...text.matchAll(link)].map(([, url]) => url!);
  const shown = text.replace(link, (_, url, label) => label ?? url);
  expect(shown).not.toMatch(/[<>]|&(?!(amp|lt|gt);)/);
  expect(shown.replace(/`[^`\n]*`/g, "")).not.toInclude("`");
  const meant = (escaped: string) =>
    escaped.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
  return { text: meant(shown), links: links.map(meant) };
}

function inDiscord({ body, headers }: Payload): Seen {
  expect(headers).toEqual({ "content-type": "application/json" });
  const { embeds, ...rest } = JSON.parse(body);
  expect(rest).toEqual({ allowed_mentions: { parse: [] } });
  expect(embeds).toHaveLength(1);
  const { title, description, color, url, ...none } = embeds[0];
  expect(none).toEqual({});
  expect(title.length).toBeWithin(1, 257);
  expect(description.length).toBeWithin(1, 4097);
  expect(title.length + description.length).toBeLessThanOrEqual(6000);
  expect(color).toBeWithin(0, 0x1000000);
  const seen = readMarkdown(`${title}\n${description}`);
  return { text: seen.text, links: [...seen.links, ...(url ? [url] : [])] };
}

function readMarkdown(text: string): Seen {
  const link = /<(https?:\/\/[^<>\s]+)>/g;
  const links = [...text.matchAll(link)].map(([, url]) => url!);
  const bare = text.replace(link, "").replace(/`[^`\n]*`/g, "");
  const words = bare.replace(/\\[^a-z0-9\s]/gi, "");
  expect(words).not.toMatch(/[`*_~|<>[\]@#\\]|https?:/);
  return { text: text.replace(link, "$1").replace(/\\([^a-z0-9\s])/gi, "$1"), links };
}

function inTeams({ body, headers }: Payload): Seen {
  expect(headers).toEqual({ "content-type": "application/json" });
  expect(Buffer.byteLength(body, "utf16le")).toBeLessThanOrEqual(28 * 1024);
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(28 * 1024);
  const { type, attachments } = JSON.parse(body);
  expect(type).toBe("message");
  expect(attachments).toHaveLength(1);
  const [{ contentType, content: card }] = attachments;
  expect(contentType).toBe("application/vnd.microsoft.card.adaptive");
  expect(card).toMatchObject({ type: "AdaptiveCard", version: "1.4" });
  const runs: Parsed[] = card.body.flatMap((block: Parsed) => {
    expect(block.type).toBe("RichTextBlock");
    return [...block.inlines, { type: "TextRun", text: "\n" }];
  });
  for (const { type } of runs) expect(type).toBe("TextRun");
  const opened = [...runs.map(({ selectAction }) => selectAction), ...(card.actions ?? [])];
  const actions = opened.filter((action) => action !== undefined);
  for (const { type } of actions) expect(type).toBe("Action.OpenUrl");
  return { text: runs.map(({ text }) => text).join(""), links: actions.map(({ url }) => url) };
}

function inTelegram({ body, headers }: Payload): Seen {
  expect(headers).toEqual({ "content-type": "application/json" });
  const { chat_id, text, link_preview_options, ...rest } = JSON.parse(body);
  expect(chat_id).toMatch(/^(-?\d+|@\w+)$/);
  expect(link_preview_options).toEqual({ is_disabled: true });
  const known = ["message_thread_id", "disable_notification"];
  expect(known).toEqual(expect.arrayContaining(Object.keys(rest)));
  expect(text.length).toBeWithin(1, 4097);
  return readPlain(text);
}

function inNtfy({ body, headers }: Payload): Seen {
  expect(Buffer.byteLength(body)).toBeWithin(1, 4097);
  const { title, tags, priority, click, "content-type": type, ...none } = headers;
  expect(none).toEqual({});
  expect(type).toBe("text/plain; charset=utf-8");
  for (const value of Object.values(headers)) expect(value).toMatch(/^[\x21-\x7e][\x20-\x7e]*$/);
  expect(tags).toMatch(/^\w+$/);
  expect(priority).toMatch(/^[1-5]$/);
  const seen = readPlain(body);
  return { text: `${title}\n${seen.text}`, links: [...seen.links, ...(click ? [click] : [])] };
}

function inApprise({ body, headers }: Payload): Seen {
  expect(headers).toEqual({ "content-type": "application/json" });
  const { title, body: text, type, format, ...none } = JSON.parse(body);
  expect({ none, format }).toEqual({ none: {}, format: "text" });
  expect(type).toBeOneOf(["failure", "success", "info"]);
  const seen = readPlain(text);
  return { text: `${title}\n${seen.text}`, links: seen.links };
}

/** Apps make links and mentions of plain text by themselves. */
function readPlain(text: string): Seen {
  expect(text.replace(BARE_LINK, "")).not.toMatch(/[@#/]\w/);
  return { text, links: text.match(BARE_LINK) ?? [] };
}
