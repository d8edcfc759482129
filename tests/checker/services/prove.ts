import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Resolution } from "../../../server/net/resolve.ts";
import { type KnownLink, NEVER_CHECKED } from "../../../server/verdict/attempt.ts";
import { checkUrl } from "../../../server/verdict/confirm.ts";
import type { Conclusion } from "../../../server/verdict/probe/conclusion.ts";
import { createServices } from "../../../server/verdict/services/ask.ts";
import { serviceIdOf } from "../../../server/verdict/services/catalogue.ts";
import { catalogueWith } from "../../../server/verdict/services/records/built-in.ts";
import { labOutbound } from "../../outbound/lab.ts";
import { labChecker } from "../prober.ts";
import { startPlayedWeb, type Web } from "./played-web.ts";

/** What proves that a service is known. */
export type Proof = {
  /** Addresses that belong to the service, at least three. */
  urls: string[];
  /** At least four. */
  rows: Row[];
};

export type Row = {
  /** The case, to end the sentence "A video that …". */
  what: string;
  url: string;
  /** The played web. Anything else that is asked for answers 599, which proves nothing. */
  web: Web;
  /** `active ok_service`, `dead service_deleted C1`, `unknown service_private`, … */
  seen: string;
  /** All different requests in their order: `GET https://…`, `POST https://… body`. */
  asked?: string[] | undefined;
  /** What the first request must carry. */
  headers?: Record<string, string> | undefined;
};

const BUILT_IN = catalogueWith([]);

/**
 * Tests what the links of services come to. Canaries are left out, since they have a test of their own.
 *
 * @param catalogue the built-in one if none is given
 */
export function prove(proofs: [id: string, proof: Proof][], catalogue = BUILT_IN): void {
  let web: Awaited<ReturnType<typeof startPlayedWeb>>;
  beforeAll(async () => {
    web = await startPlayedWeb(hostsOf(proofs.flatMap(([, { rows }]) => rows)));
  });
  afterAll(() => web.stop());

  describe.each(proofs)("%s", (id, { urls, rows }) => {
    test("has enough addresses and rows", () => {
      expect(urls.length).toBeGreaterThanOrEqual(3);
      expect(rows.length).toBeGreaterThanOrEqual(4);
    });

    test.each(urls)("owns %s", (url) => {
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
  const canaries = { noteAlive() {}, wasAlive: async () => true, isReliable: async () => true };
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
