import { domainToASCII } from "node:url";
import * as z from "zod";
import { parseMoment } from "../../ground/lib/moments.ts";

/** What a registry says about a domain. Times are milliseconds since 1970. */
export type RegistryAnswer =
  | { kind: "known"; registeredAt: number | null; expiresAt: number | null }
  | { kind: "absent" };

/** Why a response says nothing about the domain. */
export type NoAnswer = "rate_limited" | "refused" | "not_rdap" | "other_domain" | "bad_dates";

type Response = {
  status: number;
  body: Uint8Array;
  /** Whether it came from the server that was asked, and not from one that this led to. */
  isFromServer: boolean;
};

/** Contacts and name servers have events of their own, so only those of the top object count (RFC 9083 §4.5). */
const Domain = z.object({
  objectClassName: z.literal("domain"),
  ldhName: z.string(),
  errorCode: z.undefined().optional(),
  events: z
    .array(z.object({ eventAction: z.string(), eventDate: z.string() }))
    .optional()
    .default([]),
});

/** RFC 7480 §5.3 and RFC 9083 §6: a 404 may come without a body. What a gateway sends in place of a server is neither. */
const NotFound = z.object({ errorCode: z.literal(404) });

/** Reads a response to a query for a domain (RFC 9082 §3.1.3). */
export function readAnswer(
  { status, body, isFromServer }: Response,
  domain: string,
  now: number,
): RegistryAnswer | NoAnswer {
  if (status === 429) return "rate_limited";
  if (status === 404) {
    const isSaid = body.length === 0 || NotFound.safeParse(jsonOf(body)).success;
    return isFromServer && isSaid ? { kind: "absent" } : "not_rdap";
  }
  if (status !== 200) return "refused";
  const read = Domain.safeParse(jsonOf(body));
  if (!read.success) return "not_rdap";
  const { ldhName, events } = read.data;
  if (domainToASCII(ldhName.replace(/\.$/, "")) !== domain) return "other_domain";
  const registeredAt = latestOf(events, "registration", "reregistration");
  const expiresAt = latestOf(events, "expiration");
  const isCredible =
    isAfterFirst(registeredAt) &&
    isAfterFirst(expiresAt) &&
    (registeredAt === null || registeredAt <= now + TOLERATED_MS);
  return isCredible ? { kind: "known", registeredAt, expiresAt } : "bad_dates";
}

/** Other clocks, and dates without a time. */
const TOLERATED_MS = 86_400_000;
/** Earlier dates are not those of a registration. */
const FIRST = Date.UTC(1980, 0, 1);

/** Not so for what is not a date. */
const isAfterFirst = (at: number | null) => at === null || at >= FIRST;

const latestOf = (
  events: z.infer<typeof Domain>["events"],
  ...actions: string[]
): number | null => {
  const dates = events.filter(({ eventAction }) => actions.includes(eventAction.toLowerCase()));
  return dates.length === 0 ? null : Math.max(...dates.map(({ eventDate }) => momentOf(eventDate)));
};

/** A time without a zone, which some servers send, is taken for UTC. */
const momentOf = (text: string) => parseMoment(text) ?? parseMoment(`${text}Z`) ?? Number.NaN;

export function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return null;
  }
}

/** The base URLs of RDAP servers by the names below which they know domains. */
export type ServerList = Record<string, string>;

const List = z.object({
  services: z.array(z.tuple([z.array(z.string()), z.array(z.string())])),
});

/** Reads the list of servers of RFC 9224 §3, as far as they are asked by https. Null if it is not such a list. */
export function readServerList(body: Uint8Array): ServerList | null {
  const read = List.safeParse(jsonOf(body));
  if (!read.success) return null;
  const entries = read.data.services.flatMap(([zones, urls]) => {
    const base = urls.find((url) => URL.parse(url)?.protocol === "https:");
    return base === undefined ? [] : zones.map((zone) => [zone.toLowerCase(), withSlash(base)]);
  });
  return Object.fromEntries(entries);
}

const withSlash = (url: string) => (url.endsWith("/") ? url : `${url}/`);

/** Returns the base URL for a domain: that of the longest name of the list that it ends in (RFC 9224 §4). */
export function serverOf(list: ServerList, domain: string): string | null {
  const labels = domain.split(".");
  const zones = labels.map((_, i) => labels.slice(i).join("."));
  const zone = [...zones, ""].find((name) => Object.hasOwn(list, name));
  return zone === undefined ? null : list[zone]!;
}
