import type { GroupRow } from "../../ground/db/tables.ts";
import { listHostSettings } from "../../hosts/hosts.ts";
import { type FoundSetting, MOST_SETTINGS, toHostSetting } from "../../hosts/model.ts";
import type { Caller } from "../../http/caller.ts";
import { exportedLinks } from "../../links/exports/export-rows.ts";
import type { ExportedLink } from "../../links/exports/model.ts";
import { declaredOf } from "../../links/fields/registry.ts";
import { openGroupBook } from "../../links/groups/groups.ts";
import { NO_GROUP } from "../../links/links.ts";
import { SETTINGS_OF } from "../../read/crawl/settings.ts";
import type { ShownSource } from "../../sources/model.ts";
import { openCredential } from "../../sources/sources.ts";
import type { Deps } from "../../work/deps.ts";
import { allSources } from "./sources.ts";

/**
 * Yields all groups, links, sources and settings for hosts as YAML, without what is secret. Applying it to the same account
 * changes nothing.
 */
export async function* declaredLinks(deps: Deps, caller: Caller): AsyncGenerator<string> {
  const hosts = await listHostSettings(deps, caller, { page: 1, per_page: MOST_SETTINGS });
  if (hosts.items.length > 0) yield `hosts:\n${hosts.items.map(hostOf).join("")}`;
  const groups = (await openGroupBook(deps, caller)).all();
  const names = new Map(groups.map(({ id, name }) => [id, name]));
  const sources = await allSources(deps, caller);
  if (sources.length > 0) yield `sources:\n${sources.map(sourceOf(deps, names)).join("")}`;
  yield groups.length === 0 ? "groups: []\n" : "groups:\n";
  for (const group of groups) {
    yield headOf(group);
    yield* linesOf(deps, caller, { groupId: group.id, indent: "    " });
  }
  yield* linesOf(deps, caller, { groupId: NO_GROUP, indent: "" });
}

/** Without the variables of its values, which are not known. */
function hostOf(setting: FoundSetting): string {
  const { host, headers, auth, user_agent, allow_http } = toHostSetting(setting);
  const { is_set: _, user, ...kind } = auth ?? { is_set: false, user: null };
  const fields = {
    host,
    user_agent,
    headers: headers.map(({ name }) => ({ name })),
    auth: auth && { ...kind, ...(user !== null && { user }) },
    allow_http: allow_http || null,
  };
  return `  - ${fieldsOf(fields).join("\n    ")}\n`;
}

/** Without the variable of its credential, and without settings that have their usual value. */
const sourceOf =
  (deps: Deps, groups: Map<string, string>) =>
  (source: ShownSource): string => {
    const { name, kind, url, groupId, checkFrequency, cron, timeZone } = source;
    const usual: Record<string, unknown> = SETTINGS_OF[kind].parse({});
    const own = Object.entries(JSON.parse(source.settings)).filter(
      ([setting, value]) => !Bun.deepEquals(value, usual[setting]),
    );
    const { value: _, ...credential } = openCredential(deps, source) ?? {};
    const fields = {
      name,
      kind,
      url,
      settings: Object.fromEntries(own),
      credential: Object.fromEntries(
        Object.entries(credential).filter(([, value]) => value !== null),
      ),
      group: groupId && (groups.get(groupId) ?? null),
      check_frequency: checkFrequency,
      schedule: cron,
      time_zone: timeZone === "UTC" ? null : timeZone,
      paused: source.isPaused || null,
    };
    return `  - ${fieldsOf(fields).join("\n    ")}\n`;
  };

function headOf({ name, description, color, cron, timeZone }: GroupRow): string {
  const schedule = cron === null ? null : { cron, time_zone: timeZone };
  const fields = { name, description, color, check_schedule: schedule };
  return `  - ${fieldsOf(fields).join("\n    ")}\n`;
}

type Place = { groupId: string; indent: string };

async function* linesOf(deps: Deps, caller: Caller, { groupId, indent }: Place) {
  let isAny = false;
  for await (const all of exportedLinks(deps, caller, { group_id: groupId })) {
    // The others come from sources.
    const links = all.filter(({ details }) => details.isPinned);
    if (links.length === 0) continue;
    yield `${isAny ? "" : `${indent}links:\n`}${links.map(lineOf(indent)).join("")}`;
    isAny = true;
  }
  if (!isAny) yield `${indent}links: []\n`;
}

const lineOf =
  (indent: string) =>
  ({ url, checkFrequency, details }: ExportedLink): string => {
    const lines = fieldsOf({ url, frequency: checkFrequency, ...declaredOf(details) });
    return `${indent}  - ${lines.join(`\n${indent}    `)}\n`;
  };

/** A line for each field that has a value. Any JSON is also YAML; words of ours need no quotes. */
const fieldsOf = (fields: Record<string, unknown>) =>
  Object.entries(fields)
    .filter(
      ([, value]) => value === true || (value !== null && Object.keys(value as object).length > 0),
    )
    .map(([name, value]) => `${name}: ${name === "frequency" ? value : JSON.stringify(value)}`);
