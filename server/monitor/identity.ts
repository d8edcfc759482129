import { sql } from "drizzle-orm";
import { onRows, type Store } from "../ground/db/store.ts";
import { registrableDomainOf } from "../ground/lib/site.ts";
import {
  begin,
  compareWith,
  LONGEST_WAY,
  needsSurroundings,
  type Sight,
  type Surroundings,
} from "../judge/identity/compare.ts";
import type { Remembered } from "../judge/identity/facts.ts";
import { type Memory, type NoticeKind, SETTLED_LOOKS } from "../judge/identity/memory.ts";
import { moveTo } from "../judge/identity/moved.ts";
import { UNASKED } from "../judge/identity/registry.ts";
import { SIGNS, type Sign } from "../judge/identity/signs.ts";
import type { Conclusion } from "../judge/probe/conclusion.ts";
import type { Catalogue } from "../judge/services/catalogue.ts";
import { hurryDomains, readDomainFacts } from "../links/domains/facts.ts";
import { writeMemories } from "../links/memories.ts";
import type { LinkNotice } from "../links/notices.ts";
import type { Deps } from "../work/deps.ts";
import type { ClaimedLink } from "./claim.ts";
import type { Result, Settled } from "./outcome.ts";

const APART_MS = 20 * 3_600_000;

/** What a check is to compare the page with; undefined if it is not to be compared yet. */
export function rememberedOf(
  { config }: Pick<Deps, "config">,
  { memory, nextTrigger }: Pick<ClaimedLink, "memory" | "nextTrigger">,
  now: number,
): Remembered | null | undefined {
  if (!config.identity) return undefined;
  if (!memory) return null;
  const isOpen = memory.doubts.page !== undefined || memory.state === "lost";
  const isDue = nextTrigger === "manual" || now - memory.comparedAt >= APART_MS;
  if (!isOpen && !isDue) return undefined;
  return { title: memory.page?.title ?? "", textHash: isOpen ? null : memory.textHash };
}

/** Whether a page must be read in full although it has not changed: nothing is remembered of it, or it is doubted. */
export const mustBeSeen = ({ config }: Pick<Deps, "config">, { memory }: ClaimedLink): boolean =>
  config.identity && (!memory || memory.doubts.page !== undefined || memory.state === "lost");

/** Compares what checks saw with what is remembered. The conclusion of a link whose domain changed hands is dead. */
export async function identify(
  deps: Pick<Deps, "config" | "store">,
  results: Result[],
): Promise<Result[]> {
  if (!deps.config.identity) return results;
  const seen = results.map((result) => ({ result, sight: sightOf(result) }));
  const foreign = seen.filter(
    ({ result: { link }, sight }) => sight && link.memory && needsSurroundings(link.memory, sight),
  );
  const around = await surroundingsOf(
    deps,
    foreign.map(({ result }) => result.link),
  );
  return seen.map(({ result, sight }) => (sight ? compared(result, sight, around) : result));
}

/** Null for a check that does not show what the link leads to. */
function sightOf({ link, conclusion, at }: Result): Sight | null {
  const { status, finalUrl, unchanged, facts, evidence } = conclusion;
  if (status !== "active" || finalUrl === null) return null;
  return {
    at,
    url: link.url,
    finalUrl,
    isPermanent: evidence.redirects.every(({ status }) => status === 301 || status === 308),
    facts: facts ?? null,
    isUnchanged: unchanged !== undefined,
    wasMissing: link.decidedStatus === "dead" && MISSING.has(link.decidedReason ?? ""),
  };
}

const MISSING = new Set(["dns_nxdomain", "domain_parked"]);

type Around = (link: ClaimedLink) => Surroundings;

function compared(result: Result, sight: Sight, around: Around): Result {
  const { link, conclusion } = result;
  const { memory } = link;
  // A page that is known to be unchanged is known, so only its memory was not wanted when it was read.
  if (!memory) {
    if (sight.isUnchanged) return result;
    return { ...result, compared: { memory: begin(sight), notices: [], lookAgainMs: null } };
  }
  const { version: _, moved: _m, ...before } = memory;
  const found = compareWith(before, sight, around(link));
  if (found && link.handling === "muted") found.lookAgainMs = null;
  const after = found?.memory ?? before;
  return {
    ...result,
    conclusion: after.past.isDead ? changedHands(conclusion, after) : withDoubt(conclusion, after),
    ...(found && { compared: found }),
  };
}

const signalsOf = (signs: Sign[]) => signs.map((rule) => ({ rule, text: SIGNS[rule] }));

/** Nothing is kept of the page by which the next check could find that it has not changed. */
function changedHands(
  { reading: _, response: _r, ...conclusion }: Conclusion,
  { doubts }: Memory,
): Conclusion {
  const { evidence } = conclusion;
  const signals = [...evidence.signals, ...signalsOf(doubts.page?.signs ?? [])];
  return {
    ...conclusion,
    status: "dead",
    reason: "domain_changed_hands",
    evidence: { ...evidence, signals },
  };
}

