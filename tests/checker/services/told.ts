import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Resolution } from "../../../server/net/resolve.ts";
import { checkUrl } from "../../../server/verdict/confirm.ts";
import { type KnownLink, NEVER_CHECKED } from "../../../server/verdict/look.ts";
import type { Conclusion } from "../../../server/verdict/probe/conclusion.ts";
import { createServices, serviceIdOf } from "../../../server/verdict/services/catalogue.ts";
import type { Service } from "../../../server/verdict/services/record.ts";
import { catalogueWith } from "../../../server/verdict/services/records/built-in.ts";
import { labOutbound } from "../../outbound/lab.ts";
import { labChecker } from "../prober.ts";
import { startPlayedWeb, type Web } from "./played-web.ts";

/** What a service is tested with. */
export type Told = {
  /** Addresses that are its own, at least three. */
  urls: string[];
  rows: Row[];
};

export type Row = {
  /** What is the case, to end the sentence "A video that …". */
  what: string;
  url: string;
  /** What is played; whatever else is asked for answers 599, which proves nothing. */
  web: Web;
  /** `active ok_service`, `dead service_deleted C1`, `unknown service_private`, … */
  seen: string;
  /** All different requests in their order: `GET https://…`, `POST https://… body`. */
  asked?: string[];
  /** What the first request must carry. */
  headers?: Record<string, string>;
};

/** Catalogue that rows are checked against, unless they bring records of their own. */
const BUILT_IN = catalogueWith([]);

/** Tells of one service what its links come to. Canaries are left out, since they have a test of their own. */
export function tellOf(id: string, { urls, rows }: Told, own: Service[] = []): void {
  const catalogue = own.length > 0 ? catalogueWith(own) : BUILT_IN;
  describe(id, () => {
    test("is told of enough", () => {
      expect(urls.length).toBeGreaterThanOrEqual(3);
      expect(rows.length).toBeGreaterThanOrEqual(4);
    });

    let web: Awaited<ReturnType<typeof startPlayedWeb>>;
    beforeAll(async () => {
      web = await startPlayedWeb(hostsOf(rows));
    });
    afterAll(() => web.stop());

    test.each(urls)("%s is one of its addresses", (url) => {
      expect(serviceIdOf(catalogue, new URL(url))).toBe(id);
    });

    test.each(rows)("$what: $seen", async ({ url, web: played, seen, asked, headers }) => {
      web.play(played);

      const conclusion = await checkThrough(web, url, catalogue);

      expect({ seen: shown(conclusion), unplayed: unplayed(conclusion) }).toEqual({
        seen,
        unplayed: [],
      });
      const lines = web.requests().map(({ line }) => line);
      if (asked) expect([...new Set(lines)]).toEqual(asked);
      for (const [name, value] of Object.entries(headers ?? {})) {
        expect(web.requests()[0]?.headers.get(name)).toBe(value);
      }
    });
  });
}

type PlayedWeb = Awaited<ReturnType<typeof startPlayedWeb>>;

/**
 * A checker that reaches only the played web, with the canaries of the program. The name servers fail for the
 * hosts in `lost`, for the reason given.
 */
export function checkerThrough(
  web: PlayedWeb,
  catalogue = BUILT_IN,
  lost: Record<string, (Resolution & { ok: false })["reason"]> = {},
) {
  const { clock, checker } = labChecker();
  const resolve = async (name: string): Promise<Resolution> => {
    const reason = lost[name];
    return reason ? { ok: false, reason } : { ok: true, addresses: ["127.0.0.1"] };
  };
  const askEach = async (name: string) => [await resolve(name)];
  const resolver = { ...checker.outbound.resolver, resolve, askEach, isChosen: true };
  const outbound = labOutbound({ clock, resolver, proxy: web.proxy, extraCa: web.ca });
  return { clock, checker: { ...checker, outbound, services: createServices(clock, catalogue) } };
}

/** One whole check of a link that was alive before, so that C1 looks twice and C2 three times. */
export function checkThrough(
  web: PlayedWeb,
  url: string,
  catalogue = BUILT_IN,
  known: Partial<KnownLink> = {},
): Promise<Conclusion> {
  const { checker } = checkerThrough(web, catalogue);
  const canaries = { noteAlive() {}, wasAlive: async () => true, isSinging: async () => true };
  const services = { ...checker.services, canaries };
  return checkUrl(
    { ...checker, services },
    { ...NEVER_CHECKED, lastDecided: "active", url, ...known },
  );
}

const LOOKS: Record<number, string> = { 2: " C1", 3: " C2" };

/** The verdict, and for a dead one the class that confirmed it. */
function shown({ status, reason, cause, patienceMs, evidence }: Conclusion): string {
  const hours = patienceMs === null ? "" : ` in ${patienceMs / 3_600_000} hours`;
  const confirm = status === "dead" ? (LOOKS[evidence.attempts.length] ?? "") : "";
  return `${status} ${reason}${cause ? ` (${cause}${hours})` : ""}${confirm}`;
}

const UNPLAYED = 599;

const unplayed = ({ evidence, statusCode, finalUrl }: Conclusion) => [
  ...evidence.probes.filter(({ status }) => status === UNPLAYED).map(({ url }) => url),
  ...(statusCode === UNPLAYED ? [finalUrl] : []),
];

const hostsOf = (rows: Row[]) => [
  ...new Set(
    rows.flatMap(({ url, web }) => [
      new URL(url).host,
      ...Object.keys(web).map((key) => key.split("/")[0]!),
    ]),
  ),
];
