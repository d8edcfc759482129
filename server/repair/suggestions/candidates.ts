import { and, eq, isNull, sql } from "drizzle-orm";
import type { Store } from "../../ground/db/store.ts";
import { type LinkRow, sourcePages, sources } from "../../ground/db/tables.ts";
import { registrableDomainOf } from "../../ground/lib/site.ts";
import type { StoredMemory } from "../../links/memories.ts";
import { moveIn, type NewSuggestion } from "../../links/suggestions/rows.ts";
import { candidatesOf } from "../patterns/patterns.ts";

/** An address that is to be requested. It is suggested if it is alive, and its page matches as it must. */
export type Candidate = Pick<
  NewSuggestion,
  "kind" | "url" | "confidence" | "evidence" | "patternId"
> & {
  /** Whether the page must be known to be the remembered one, and not only not be another. */
  mustMatch: boolean;
};

export type Dead = Pick<
  LinkRow,
  | "no"
  | "id"
  | "accountId"
  | "accountNo"
  | "url"
  | "reason"
  | "lastCause"
  | "lastActiveAt"
  | "createdAt"
> & { memory: StoredMemory | undefined };

/** Returns what may stand in the place of a dead link, the best first. */
export async function candidatesFor(store: Store, link: Dead, now: number): Promise<Candidate[]> {
  const move = moveIn(link.memory, now);
  const patterns = await candidatesOf(store, { accountNo: link.accountNo, url: link.url, now });
  const all: Candidate[] = [
    ...(move ? [{ ...move, mustMatch: false }] : []),
    ...patterns.map(({ url, patternId, pairs, from, to }) => ({
      ...LIKELY,
      kind: "pattern" as const,
      url,
      patternId,
      mustMatch: false,
      evidence: [`${pairs} links moved from ${from} to ${to} the same way.`],
    })),
    ...(await withSameTitle(store, link)),
    ...(link.memory?.page ? variantsOf(link) : []),
  ];
  return merged(all.filter(({ url }) => url !== link.url));
}

const LIKELY = { confidence: "likely", patternId: null, mustMatch: true } as const;

/** Of those with one URL the best stays, with the evidence of all. */
function merged(all: Candidate[]): Candidate[] {
  return [...Map.groupBy(all, ({ url }) => url).values()].map((same) => ({
    ...same[0]!,
    evidence: same.flatMap(({ evidence }) => evidence),
    patternId: same.find(({ patternId }) => patternId !== null)?.patternId ?? null,
    mustMatch: same.every(({ mustMatch }) => mustMatch),
  }));
}

const LEAST_WORDS = 2;
/** Of more pages with one title it says nothing. */
const MOST_PAGES = 50;

/** The only page of the account's sources on the domain of the link that has the remembered title. */
async function withSameTitle(store: Store, { accountNo, url, memory }: Dead): Promise<Candidate[]> {
  const title = foldedTitle(memory?.page?.title ?? "");
  const domain = registrableDomainOf(url);
  const words = title.match(/[\p{L}\p{M}\p{N}]{4,}/gu) ?? [];
  if (words.length < LEAST_WORDS || domain === null) return [];
  const rows = await store
    .selectDistinct({ url: sourcePages.url, title: sourcePages.title })
    .from(sourcePages)
    .innerJoin(sources, eq(sources.no, sourcePages.sourceNo))
    .where(
      and(
        sql`lower(${sourcePages.title}) = lower(${memory!.page!.title})`,
        eq(sources.accountNo, accountNo),
        isNull(sources.deletedAt),
        eq(sourcePages.state, "read"),
      ),
    )
    .limit(MOST_PAGES);
  const pages = new Set(
    rows.map((page) => page.url).filter((page) => registrableDomainOf(page) === domain),
  );
  pages.delete(url);
  const [page] = pages;
  return pages.size === 1
    ? [
        {
          ...LIKELY,
          kind: "same_title",
          url: page!,
          mustMatch: false,
          evidence: [`It is the only page of the site with the title “${memory!.page!.title}”.`],
        },
      ]
    : [];
}

const foldedTitle = (title: string) => title.replace(/\s+/g, " ").trim().toLowerCase();

type Form = "scheme" | "www" | "slash";

/** What may be another form of the address, by why the link is dead. */
function formsFor(reason: string): Form[] {
  if (reason === "http_404" || reason.startsWith("soft404_")) return ["scheme", "www", "slash"];
  if (reason === "dns_nxdomain") return ["www"];
  return reason === "conn_refused" ? ["scheme", "www"] : [];
}

const variantsOf = ({ url, reason, lastCause }: Dead): Candidate[] =>
  formsFor((reason === "persistent_failure" ? lastCause : reason) ?? "").flatMap((form) => {
    const other = inForm(url, form);
    return other === null
      ? []
      : [{ ...LIKELY, kind: "variant", url: other, evidence: [SENTENCES[form]] }];
  });

const SENTENCES: Record<Form, string> = {
  scheme: "The page is there with the other of http and https.",
  www: "The page is there with the other form of the name, with or without www.",
  slash: "The page is there with the final slash added or removed.",
};

/** Another form of an address; null where there is none. */
function inForm(given: string, form: Form): string | null {
  const url = new URL(given);
  if (form === "scheme") {
    if (url.port !== "") return null;
    url.protocol = url.protocol === "https:" ? "http:" : "https:";
  } else if (form === "www") {
    const isNamed = registrableDomainOf(url) !== null;
    if (!isNamed) return null;
    url.hostname = url.hostname.startsWith("www.")
      ? url.hostname.slice("www.".length)
      : `www.${url.hostname}`;
  } else {
    if (url.pathname === "/") return null;
    url.pathname = url.pathname.endsWith("/") ? url.pathname.slice(0, -1) : `${url.pathname}/`;
  }
  return url.href;
}