/** Shows a doubt in the evidence. */
function withDoubt(conclusion: Conclusion, { doubts }: Memory): Conclusion {
  const { evidence, unchanged } = conclusion;
  if (!doubts.page || unchanged) return conclusion;
  const signals = [...evidence.signals, ...signalsOf(doubts.page.signs)];
  return { ...conclusion, evidence: { ...evidence, signals } };
}

/** Asks for the links whose content is another what else is known of their sites. */
async function surroundingsOf(
  { store }: Pick<Deps, "store">,
  links: ClaimedLink[],
): Promise<Around> {
  if (links.length === 0) return () => ({ registration: UNASKED, areNeighborsOther: false });
  const domainOf = new Map(links.map(({ no, url }) => [no, registrableDomainOf(url) ?? ""]));
  const facts = await readDomainFacts(store, [...new Set(domainOf.values())]);
  const rows = await selectNeighbors(
    store,
    links.map(({ no }) => [no]),
  );
  const isOther = new Map(
    rows.map(([no, all, other, first, last]) => [
      no as number,
      Number(all) >= LEAST_NEIGHBORS &&
        Number(other) === Number(all) &&
        Number(last) - Number(first) <= WEEK_MS,
    ]),
  );
  return ({ no }) => ({
    registration: facts.get(domainOf.get(no)!) ?? UNASKED,
    areNeighborsOther: isOther.get(no) ?? false,
  });
}

const LEAST_NEIGHBORS = 3;
const WEEK_MS = 7 * 86_400_000;

/** The links of a site that are alive and remembered, how many of them are doubted, and since when first and last. */
const selectNeighbors = onRows(
  { no: "bigint" },
  (rows) => sql`
    select given.no, count(*), count(memory.other_since), min(memory.other_since), max(memory.other_since)
    from ${rows} as given
    join watched_links as own on own.no = given.no
    join watched_links as links on links.account_no = own.account_no and links.site = own.site and links.status = 'active'
    join page_memories as memory on memory.link_no = links.no and memory.state in ('known', 'doubted', 'changed', 'lost')
    group by given.no
  `,
);

/** Writes what is remembered, in the transaction of the results. */
export const rememberPages = (
  tx: Store,
  { catalogue }: Pick<Deps, "catalogue">,
  settled: Settled[],
): Promise<unknown> =>
  writeMemories(
    tx,
    settled.flatMap(({ link, compared }) =>
      compared
        ? [
            {
              linkNo: link.no,
              accountNo: link.accountNo,
              memory: compared.memory,
              moved: movedTo(catalogue, link, compared.memory),
              version: link.memory?.version ?? null,
            },
          ]
        : [],
    ),
  );

/** A link whose section is lost on the way has not moved there as a whole. */
function movedTo(catalogue: Catalogue, link: ClaimedLink, memory: Memory) {
  const { url, service, fragments = [] } = link;
  const { way, waySeen, isWayPermanent, doubts } = memory;
  if (way === null || waySeen < SETTLED_LOOKS || !isWayPermanent || doubts.way) return null;
  if (way.length >= LONGEST_WAY) return null;
  if (fragments.some(({ missingSince }) => missingSince !== null)) return null;
  const isShort = catalogue.services.some(({ id, shortens }) => id === service && shortens);
  return isShort ? null : moveTo(url, way);
}

const SENTENCES: Record<NoticeKind, string> = {
  redirect_changed: "It redirects to another place.",
  content_changed: "It shows another page.",
  identity_lost: "It shows another page, and its domain may have a new owner.",
  parameters_lost: "Its redirect drops parameters that it kept before.",
  parameters_changed: "Its redirect replaces parameters that it kept before.",
};

/** Asks first about the domains of pages that are in doubt. Runs after domains were noted. */
export const hurryDoubted = (tx: Store, settled: Settled[], now: number): Promise<unknown> =>
  hurryDomains(
    tx,
    settled.flatMap(({ link, compared }) =>
      compared?.memory.doubts.page ? (registrableDomainOf(link.url) ?? []) : [],
    ),
    { now, isUrgent: true },
  );

/** What a message about a link says whose domain changed hands. */
export function pageTitlesOf({ compared, outcome }: Settled) {
  const { page, now } = compared?.memory ?? {};
  if (outcome.conclusion.reason !== "domain_changed_hands" || !page || !now) return {};
  return { pageTitles: { before: page.title, after: now.title } };
}

/** What the comparison of a link's page says to people and programs. */
export const identityNotices = ({ compared }: Settled): LinkNotice[] =>
  (compared?.notices ?? []).map((notice) => ({ ...notice, sentence: SENTENCES[notice.kind] }));
