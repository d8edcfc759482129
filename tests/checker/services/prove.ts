import { afterAll, expect, test } from "bun:test";
import type { Resolution } from "../../../server/ground/net/resolve.ts";
import { type KnownLink, NEVER_CHECKED } from "../../../server/judge/attempt.ts";
import { checkUrl } from "../../../server/judge/confirm.ts";
import type { Conclusion } from "../../../server/judge/probe/conclusion.ts";
import { createServices } from "../../../server/judge/services/ask.ts";
import { type Catalogue, serviceIdOf } from "../../../server/judge/services/catalogue.ts";
import { catalogueWith } from "../../../server/judge/services/records/built-in.ts";
import { agree, type Promised } from "../../each-row.ts";
import { playedResolver } from "../../outbound/lab.ts";
import { AMPLE_MS, labChecker } from "../prober.ts";
import { type PlayedWeb, startPlainWeb, type Web } from "./played-web.ts";

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
 * Tests what the links of services come to, one test for each service. Canaries are left out, since they have a test of
 * their own.
 *
 * @param catalogue the built-in one if none is given
 */
export function prove(proofs: [id: string, proof: Proof][], catalogue = BUILT_IN): void {
  const web = startPlainWeb();
  afterAll(() => web.stop());

  test.each(proofs)("%s", async (id, { urls, rows }) => {
    expect(urls.length).toBeGreaterThanOrEqual(3);
    expect(rows.length).toBeGreaterThanOrEqual(4);
    await agree([
      ...urls.map((url) => ownedBy(id, url, catalogue)),
      ...rows.map((row) => promiseOf(row, web, catalogue)),
    ]);
  });
}

const ownedBy = (id: string, url: string, catalogue: Catalogue): Promised => ({
  story: `owns ${url}`,
  expected: { service: id },
  seen: async () => ({ service: serviceIdOf(catalogue, new URL(url)) }),
});

const promiseOf = (row: Row, web: PlayedWeb, catalogue: Catalogue): Promised => ({
  story: `${row.what}, at ${row.url}`,
  expected: { verdict: row.seen, unplayed: [], asked: row.asked, headers: row.headers },
  async seen() {
    web.play(row.web);
    const conclusion = await checkThrough(web, row.url, catalogue);
    const lines = web.requests().map(({ line }) => line);
    const sent = web.requests()[0]?.headers;
    const names = Object.keys(row.headers ?? {});
    return {
      verdict: shown(conclusion),
      unplayed: unplayed(conclusion),
      asked: row.asked && [...new Set(lines)],
      headers: row.headers && Object.fromEntries(names.map((name) => [name, sent?.get(name)])),
    };
  },
});

/**
 * A checker that reaches only the played web, with the canaries of the program. The name servers fail for the
 * hosts in `lost`, for the reason given.
 */
export function checkerThrough(
  web: PlayedWeb,
  catalogue = BUILT_IN,
  lost: Record<string, (Resolution & { ok: false })["reason"]> = {},
) {
  const resolve = async (name: string): Promise<Resolution> => {
    const reason = lost[name];
    return reason ? { ok: false, reason } : { ok: true, addresses: ["127.0.0.1"] };
  };
  const askEach = async (name: string) => [await resolve(name)];
  const resolver = { ...playedResolver({}), resolve, askEach, isChosen: true };
  const { clock, checker } = labChecker({}, ({ clock }) => web.outboundWith({ clock, resolver }));
  return { clock, checker: { ...checker, services: createServices(clock, catalogue) } };
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
    { ...checker, services, checkTimeoutMs: AMPLE_MS },
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
