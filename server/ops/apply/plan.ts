import { and, eq, inArray } from "drizzle-orm";
import { type GroupRow, links } from "../../ground/db/tables.ts";
import { chunksOf } from "../../ground/lib/steps.ts";
import type { Frequency } from "../../ground/lib/vocabulary.ts";
import type { Caller } from "../../http/caller.ts";
import { urlKeyOf } from "../../judge/services/catalogue.ts";
import { changeEach, previewChanges } from "../../links/change.ts";
import { createLinks, previewLinks, reasonOf } from "../../links/create.ts";
import { deleteLinks } from "../../links/delete.ts";
import type { LinkEdit } from "../../links/edit.ts";
import { exportedLinks } from "../../links/exports/export-rows.ts";
import { duplicateId, findTakenIds } from "../../links/fields/external-id.ts";
import { changeGroup, type GroupBook, openGroupBook } from "../../links/groups/groups.ts";
import type { GroupChange } from "../../links/groups/model.ts";
import { NO_GROUP } from "../../links/links.ts";
import type { Deps } from "../../work/deps.ts";
import { refuseFullDisk } from "../upkeep/disk.ts";
import type { Failure } from "./attempt.ts";
import { carryOutHosts, type HostsPlan, hostsPlanOf } from "./hosts.ts";
import { type Declaration, Misdeclared, type WantedGroup, type WantedLink } from "./read.ts";
import { carryOutSources, type SourcesPlan, sourcesPlanOf } from "./sources.ts";

const AT_ONCE = 1000;

/** An existing link that differs from the file. Groups are names; null means none. */
export type LinkChanged = {
  id: string;
  url: string;
  group: { from: string | null; to: string | null } | null;
  frequency: { from: Frequency; to: Frequency } | null;
  about: LinkEdit;
  /** The names of the other fields that change. */
  fields: string[];
};

/** The changes that make the account match the file. */
export type Plan = {
  groups: GroupBook;
  newGroups: WantedGroup[];
  changedGroups: { group: GroupRow; change: GroupChange }[];
  newLinks: WantedLink[];
  changedLinks: LinkChanged[];
  /** In the file's groups, but not in the file. */
  strays: { id: string; url: string; group: string | null }[];
  hosts: HostsPlan;
  sources: SourcesPlan;
};

/**
 * Compares a file with the account, and writes nothing.
 * @throws Misdeclared when a part of the file cannot be applied
 */
export async function planOf(deps: Deps, caller: Caller, file: Declaration): Promise<Plan> {
  const groups = await openGroupBook(deps, caller);
  refuseUnclearNames(file.groups, groups);
  const hosts = await hostsPlanOf(deps, caller, file.hosts);
  const sources = await sourcesPlanOf(deps, caller, file, groups);
  const { newLinks, known } = await sortLinks(deps, caller, file.links);
  return {
    groups,
    newGroups: file.groups.filter(({ name }) => !groups.find(name)),
    changedGroups: file.groups.flatMap((wanted) => changeOfGroup(wanted, groups)),
    newLinks,
    changedLinks: await changesOf(deps, caller, known, groups),
    strays: await straysOf(deps, caller, file, { groups, known }),
    hosts,
    sources,
  };
}

function refuseUnclearNames(wanted: WantedGroup[], groups: GroupBook) {
  const seen = new Map<string, number>();
  for (const { name, line } of wanted) {
    const first = seen.get(name.toLowerCase());
    if (first) throw new Misdeclared(line, `The group "${name}" is already on line ${first}.`);
    seen.set(name.toLowerCase(), line);
    if (groups.count(name) < 2) continue;
    throw new Misdeclared(line, `There are several groups "${name}"; rename all but one of them.`);
  }
}

function changeOfGroup(wanted: WantedGroup, groups: GroupBook) {
  const { name, description, color, check_schedule: schedule } = wanted;
  const group = groups.find(name);
  if (!group) return [];
  const isScheduled =
    (schedule?.cron ?? null) === group.cron && (schedule?.time_zone ?? null) === group.timeZone;
  const change: GroupChange = {
    ...(schedule !== undefined && !isScheduled && { check_schedule: schedule }),
    ...(description !== undefined && description !== (group.description ?? "") && { description }),
    ...(color !== undefined && color !== group.color && { color }),
  };
  return Object.keys(change).length > 0 ? [{ group, change }] : [];
}

