import { and, asc, count, eq, inArray, sql } from "drizzle-orm";
import { auditChange } from "../../accounts/audit.ts";
import { lockLinks, openDead, sumOf } from "../../ground/db/queries.ts";
import { contains, numbersOf, type Store } from "../../ground/db/store.ts";
import { linkCounts, linkTags, tags } from "../../ground/db/tables.ts";
import { oneAtATime } from "../../ground/lib/concurrency.ts";
import { conflict, notFound } from "../../ground/lib/errors.ts";
import { type Page, type PageQuery, windowOf } from "../../ground/lib/paging.ts";
import { yieldToEventLoop } from "../../ground/lib/steps.ts";
import type { Caller } from "../../http/caller.ts";
import type { Deps } from "../../work/deps.ts";
import { makeChange, type Unit } from "../../work/unit.ts";
import { normalTag } from "../fields/tags.ts";

/** Takes SQLite about 8 ms. */
const MOVED_AT_ONCE = 250;

/** A tag with its links by settled status, and how many of the dead ones are neither acknowledged nor muted. */
export type CountedTag = {
  name: string;
  active: number;
  dead: number;
  unknown: number;
  attention: number;
};

export type TagQuery = PageQuery & { search?: string | undefined };

/** Lists the account's tags by name. */
export async function listTags(
  { store }: Deps,
  { accountId }: Caller,
  { search, ...query }: TagQuery,
): Promise<Page<CountedTag>> {
  const isOurs = and(
    eq(tags.accountId, accountId),
    search ? contains(tags.name, search) : undefined,
  );
  const { limit, offset } = windowOf(query);
  const [rows, [total]] = await Promise.all([
    store
      .select({ no: tags.no, name: tags.name })
      .from(tags)
      .where(isOurs)
      .orderBy(asc(tags.name))
      .limit(limit)
      .offset(offset),
    store.select({ count: count() }).from(tags).where(isOurs),
  ]);
  return { items: await withCounts(store, rows), total: total!.count };
}

type TagRow = { no: number; name: string };

async function withCounts(store: Store, rows: TagRow[]): Promise<CountedTag[]> {
  const nos = rows.map(({ no }) => no);
  const { active, dead, unknown, subject } = linkCounts;
  const sums = await store.readPool
    .select({
      subject,
      active: sumOf(active),
      dead: sumOf(dead),
      unknown: sumOf(unknown),
      attention: sumOf(openDead),
    })
    .from(linkCounts)
    .where(inArray(subject, sql`${numbersOf(store, nos)}`))
    .groupBy(subject);
  const byNo = new Map(sums.map(({ subject: no, ...counts }) => [no, counts]));
  const none = { active: 0, dead: 0, unknown: 0, attention: 0 };
  return rows.map(({ no, name }) => ({ name, ...(byNo.get(no) ?? none) }));
}

/** @throws NOT_FOUND */
async function findTag(store: Store, { accountId }: Caller, name: string): Promise<TagRow> {
  const [tag] = await store
    .select({ no: tags.no, name: tags.name })
    .from(tags)
    .where(and(eq(tags.accountId, accountId), eq(tags.name, normalTag(name))));
  if (!tag) throw notFound("tag");
  return tag;
}

/**
 * Renames a tag. With `merge` its links get an existing tag of that name, in pieces: if that is interrupted, the rest
 * keep the old one, and the request can be repeated.
 * @throws NOT_FOUND; CONFLICT when there is such a tag already
 */
export async function renameTag(
  deps: Deps,
  caller: Caller,
  name: string,
  { to, merge }: { to: string; merge: boolean },
): Promise<CountedTag> {
  const { store } = deps;
  const tag = await findTag(store, caller, name);
  if (normalTag(to) !== tag.name) {
    const existing = await makeChange(deps, caller, (unit) =>
      renameAlone(unit, caller, { tag, to }),
    );
    if (existing && !merge)
      throw conflict("There is such a tag already; `merge=true` joins them.", {
        reason: "duplicate_tag",
      });
    if (existing) await dissolve(deps, caller, tag, existing);
  }
  const [renamed] = await withCounts(store, [await findTag(store, caller, to)]);
  return renamed!;
}

/** Returns the number of the tag that has the name, if there is one; then nothing is changed. */
async function renameAlone(
  unit: Unit,
  caller: Caller,
  { tag, to }: { tag: TagRow; to: string },
): Promise<number | null> {
  const { store: tx } = unit;
  const [existing] = await tx
    .select({ no: tags.no })
    .from(tags)
    .where(and(eq(tags.accountId, caller.accountId), eq(tags.name, to)));
  if (existing) return existing.no;
  await tx.update(tags).set({ name: to }).where(eq(tags.no, tag.no));
  await auditTag(unit, caller, "tag.changed", tag);
  return null;
}

/**
 * Deletes a tag, in pieces.
 * @throws NOT_FOUND
 */
export async function deleteTag(deps: Deps, caller: Caller, name: string): Promise<void> {
  await dissolve(deps, caller, await findTag(deps.store, caller, name));
}

/**
 * Takes a tag off its links, which get another one if it is given, and then deletes it. Two of an account take turns:
 * those that join two tags with each other would move the same links to and fro.
 * @throws NOT_FOUND when the other one is deleted meanwhile; the rest keep theirs
 */
const dissolve = (deps: Deps, caller: Caller, tag: TagRow, into?: number): Promise<void> =>
  oneAtATime(`dissolve a tag of ${caller.accountId}`, async () => {
    for (;;) {
      const isDone = await makeChange(deps, caller, async (unit) => {
        const { store: tx } = unit;
        if ((await takeOff(tx, tag.no, into)) === MOVED_AT_ONCE) return false;
        const gone = await tx.delete(tags).where(eq(tags.no, tag.no)).returning({ no: tags.no });
        await tx.delete(linkCounts).where(eq(linkCounts.subject, tag.no));
        const action = into === undefined ? "tag.deleted" : "tag.changed";
        if (gone.length > 0) await auditTag(unit, caller, action, tag);
        return true;
      });
      if (isDone) return;
      await yieldToEventLoop();
    }
  });

async function takeOff(tx: Store, tagNo: number, into: number | undefined): Promise<number> {
  if (into !== undefined && (await tx.$count(tags, eq(tags.no, into))) === 0) throw notFound("tag");
  const some = await tx
    .select({ no: linkTags.linkNo })
    .from(linkTags)
    .where(eq(linkTags.tagNo, tagNo))
    .limit(MOVED_AT_ONCE);
  const nos = some.map(({ no }) => no);
  await lockLinks(tx, nos);
  const isChosen = inArray(linkTags.linkNo, sql`${numbersOf(tx, nos)}`);
  if (into !== undefined && nos.length > 0)
    await tx
      .insert(linkTags)
      .values(nos.map((linkNo) => ({ tagNo: into, linkNo })))
      .onConflictDoNothing();
  await tx.delete(linkTags).where(and(eq(linkTags.tagNo, tagNo), isChosen));
  return nos.length;
}

const auditTag = (deps: Deps, caller: Caller, action: "tag.changed" | "tag.deleted", tag: TagRow) =>
  auditChange(deps, caller, {
    action,
    target: { id: String(tag.no), name: tag.name },
    ...(action === "tag.changed" && { fields: ["name"] }),
  });
