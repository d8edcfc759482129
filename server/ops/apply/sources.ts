import { fieldsOf } from "../../accounts/audit.ts";
import { AppError, type FieldProblems, invalid, limitReached } from "../../ground/lib/errors.ts";
import type { Caller } from "../../http/caller.ts";
import type { GroupBook } from "../../links/groups/groups.ts";
import {
  type CredentialInput,
  NewSource,
  type ShownSource,
  type SourceChange,
} from "../../sources/model.ts";
import {
  changeSource,
  createSource,
  deleteSource,
  listSources,
  openCredential,
  readSettings,
  readUrl,
  refuseCredential,
} from "../../sources/sources.ts";
import type { Deps } from "../../work/deps.ts";
import { makeChange } from "../../work/unit.ts";
import { refuseFullDisk } from "../upkeep/disk.ts";
import { attempt, type Failure } from "./attempt.ts";
import { type Declaration, Misdeclared, type WantedSource } from "./read.ts";

/** The changes that make the sources match the file. */
export type SourcesPlan = {
  created: { wanted: WantedSource; credential: CredentialInput | null }[];
  /** With the names of the fields that change. */
  changed: {
    source: ShownSource;
    wanted: WantedSource;
    change: SourceChange;
    fields: string[];
  }[];
  /** Not in the file, although it has sources. */
  strays: ShownSource[];
};

/** All sources of the account, of which there are never many. */
export const allSources = async (deps: Deps, caller: Caller): Promise<ShownSource[]> =>
  (await listSources(deps, caller, { page: 1, per_page: Number.MAX_SAFE_INTEGER })).items;

/**
 * Compares the sources with a file, and writes nothing.
 * @throws Misdeclared when a part of the file cannot be applied
 */
export async function sourcesPlanOf(
  deps: Deps,
  caller: Caller,
  { sources: wanted, groups: newGroups }: Declaration,
  groups: GroupBook,
): Promise<SourcesPlan> {
  const plan: SourcesPlan = { created: [], changed: [], strays: [] };
  if (!wanted) return plan;
  const items = await allSources(deps, caller);
  const strays = new Map(items.map((source) => [source.name, source]));
  const limit = deps.config.tierLimits[caller.tier].sources;
  const named = new Set(newGroups.map(({ name }) => name.toLowerCase()));
  for (const each of wanted) {
    const source = strays.get(each.name);
    strays.delete(each.name);
    refuseUnclearGroup(each, groups, named);
    const change = atItsLine(each, () => changeOf(deps, groups, each, source));
    if (source) {
      if (change.fields.length > 0) plan.changed.push({ source, wanted: each, ...change });
      continue;
    }
    const used = items.length + plan.created.length;
    if (used >= limit) {
      throw new Misdeclared(each.line, limitReached("sources", limit, used).message);
    }
    plan.created.push({ wanted: each, credential: change.change.credential ?? null });
  }
  return { ...plan, strays: [...strays.values()] };
}

function refuseUnclearGroup(
  { group, lineOf }: WantedSource,
  groups: GroupBook,
  newNames: Set<string>,
) {
  if (!group || newNames.has(group.toLowerCase())) return;
  const count = groups.count(group);
  if (count === 0) throw new Misdeclared(lineOf("group"), `There is no group "${group}".`);
  if (count === 1) return;
  const problem = `There are several groups "${group}"; rename all but one of them.`;
  throw new Misdeclared(lineOf("group"), problem);
}

/** Says on which line what is wrong. */
function atItsLine<T>({ lineOf }: WantedSource, judge: () => T): T {
  try {
    return judge();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const [[field, [problem]]] = Object.entries(error.details!.fields as FieldProblems) as [
      [string, [string]],
    ];
    throw new Misdeclared(lineOf(field), `${field.split(".").at(-1)} ${problem}.`);
  }
}

/** What changes in a source, or all of a new one. @throws AppError for what the API would refuse */
function changeOf(
  deps: Deps,
  groups: GroupBook,
  { kind, url: given, group, credential, change }: WantedSource,
  source: ShownSource | undefined,
): { change: SourceChange; fields: string[] } {
  const url = source && given === undefined ? source.url : (given ?? null);
  const target = readUrl(deps, kind, url);
  if (source && kind !== source.kind) throw invalid({ kind: [FIXED] });
  if (source && (target?.href ?? null) !== source.url) throw invalid({ url: [FIXED] });
  const known = source ? JSON.parse(source.settings) : {};
  const settings = change.settings && readSettings(kind, change.settings, known);
  const before = source ? openCredential(deps, source) : null;
  const after = credential && withValue(credential, before);
  refuseCredential(deps, kind, target, after);
  const present = {
    settings: known,
    credential: source?.credential ? (before ?? "unknown") : null,
    group: source?.groupId,
    check_frequency: source?.checkFrequency,
    schedule: source?.cron,
    time_zone: source?.timeZone ?? "UTC",
    paused: source?.isPaused,
  };
  const wanted = { ...change, settings, credential: after };
  const groupId = group && (groups.find(group)?.id ?? group);
  const fields = fieldsOf({ ...wanted, group: groupId }, present);
  const changed = Object.entries(wanted).filter(([name]) => fields.includes(name));
  return { change: Object.fromEntries(changed), fields };
}

const FIXED = "cannot be changed; delete the source and create another";

function withValue(
  credential: NonNullable<WantedSource["credential"]>,
  before: CredentialInput | null,
): CredentialInput {
  const value = credential.value ?? before?.value;
  if (value !== undefined) return { ...credential, value };
  throw invalid({
    credential: ["has no value that it could keep; add value_env with the name of a variable"],
  });
}

/** Makes the changes of the plan. Links of deleted sources stay. */
export async function carryOutSources(
  deps: Deps,
  caller: Caller,
  { created, changed, strays }: SourcesPlan,
  { prune, groups }: { prune: boolean; groups: GroupBook },
): Promise<Failure[]> {
  const failures: Failure[] = [];
  const groupOf = ({ group }: WantedSource) => group && (groups.find(group)?.id ?? null);
  if (created.length + changed.length > 0) await refuseFullDisk(deps.config);
  for (const { wanted, credential } of created) {
    const { name, kind, url, change } = wanted;
    const input = NewSource.parse({
      ...change,
      name,
      kind,
      url,
      credential,
      group_id: groupOf(wanted),
    });
    failures.push(
      ...(await attempt(name, () =>
        makeChange(deps, caller, (unit) => createSource(unit, caller, input)),
      )),
    );
  }
  for (const { source, wanted, change, fields } of changed) {
    const whole = { ...change, ...(fields.includes("group") && { group_id: groupOf(wanted) }) };
    failures.push(
      ...(await attempt(source.name, () =>
        makeChange(deps, caller, (unit) => changeSource(unit, caller, source.id, whole)),
      )),
    );
  }
  for (const { id, name } of prune ? strays : []) {
    failures.push(
      ...(await attempt(name, () =>
        makeChange(deps, caller, (unit) => deleteSource(unit, caller, id, { retires: false })),
      )),
    );
  }
  return failures;
}