/** Links of the file that exist, by id. */
type Known = Map<string, WantedLink>;

async function sortLinks(
  deps: Deps,
  caller: Caller,
  wanted: WantedLink[],
): Promise<{ newLinks: WantedLink[]; known: Known }> {
  const newLinks: WantedLink[] = [];
  const known: Known = new Map();
  const lines = new Map<string, number>();
  const linesOfIds = new Map<string, number>();
  for (const some of chunksOf(AT_ONCE, wanted)) {
    for (const link of some) {
      const { external_id: id } = link.about;
      if (id) refuseRepeated(id, link, linesOfIds, "external_id");
    }
    const inputs = some.map(({ url, about }) => ({ url, external_id: about.external_id }));
    const previews = await previewLinks(deps, caller, inputs, newLinks.length);
    for (const [i, link] of some.entries()) {
      const preview = previews[i]!;
      const details = "error" in preview ? (preview.error.details ?? {}) : {};
      const isThere = details.reason === "duplicate_url";
      if ("error" in preview && !isThere) throw new Misdeclared(link.line, reasonOf(preview.error));
      refuseRepeated(urlKeyOf(deps.catalogue, new URL(link.url)), link, lines, "link");
      if (isThere) known.set(String(details.existingId), link);
      else newLinks.push(link);
    }
  }
  return { newLinks, known };
}

function refuseRepeated(
  key: string,
  { line }: WantedLink,
  lines: Map<string, number>,
  what: string,
) {
  const first = lines.get(key);
  if (first) throw new Misdeclared(line, `This ${what} is already on line ${first}.`);
  lines.set(key, line);
}

async function changesOf(
  deps: Deps,
  caller: Caller,
  known: Known,
  groups: GroupBook,
): Promise<LinkChanged[]> {
  const { store } = deps;
  const changes: LinkChanged[] = [];
  const names = new Map(groups.all().map(({ id, name }) => [id, name]));
  const { id, url, groupId, checkFrequency } = links;
  for (const ids of chunksOf(AT_ONCE, [...known.keys()])) {
    const rows = await store.readPool
      .select({ id, url, groupId, checkFrequency })
      .from(links)
      .where(and(eq(links.accountId, caller.accountId), inArray(links.id, ids)));
    const others = await previewChanges(
      deps,
      caller,
      rows.map((row) => [row.id, pinned(known.get(row.id)!)]),
    );
    await refuseTakenIds(
      deps,
      caller,
      rows.filter((_, i) => others[i]!.includes("external_id")).map((row) => known.get(row.id)!),
    );
    for (const [i, row] of rows.entries()) {
      const fields = others[i]!;
      const wanted = known.get(row.id)!;
      const from = (row.groupId && names.get(row.groupId)) ?? null;
      const to = wanted.group && (groups.find(wanted.group)?.name ?? wanted.group);
      const frequency = wanted.frequency ?? row.checkFrequency;
      const isMoved = (to === null ? null : groups.find(to)?.id) !== row.groupId;
      if (!isMoved && frequency === row.checkFrequency && fields.length === 0) continue;
      changes.push({
        id: row.id,
        url: row.url,
        about: pinned(wanted),
        fields,
        group: isMoved ? { from, to } : null,
        frequency:
          frequency === row.checkFrequency ? null : { from: row.checkFrequency, to: frequency },
      });
    }
  }
  return changes;
}

/** No source takes a link away that stands in the file. */
const pinned = ({ about }: WantedLink) => ({ ...about, pinned: true });

/** Refuses external ids that links would get and others have. */
async function refuseTakenIds({ store }: Deps, caller: Caller, wanted: WantedLink[]) {
  const ids = wanted.flatMap(({ about }) => about.external_id ?? []);
  const taken = await findTakenIds(store, caller, ids);
  for (const { about, line } of wanted) {
    const existingId = taken.get(about.external_id ?? "");
    if (existingId) throw new Misdeclared(line, duplicateId({ existingId }).message);
  }
}

