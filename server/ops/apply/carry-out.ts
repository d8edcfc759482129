import type { Caller } from "../../api/caller.ts";
import { chunksOf } from "../../lib/steps.ts";
import { changeLinks } from "../../links/change.ts";
import { createLinks, reasonOf } from "../../links/create.ts";
import { deleteLinks } from "../../links/delete.ts";
import { changeGroup, type GroupBook } from "../../links/groups/groups.ts";
import type { LinkChange } from "../../links/model.ts";
import type { Deps } from "../../work/deps.ts";
import { refuseFullDisk } from "../upkeep/disk.ts";
import type { LinkChanged, Plan } from "./plan.ts";

const AT_ONCE = 1000;

/** What could not be done, since something else was changed meanwhile. */
export type Failure = { what: string; why: string };

/**
 * Does what the plan says. Links are deleted only if `prune` says so. Running it again does the rest.
 * @throws when the disk has too little room; deletions alone need none
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

/** Links that change alike are changed together. */
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
      if (!result.deleted) failures.push({ what: some[i]!.url, why: reasonOf(result.error) });
    });
  }
  return failures;
}
