import { AppError, type FieldProblems, limitReached } from "../../ground/lib/errors.ts";
import {
  changeHostSetting,
  createHostSetting,
  deleteHostSetting,
  judgeChange,
  listHostSettings,
} from "../../hosts/hosts.ts";
import {
  type FoundSetting,
  type HostSettingChange,
  MOST_SETTINGS,
  type NewHostSetting,
} from "../../hosts/model.ts";
import type { Caller } from "../../http/caller.ts";
import type { Deps } from "../../work/deps.ts";
import { makeChange } from "../../work/unit.ts";
import { refuseFullDisk } from "../upkeep/disk.ts";
import { attempt, type Failure } from "./attempt.ts";
import { inFile, Misdeclared, type WantedHost } from "./read.ts";

/** The changes that make the settings for hosts match the file. */
export type HostsPlan = {
  created: { input: NewHostSetting; variables: string[] }[];
  /** With the names of the fields that change. */
  changed: { setting: FoundSetting; change: HostSettingChange; fields: string[] }[];
  /** Not in the file, although it has settings for hosts. */
  strays: FoundSetting[];
};

/**
 * Compares the settings for hosts with a file, and writes nothing.
 * @param wanted undefined if the file says nothing of hosts
 * @throws Misdeclared when a part of the file cannot be applied
 */
export async function hostsPlanOf(
  deps: Deps,
  caller: Caller,
  wanted: WantedHost[] | undefined,
): Promise<HostsPlan> {
  const plan: HostsPlan = { created: [], changed: [], strays: [] };
  if (!wanted) return plan;
  const { items } = await listHostSettings(deps, caller, { page: 1, per_page: MOST_SETTINGS });
  const strays = new Map(items.map((setting) => [setting.host, setting]));
  for (const wantedHost of wanted) {
    const { line, host, change, variables } = wantedHost;
    const setting = strays.get(host);
    strays.delete(host);
    const whole = {
      ...change,
      ...(change.headers && { headers: onlyThese(change.headers, setting) }),
    };
    const judge = () => judgeChange(deps, setting ?? noneFor(host), whole);
    const { fields, secrets } = judged(judge, wantedHost);
    if (setting) {
      if (fields.length > 0) plan.changed.push({ setting, change: whole, fields });
      continue;
    }
    const used = items.length + plan.created.length;
    if (used >= MOST_SETTINGS) {
      throw new Misdeclared(line, limitReached("host settings", MOST_SETTINGS, used).message);
    }
    const { user_agent = null, allow_http = false } = change;
    const headers = secrets!.headers.map(([name, value]) => ({ name, value }));
    const input = { host, headers, auth: secrets!.auth, user_agent, allow_http };
    plan.created.push({ input, variables });
  }
  return { ...plan, strays: [...strays.values()] };
}

const noneFor = (host: string) => ({
  host,
  secrets: { headers: [], auth: null },
  userAgent: null,
  allowHttp: false,
});

type Headers = NonNullable<HostSettingChange["headers"]>;

/** The file has all headers, and a change those that change. */
function onlyThese(wanted: Headers, setting: FoundSetting | undefined): Headers {
  const names = new Set(wanted.map(({ name }) => name.toLowerCase()));
  const gone = (setting?.secrets?.headers ?? []).filter(([name]) => !names.has(name.toLowerCase()));
  return [...wanted, ...gone.map(([name]) => ({ name, value: null }))];
}

/** Says on which line what is wrong. */
function judged<T>(judge: () => T, { lineOf, change: { headers } }: WantedHost): T {
  try {
    return judge();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const [first] = Object.entries(error.details!.fields as FieldProblems);
    const [field, [problem]] = first as [string, [string]];
    const name = field.split(".").at(-1);
    if (problem !== "is required") throw new Misdeclared(lineOf(field), `${name} ${problem}.`);
    const [, index] = /^headers\[(\d+)\]/.exec(field) ?? [];
    const what = index ? headers![Number(index)]!.name : "The sign-in";
    throw new Misdeclared(
      lineOf(field),
      `${what} has no value that it could keep; add ${inFile(name!)} with the name of a variable.`,
    );
  }
}

/** Makes the changes of the plan. */
export async function carryOutHosts(
  deps: Deps,
  caller: Caller,
  { created, changed, strays }: HostsPlan,
  { prune }: { prune: boolean },
): Promise<Failure[]> {
  const failures: Failure[] = [];
  if (created.length + changed.length > 0) await refuseFullDisk(deps.config);
  for (const { input } of created) {
    failures.push(
      ...(await attempt(input.host, () =>
        makeChange(deps, caller, (unit) => createHostSetting(unit, caller, input)),
      )),
    );
  }
  for (const { setting, change } of changed) {
    failures.push(
      ...(await attempt(setting.host, () =>
        makeChange(deps, caller, (unit) => changeHostSetting(unit, caller, setting.id, change)),
      )),
    );
  }
  for (const { id, host } of prune ? strays : []) {
    failures.push(
      ...(await attempt(host, () =>
        makeChange(deps, caller, (unit) => deleteHostSetting(unit, caller, id)),
      )),
    );
  }
  return failures;
}
