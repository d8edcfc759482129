import { and, eq, inArray } from "drizzle-orm";
import type { Caller } from "../../api/caller.ts";
import { type Frequency, type GroupRow, links } from "../../db/tables.ts";
import { chunksOf } from "../../lib/steps.ts";
import { changeLinks } from "../../links/change.ts";
import { createLinks, previewLinks, reasonOf } from "../../links/create.ts";
import { deleteLinks } from "../../links/delete.ts";
import { exportedLinks } from "../../links/exports/export-rows.ts";
import type { ExportedLink } from "../../links/exports/model.ts";
import { changeGroup, type GroupBook, openGroupBook } from "../../links/groups/groups.ts";
import type { GroupChange } from "../../links/groups/model.ts";
import { NO_GROUP } from "../../links/links.ts";
import type { LinkChange } from "../../links/model.ts";
import { urlKeyOf } from "../../verdict/services/catalogue.ts";
import type { Deps } from "../../work/deps.ts";
import { refuseFullDisk } from "../upkeep/disk.ts";
import { type Declaration, Misdeclared, type WantedGroup, type WantedLink } from "./read.ts";

const AT_ONCE = 1000;

/** An existing link that differs from the file. Groups are names; null means none. */
export type LinkChanged = {
  id: string;
  url: string;
  group: { from: string | null; to: string | null } | null;
  frequency: { from: Frequency; to: Frequency } | null;
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
};

/**
 * Compares a file with the account, and writes nothing.
 * @throws Misdeclared when a part of the file cannot be applied
 */