/** Existing links that are not in the file, in the groups that it names, and in no group if it lists those. */
async function straysOf(
  deps: Deps,
  caller: Caller,
  { groups: wanted, hasUngrouped }: Declaration,
  { groups, known }: { groups: GroupBook; known: Known },
): Promise<Plan["strays"]> {
  const strays: Plan["strays"] = [];
  const ids = wanted.flatMap(({ name }) => groups.find(name)?.id ?? []);
  for (const groupId of hasUngrouped ? [...ids, NO_GROUP] : ids) {
    for await (const rows of exportedLinks(deps, caller, { group_id: groupId })) {
      for (const { id, url, group, details } of rows) {
        // What is not pinned leaves with its sources.
        if (!known.has(id) && details.isPinned) strays.push({ id, url, group });
      }
    }
  }
  return strays;
}

/**
 * Makes the changes of the plan; links, sources and settings for hosts are deleted only with `prune`. After a failure, running it again continues.
 * @throws when the disk is full; deletions alone are allowed
 */
export async function carryOut(
  deps: Deps,
  caller: Caller,
  plan: Plan,
  { prune }: { prune: boolean },
): Promise<Failure[]> {
  const { groups } = plan;
  // The first checks of new links are sent what is set for their hosts.
  const failedHosts = await carryOutHosts(deps, caller, plan.hosts, { prune });
  if (plan.newGroups.length + plan.changedGroups.length > 0) await refuseFullDisk(deps.config);
  for (const { name, description, color, check_schedule: schedule } of plan.newGroups) {
    const more = { ...(description && { description }), ...(color && { color }) };
    await groups.make({ name, ...more, ...(schedule && { check_schedule: schedule }) });
  }
  for (const { group, change } of plan.changedGroups) {
    await changeGroup(deps, caller, group.id, change);
  }
  return [
    ...failedHosts,
    ...(await createAll(deps, caller, plan)),
    ...(await changeAll(deps, caller, plan)),
    ...(await carryOutSources(deps, caller, plan.sources, { prune, groups })),
    ...(prune ? await deleteAll(deps, caller, plan) : []),
  ];
}

async function createAll(deps: Deps, caller: Caller, { newLinks, groups }: Plan) {
  const failures: Failure[] = [];
  for (const some of chunksOf(AT_ONCE, newLinks)) {
    const inputs = some.map(({ url, frequency, group, about }) => ({
      url,
      ...about,
      metadata: withoutNulls(about.metadata),
      ...(frequency && { check_frequency: frequency }),
      group_id: idOf(groups, group),
    }));
    await refuseFullDisk(deps.config);
    const { results } = await createLinks(deps, caller, inputs);
    results.forEach((result, i) => {
      if ("error" in result) failures.push({ what: some[i]!.url, why: reasonOf(result.error) });
    });
  }
  return failures;
}

const idOf = (groups: GroupBook, name: string | null) =>
  name === null ? null : (groups.find(name)?.id ?? null);

/** New links have no keys to remove. */
const withoutNulls = (metadata: LinkEdit["metadata"]) =>
  Object.fromEntries(Object.entries(metadata ?? {}).filter(([, value]) => value !== null));

async function changeAll(deps: Deps, caller: Caller, { changedLinks, groups }: Plan) {
  const failures: Failure[] = [];
  const urls = new Map(changedLinks.map(({ id, url }) => [id, url]));
  for (const some of chunksOf(AT_ONCE, changedLinks)) {
    const edits = new Map(some.map((link) => [link.id, changeOf(link, groups)]));
    await refuseFullDisk(deps.config);
    for (const result of await changeEach(deps, caller, edits)) {
      if (result.status !== "failed") continue;
      failures.push({ what: urls.get(result.id)!, why: reasonOf(result.error) });
    }
  }
  return failures;
}

const changeOf = ({ group, frequency, about }: LinkChanged, groups: GroupBook): LinkEdit => ({
  ...about,
  ...(group && { group_id: idOf(groups, group.to) }),
  ...(frequency && { check_frequency: frequency.to }),
});

async function deleteAll(deps: Deps, caller: Caller, { strays }: Plan) {
  const failures: Failure[] = [];
  for (const some of chunksOf(AT_ONCE, strays)) {
    const results = await deleteLinks(
      deps,
      caller,
      some.map(({ id }) => id),
    );
    results.forEach((result, i) => {
      if (result.status === "failed")
        failures.push({ what: some[i]!.url, why: reasonOf(result.error) });
    });
  }
  return failures;
}
