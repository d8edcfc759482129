import { eq } from "drizzle-orm";
import { links } from "../server/ground/db/tables.ts";
import type { Confidence } from "../server/ground/lib/vocabulary.ts";
import type { Memory } from "../server/judge/identity/memory.ts";
import { catalogueWith } from "../server/judge/services/records/built-in.ts";
import { writeMemories } from "../server/links/memories.ts";
import { nextDue, type Step } from "../server/repair/suggestions/lookups.ts";
import { claimAndLook, createLooking, runningIn } from "../server/repair/suggestions/loop.ts";
import { labCheck } from "./checker/prober.ts";
import type { TestServer } from "./harness.ts";
import { labOutbound, playedResolver } from "./outbound/lab.ts";

/** The loop of lookups of a node, in steps, for which all these names are at sites of the test. */
export function startLookups({ deps, clock }: TestServer, names: string[]) {
  const resolver = playedResolver(Object.fromEntries(names.map((name) => [name, ["127.0.0.1"]])));
  const config = { ...deps.config, hostGapMs: 0, confirmDelaysMs: [0] };
  const outbound = labOutbound({ clock, resolver });
  const tryLink = labCheck({ config, clock, outbound, catalogue: catalogueWith([]) });
  const ending = new AbortController();
  const own = { ...deps, tryLink };
  const looking = createLooking(own, ending.signal, () => {});
  const once = async () => {
    await claimAndLook(looking);
    await Promise.all(runningIn(looking));
  };
  const isDue = async (step: Step) => (await nextDue(own, step)) <= clock.now();
  return {
    deps: own,
    /** One step of all lookups that are due. */
    once,
    /** All that can be found now. */
    async all() {
      do await once();
      while ((await isDue("own")) || (await isDue("archive")));
    },
    stop: () => ending.abort(),
  };
}

/** Remembers a page for a link, as its checks would have. */
export async function remember(
  { deps: { store }, clock }: TestServer,
  id: string,
  { title, moved = null, ...more }: Partial<Memory> & { title: string; moved?: Confidence | null },
): Promise<void> {
  const { no, accountNo } = links;
  const [link] = await store.select({ no, accountNo }).from(links).where(eq(links.id, id));
  const page = { title, language: "en", script: "Latn", print: "0".repeat(16) };
  const since = clock.now();
  const memory: Memory = {
    state: "known",
    since,
    page,
    now: page,
    firstTitle: null,
    textHash: null,
    comparedAt: since,
    way: null,
    waySince: since,
    isWayPermanent: true,
    waySeen: 3,
    domains: [],
    kept: [],
    doubts: {},
    past: {},
    ...more,
  };
  const ofLink = { linkNo: link!.no, accountNo: link!.accountNo };
  await writeMemories(store, [{ ...ofLink, memory, moved, version: null }]);
}