export async function planOf(deps: Deps, caller: Caller, file: Declaration): Promise<Plan> {
  const groups = await openGroupBook(deps, caller);
  refuseUnclearNames(file.groups, groups);
  const { newLinks, known } = await sortLinks(deps, caller, file.links);
  return {
    groups,
    newGroups: file.groups.filter(({ name }) => !groups.find(name)),
    changedGroups: file.groups.flatMap((wanted) => changeOfGroup(wanted, groups)),
    newLinks,
    changedLinks: await changesOf(deps, caller, known, groups),
    strays: await straysOf(deps, caller, file, { groups, known }),
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

function changeOfGroup({ name, description, color }: WantedGroup, groups: GroupBook) {
  const group = groups.find(name);
  if (!group) return [];
  const change: GroupChange = {
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
  for (const some of chunksOf(AT_ONCE, wanted)) {
    const inputs = some.map(({ url }) => ({ url }));
    const previews = await previewLinks(deps, caller, inputs, newLinks.length);
    for (const [i, link] of some.entries()) {
      const preview = previews[i]!;
      const details = "error" in preview ? (preview.error.details ?? {}) : {};
      const isThere = details.reason === "duplicate_url";
      if ("error" in preview && !isThere) throw new Misdeclared(link.line, reasonOf(preview.error));
      refuseRepeated(deps, link, lines);
      if (isThere) known.set(String(details.existingId), link);
      else newLinks.push(link);
    }
  }
  return { newLinks, known };
}

function refuseRepeated(deps: Deps, { url, line }: WantedLink, lines: Map<string, number>) {
  const key = urlKeyOf(deps.catalogue, new URL(url));
  const first = lines.get(key);
  if (first) throw new Misdeclared(line, `This link is already on line ${first}.`);
  lines.set(key, line);
}

async function changesOf(
  { store }: Deps,
  { accountId }: Caller,
  known: Known,
  groups: GroupBook,
): Promise<LinkChanged[]> {
  const changes: LinkChanged[] = [];
  const names = new Map(groups.all().map(({ id, name }) => [id, name]));
  const { id, url, groupId, checkFrequency } = links;
  for (const ids of chunksOf(AT_ONCE, [...known.keys()])) {
    const rows = await store.readPool
      .select({ id, url, groupId, checkFrequency })
      .from(links)
      .where(and(eq(links.accountId, accountId), inArray(links.id, ids)));
    for (const row of rows) {
      const wanted = known.get(row.id)!;
      const from = (row.groupId && names.get(row.groupId)) ?? null;
      const to = wanted.group && (groups.find(wanted.group)?.name ?? wanted.group);
      const frequency = wanted.frequency ?? row.checkFrequency;
      const isMoved = (to === null ? null : groups.find(to)?.id) !== row.groupId;
      if (!isMoved && frequency === row.checkFrequency) continue;
      changes.push({
        ...{ id: row.id, url: row.url },
        group: isMoved ? { from, to } : null,
        frequency:
          frequency === row.checkFrequency ? null : { from: row.checkFrequency, to: frequency },
      });
    }
  }
  return changes;
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
      for (const { id, url, group } of rows) if (!known.has(id)) strays.push({ id, url, group });
    }
  }
  return strays;
}

/** A change that failed, for example because someone else changed the link meanwhile. */
type Failure = { what: string; why: string };

/**
 * Makes the changes of the plan; links are deleted only with `prune`. After a failure, running it again continues.
 * @throws when the disk is full; deletions alone are allowed
 */
export async function carryOut(
  deps: Deps,
  caller: Caller,
  plan: Plan,
  { prune }: { prune: boolean },
): Promise<Failure[]> {
  const { groups } = plan;
  if (plan.newGroups.length + plan.changedGroups.length > 0) await refuseFullDisk(deps.config);
  for (const { name, description, color } of plan.newGroups) {
    await groups.make({ name, ...(description && { description }), ...(color && { color }) });
  }
  for (const { group, change } of plan.changedGroups) {
    await changeGroup(deps, caller, group.id, change);
  }
  return [
    ...(await createAll(deps, caller, plan)),
    ...(await changeAll(deps, caller, plan)),
    ...(prune ? await deleteAll(deps, caller, plan) : []),
  ];
}

async function createAll(deps: Deps, caller: Caller, { newLinks, groups }: Plan) {
  const failures: Failure[] = [];
  for (const some of chunksOf(AT_ONCE, newLinks)) {
    const inputs = some.map(({ url, frequency, group }) => ({
      url,
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

/** Changes links together that get the same change. */
async function changeAll(deps: Deps, caller: Caller, { changedLinks, groups }: Plan) {
  const failures: Failure[] = [];
  const urls = new Map(changedLinks.map(({ id, url }) => [id, url]));
  const alike = Map.groupBy(changedLinks, (link) => JSON.stringify(changeOf(link, groups)));
  for (const some of alike.values()) {
    const change = changeOf(some[0]!, groups);
    for (const part of chunksOf(AT_ONCE, some)) {
      const ids = part.map(({ id }) => id);
      await refuseFullDisk(deps.config);
      for (const result of await changeLinks(deps, caller, ids, change)) {
        if (result.status !== "failed") continue;
        failures.push({ what: urls.get(result.id)!, why: reasonOf(result.error) });
      }
    }
  }
  return failures;
}

const changeOf = ({ group, frequency }: LinkChanged, groups: GroupBook): LinkChange => ({
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

/** Yields all groups and links as YAML. Applying it to the same account changes nothing. */
export async function* declaredLinks(deps: Deps, caller: Caller): AsyncGenerator<string> {
  const groups = (await openGroupBook(deps, caller)).all();
  yield groups.length === 0 ? "groups: []\n" : "groups:\n";
  for (const group of groups) {
    yield headOf(group);
    yield* linesOf(deps, caller, { groupId: group.id, indent: "    " });
  }
  yield* linesOf(deps, caller, { groupId: NO_GROUP, indent: "" });
}

const headOf = ({ name, description, color }: GroupRow) =>
  [
    `  - name: ${quoted(name)}`,
    ...(description === null ? [] : [`    description: ${quoted(description)}`]),
    `    color: ${quoted(color)}`,
    "",
  ].join("\n");

type Place = { groupId: string; indent: string };

async function* linesOf(deps: Deps, caller: Caller, { groupId, indent }: Place) {
  let isAny = false;
  for await (const links of exportedLinks(deps, caller, { group_id: groupId })) {
    yield `${isAny ? "" : `${indent}links:\n`}${links.map(lineOf(indent)).join("")}`;
    isAny = true;
  }
  if (!isAny) yield `${indent}links: []\n`;
}

const lineOf = (indent: string) => (link: ExportedLink) =>
  `${indent}  - url: ${quoted(link.url)}\n${indent}    frequency: ${link.checkFrequency}\n`;

/** Any JSON string is also a YAML string. */
const quoted = (text: string) => JSON.stringify(text);
